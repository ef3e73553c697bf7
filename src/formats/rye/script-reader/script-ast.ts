// A JavaScript or TypeScript file as the readers need it: chained calls in order, and the values of literals.
import type { Json } from '../../../tool/json.ts'
import { parseScript } from '../../parse-script.ts'

export interface AstNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export interface JsCall {
  /** The last name of what is called: `option` of `program.option(…)`. */
  readonly method: string
  readonly callee: AstNode
  readonly args: readonly AstNode[]
  readonly node: AstNode
}

export class ScriptAst {
  readonly text: string
  readonly body: readonly AstNode[]
  readonly fault: { readonly line: number; readonly message: string } | undefined
  readonly comments: readonly { readonly type: string; readonly value: string }[]
  readonly #constants = new Map<string, AstNode>()

  constructor(path: string, given: string) {
    this.text = given.replace(/^#![^\n]*/, (line) => ' '.repeat(line.length))
    const { result, fault } = parseScript(/\.[cm]?[jt]s$/.test(path) ? path : `${path}.js`, this.text)
    if (fault)
      this.fault = { line: this.text.slice(0, fault.from).split('\n').length, message: fault.message }
    this.body = fault || !result ? [] : (result.program.body as readonly object[] as readonly AstNode[])
    this.comments = result?.comments ?? []
    for (const node of this.nodes())
      if (node.type === 'VariableDeclarator' && isNode(node['id']) && isNode(node['init']))
        this.#constants.set(String(node['id']['name']), node['init'])
  }

  *nodes(from: readonly AstNode[] = this.body): Generator<AstNode> {
    const left: AstNode[] = [...from].reverse()
    for (let node = left.pop(); node; node = left.pop()) {
      yield node
      const children = Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]))
      for (let i = children.length - 1; i >= 0; i--) if (isNode(children[i])) left.push(children[i])
    }
  }

  callOf(node: AstNode): JsCall | undefined {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined
    const callee = node['callee'] as AstNode
    const property = callee.type === 'MemberExpression' ? (callee['property'] as AstNode) : callee
    return {
      method: String(property['name'] ?? ''),
      callee,
      args: (node['arguments'] as readonly AstNode[]) ?? [],
      node,
    }
  }

  /** What the method is called on. */
  receiverOf({ callee }: JsCall): AstNode | undefined {
    return callee.type === 'MemberExpression' ? (callee['object'] as AstNode) : undefined
  }

  /** The links of `a.b(…).c(…)`, first call first, with what it starts from. */
  chainOf(node: AstNode): { readonly base: AstNode; readonly calls: readonly JsCall[] } {
    const calls: JsCall[] = []
    let at = node
    for (;;) {
      const call = this.callOf(at)
      const receiver = call && this.receiverOf(call)
      if (!call || !receiver || at.type === 'NewExpression') return { base: at, calls: calls.reverse() }
      calls.push(call)
      at = receiver
    }
  }

  textOf(node: AstNode | undefined): string | undefined {
    const value = this.valueOf(node)
    return typeof value === 'string' ? value : undefined
  }

  /** The value of a literal, or of a name that a declaration gives one; undefined for the rest. */
  valueOf(node: AstNode | undefined, depth = 0): Json | undefined {
    if (!node || depth > 20) return undefined
    const inner = (child: unknown) => this.valueOf(child as AstNode, depth + 1)
    switch (node.type) {
      case 'Literal':
        return node['regex'] ? undefined : (node['value'] as Json)
      case 'TemplateLiteral': {
        const quasis = node['quasis'] as readonly { value: { cooked: string } }[]
        return quasis.length === 1 ? quasis[0]!.value.cooked : undefined
      }
      case 'UnaryExpression': {
        const value = inner(node['argument'])
        return node['operator'] === '-' && typeof value === 'number' ? -value : undefined
      }
      case 'BinaryExpression': {
        const [left, right] = [inner(node['left']), inner(node['right'])]
        return node['operator'] === '+' && typeof left === 'string' && typeof right === 'string'
          ? left + right
          : undefined
      }
      case 'ArrayExpression': {
        const items = (node['elements'] as readonly AstNode[]).map(inner)
        return items.includes(undefined) ? undefined : (items as Json[])
      }
      case 'ObjectExpression':
        return Object.fromEntries(
          [...this.entriesOf(node)].map(([key, value]) => [key, inner(value) ?? null]),
        )
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'ParenthesizedExpression':
        return inner(node['expression'])
      case 'Identifier':
        return this.valueOf(this.#constants.get(String(node['name'])), depth + 1)
      default:
        return undefined
    }
  }

  /** The properties of an object literal, or of a name that stands for one. */
  entriesOf(given: AstNode | undefined): Map<string, AstNode> {
    const node = given?.type === 'Identifier' ? this.#constants.get(String(given['name'])) : given
    const entries = new Map<string, AstNode>()
    if (node?.type !== 'ObjectExpression') return entries
    for (const property of node['properties'] as readonly AstNode[]) {
      const key = property['key'] as AstNode | undefined
      const name = key?.['name'] ?? key?.['value']
      if (property.type === 'Property' && name !== undefined && !property['computed'])
        entries.set(String(name), property['value'] as AstNode)
    }
    return entries
  }
}

function isNode(value: unknown): value is AstNode {
  return typeof value === 'object' && value !== null && typeof (value as AstNode).type === 'string'
}
