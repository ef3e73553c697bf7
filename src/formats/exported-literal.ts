// An exported constant of a module, read from its syntax tree. The code is never run: what is not a literal makes the
// constant computed, and only its line is known.
import type { Program } from 'oxc-parser'
import { LineIndex, type Position } from '../tool/line-index.ts'

/** Any ESTree node, as far as literals need it. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

type Node = SyntaxNode

export interface ExportedLiteral {
  /** undefined: there is no such export, or it is no plain object. */
  readonly fields?: { readonly [key: string]: unknown }
  /** Where the first thing stands that is no literal. */
  readonly dynamicAt?: Position
  /** A key that is written twice in one object. */
  readonly repeated?: Position & { readonly key: string }
  positionOf(path: readonly string[]): Position
}

/** The object that the module exports under a name. */
export function readExportedLiteral(program: Program, text: string, name: string): ExportedLiteral {
  const lines = new LineIndex(text)
  const start = { line: 1, column: 1 }
  const declared = findExport(program, name)
  if (!declared) return { positionOf: () => start }
  const value = unwrap(declared)
  try {
    const fields = literal(value)
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw new NotLiteral(value)
    return {
      fields: fields as Record<string, unknown>,
      positionOf: (path) => lines.at(nodeAt(value, path).start),
    }
  } catch (thrown) {
    if (thrown instanceof RepeatedKey)
      return { repeated: { ...lines.at(thrown.offset), key: thrown.key }, positionOf: () => start }
    if (!(thrown instanceof NotLiteral)) throw thrown
    return { dynamicAt: lines.at(thrown.node.start), positionOf: () => lines.at(value.start) }
  }
}

class RepeatedKey extends Error {
  readonly key: string
  readonly offset: number

  constructor(key: string, offset: number) {
    super('repeated key')
    this.key = key
    this.offset = offset
  }
}

class NotLiteral extends Error {
  readonly node: Node

  constructor(node: Node) {
    super('not a literal')
    this.node = node
  }
}

function findExport(program: Program, wanted: string): Node | undefined {
  for (const statement of program.body as unknown as Node[]) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const declaration = statement['declaration'] as Node | null
    if (declaration?.type === 'VariableDeclaration') {
      for (const declarator of declaration['declarations'] as Node[]) {
        if ((declarator['id'] as Node)['name'] === wanted)
          return (declarator['init'] as Node | null) ?? declarator
      }
    }
    for (const specifier of (statement['specifiers'] as Node[] | undefined) ?? []) {
      const exported = specifier['exported'] as Node
      if (exported['name'] === wanted || exported['value'] === wanted) return specifier
    }
  }
  return undefined
}

/** Looks through `as const`, `satisfies`, parentheses and `defineSkill(…)`. */
export function unwrap(node: Node): Node {
  switch (node.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return unwrap(node['expression'] as Node)
    case 'CallExpression': {
      const callee = node['callee'] as Node
      const given = node['arguments'] as Node[]
      return callee.type === 'Identifier' && callee['name'] === 'defineSkill' && given.length === 1
        ? unwrap(given[0]!)
        : node
    }
    default:
      return node
  }
}

function literal(given: Node): unknown {
  const node = unwrap(given)
  switch (node.type) {
    case 'Literal':
      if (node['regex'] || node['bigint']) throw new NotLiteral(node)
      return node['value']
    case 'TemplateLiteral':
      if ((node['expressions'] as Node[]).length > 0) throw new NotLiteral(node)
      return ((node['quasis'] as Node[])[0]!['value'] as { cooked: string }).cooked
    case 'UnaryExpression': {
      const value = literal(node['argument'] as Node)
      const operator = node['operator']
      if (typeof value !== 'number' || (operator !== '-' && operator !== '+')) throw new NotLiteral(node)
      return operator === '-' ? -value : value
    }
    case 'ArrayExpression':
      return (node['elements'] as (Node | null)[]).map((item) => {
        if (!item) throw new NotLiteral(node)
        return literal(item)
      })
    case 'ObjectExpression':
      return objectLiteral(node)
    default:
      throw new NotLiteral(node)
  }
}

function objectLiteral(node: Node): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const property of node['properties'] as Node[]) {
    const key = property.type === 'Property' && !property['computed'] ? keyOf(property) : null
    if (key === null || property['kind'] !== 'init' || property['method'] || property['shorthand'])
      throw new NotLiteral(property)
    if (Object.hasOwn(object, key)) throw new RepeatedKey(key, property.start)
    const value = literal(property['value'] as Node)
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  }
  return object
}

function keyOf(property: Node): string | null {
  const key = property['key'] as Node
  if (key.type === 'Identifier') return key['name'] as string
  return key.type === 'Literal' ? String(key['value']) : null
}

/** The node of a key (not its value), as deep as the path leads. */
function nodeAt(root: Node, path: readonly string[]): Node {
  let found = root
  let value = root
  for (const step of path) {
    const object = unwrap(value)
    if (object.type !== 'ObjectExpression') break
    const property = (object['properties'] as Node[]).find((item) => keyOf(item) === step)
    if (!property) break
    found = property
    value = property['value'] as Node
  }
  return found
}
