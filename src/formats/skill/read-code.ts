// Reads `export const frontmatter` of a code skill from its syntax tree. The code is never run here: what is
// not a literal makes the frontmatter dynamic, and only its line is known.
import type { Program } from 'oxc-parser'
import { LineIndex, type Position } from '../../tool/line-index.ts'
import { parseModule, tooDeep } from '../parse-script.ts'

interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

export interface CodeFrontmatter {
  /** undefined: the module exports none. */
  readonly fields?: { readonly [key: string]: unknown }
  /** Where the first thing stands that is no literal. */
  readonly dynamicAt?: Position
  /** A key that is written twice in one object. */
  readonly repeated?: Position & { readonly key: string }
  readonly syntaxError?: Position & { readonly message: string }
  /** Where a default export ought to be, when the text shows that there is none or that it is no function. */
  readonly noFunctionAt?: Position
  positionOf(path: readonly string[]): Position
}

export function readCodeFrontmatter(file: string, text: string): CodeFrontmatter {
  const lines = new LineIndex(text)
  const start = { line: 1, column: 1 }
  const result = parseModule(file, text, file.endsWith('.ts') ? 'ts' : 'js')
  if (!result) return { syntaxError: { ...start, message: tooDeep }, positionOf: () => start }
  const error = result.errors.find((item) => item.severity === 'Error')
  if (error)
    return {
      syntaxError: { ...lines.at(error.labels[0]?.start ?? 0), message: error.message },
      positionOf: () => start,
    }
  const declared = findFrontmatter(result.program)
  const exported = findDefault(result.program)
  const noFunctionAt = exported.isNoFunction ? { noFunctionAt: lines.at(exported.offset) } : {}
  if (!declared) return { ...noFunctionAt, positionOf: () => start }
  const value = unwrap(declared)
  try {
    const fields = literal(value)
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw new NotLiteral(value)
    return {
      ...noFunctionAt,
      fields: fields as Record<string, unknown>,
      positionOf: (path) => lines.at(nodeAt(value, path).start),
    }
  } catch (thrown) {
    if (thrown instanceof RepeatedKey)
      return { repeated: { ...lines.at(thrown.offset), key: thrown.key }, positionOf: () => start }
    if (!(thrown instanceof NotLiteral)) throw thrown
    return {
      ...noFunctionAt,
      dynamicAt: lines.at(thrown.node.start),
      positionOf: () => lines.at(value.start),
    }
  }
}

/** Where the default export of a module stands; the first line when there is none. */
export function defaultExportAt(file: string, text: string): Position {
  const result = parseModule(file, text, file.endsWith('.ts') ? 'ts' : 'js')
  return new LineIndex(text).at(result ? findDefault(result.program).offset : 0)
}

interface DefaultExport {
  readonly offset: number
  /** Certain from the text alone; a name or a call may turn out to be one or not. */
  readonly isNoFunction: boolean
}

const noFunctions = new Set([
  'Literal',
  'TemplateLiteral',
  'ObjectExpression',
  'ArrayExpression',
  'ClassDeclaration',
  'ClassExpression',
])

function findDefault(program: Program): DefaultExport {
  const body = program.body as unknown as Node[]
  for (const statement of body) {
    const { start: offset } = statement
    if (statement.type === 'ExportDefaultDeclaration')
      return { offset, isNoFunction: isNoFunction(statement['declaration'] as Node, body) }
    for (const specifier of (statement['specifiers'] as Node[] | undefined) ?? []) {
      const name = specifier['exported'] as Node | undefined
      if (name?.['name'] === 'default' || name?.['value'] === 'default') {
        const isOwn = !statement['source']
        return { offset, isNoFunction: isOwn && isNoFunction(specifier['local'] as Node, body) }
      }
    }
  }
  return { offset: 0, isNoFunction: true }
}

/** Also through a name, where that is declared once and for all at the top level: a class or a constant. */
function isNoFunction(given: Node, body: readonly Node[]): boolean {
  const node = unwrap(given)
  if (node.type !== 'Identifier') return noFunctions.has(node.type)
  for (const statement of body) {
    const declared = (statement['declaration'] as Node | null | undefined) ?? statement
    if (declared.type === 'ClassDeclaration' && (declared['id'] as Node | null)?.['name'] === node['name'])
      return true
    if (declared.type !== 'VariableDeclaration' || declared['kind'] !== 'const') continue
    for (const declarator of declared['declarations'] as Node[]) {
      const value = declarator['init'] as Node | null
      if ((declarator['id'] as Node)['name'] === node['name'] && value)
        return noFunctions.has(unwrap(value).type)
    }
  }
  return false
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

function findFrontmatter(program: Program): Node | undefined {
  for (const statement of program.body as unknown as Node[]) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const declaration = statement['declaration'] as Node | null
    if (declaration?.type === 'VariableDeclaration') {
      for (const declarator of declaration['declarations'] as Node[]) {
        if ((declarator['id'] as Node)['name'] === 'frontmatter')
          return (declarator['init'] as Node | null) ?? declarator
      }
    }
    for (const specifier of (statement['specifiers'] as Node[] | undefined) ?? []) {
      const exported = specifier['exported'] as Node
      if (exported['name'] === 'frontmatter' || exported['value'] === 'frontmatter') return specifier
    }
  }
  return undefined
}

/** Looks through `as const`, `satisfies`, parentheses and `defineSkill(…)`. */
function unwrap(node: Node): Node {
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
