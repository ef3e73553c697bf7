// What is a node of JavaScript's syntax tree called, and what does it hold?

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** Of an identifier, a key or a private name. */
export function nameOf(node: unknown): string | undefined {
  const { type, name, value } = (node ?? {}) as { type?: string; name?: unknown; value?: unknown }
  if (type === 'Literal') return String(value)
  return type === 'Identifier' || type === 'PrivateIdentifier' ? String(name) : undefined
}

export function isStatement({ type }: Node): boolean {
  return /(?:Statement|Declaration|Clause|SwitchCase)$/.test(type)
}

export function childrenOf(node: Node): Node[] {
  const found: Node[] = []
  for (const key in node) {
    const value = node[key]
    if (Array.isArray(value)) for (const item of value) isNode(item) && !isType(item) && found.push(item)
    else if (isNode(value) && !isType(value)) found.push(value)
  }
  return found
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function isType({ type }: Node): boolean {
  return type.startsWith('TSType') || type.startsWith('TSInterface')
}
