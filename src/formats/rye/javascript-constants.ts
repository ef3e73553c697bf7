// Folds JavaScript and TypeScript expressions to data without running anything: literals, arrays, objects,
// templates, `+`, spreads and names of earlier top-level constants. Types are looked through.

import { Budget } from '../../tool/budget.ts'
import type { Json } from '../../tool/json.ts'
import { foldLimits } from './fold-limits.ts'
import { put } from './plain-json.ts'
import { type Folded, lostKey, Unfolded } from './unfolded.ts'

/** Any ESTree node; the parser's own types are unions of hundreds, and only a few kinds matter here. */
export interface ScriptNode {
  readonly type: string
  readonly start: number
  readonly end: number
  // biome-ignore lint/suspicious/noExplicitAny: fields differ by node type
  readonly [field: string]: any
}

const seeThrough = new Set([
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
])

/** The expression under parentheses and type annotations. */
export function bare(node: ScriptNode): ScriptNode {
  let inner = node
  while (seeThrough.has(inner.type)) inner = inner['expression']
  return inner
}

/** `Object.freeze(x)` is x. */
function unfrozen(node: ScriptNode): ScriptNode {
  const callee = node['callee']
  const isFreeze =
    callee?.type === 'MemberExpression' &&
    callee.object.name === 'Object' &&
    callee.property.name === 'freeze'
  return isFreeze && node['arguments'].length === 1 ? bare(node['arguments'][0]) : node
}

export class ScriptConstants {
  readonly #values = new Map<string, Folded>()
  readonly #budget = new Budget(foldLimits)

  /** Undefined: the name is bound to something only running the file would tell. */
  bind(name: string, value: Folded | undefined): void {
    if (value === undefined) this.#values.delete(name)
    else this.#values.set(name, value)
  }

  fold(node: ScriptNode, depth = 0): Folded {
    const inner = bare(node)
    if (!this.#budget.allows('depth', depth) || !this.#budget.allows('steps', 1))
      return new Unfolded(inner.start)
    switch (inner.type) {
      case 'Literal':
        return this.#literal(inner)
      case 'TemplateLiteral':
        return this.#template(inner, depth)
      case 'UnaryExpression':
        return this.#unary(inner, depth)
      case 'BinaryExpression':
        return this.#sum(inner, depth)
      case 'ArrayExpression':
        return this.#array(inner, depth)
      case 'ObjectExpression':
        return this.#object(inner, depth)
      case 'Identifier':
        return this.#name(inner)
      case 'CallExpression': {
        const value = unfrozen(inner)
        return value === inner ? new Unfolded(inner.start) : this.fold(value, depth + 1)
      }
      default:
        return new Unfolded(inner.start)
    }
  }

  #literal(node: ScriptNode): Folded {
    const value: unknown = node['value']
    if (typeof value === 'string')
      return this.#budget.allows('bytes', value.length) ? value : new Unfolded(node.start)
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (typeof value === 'boolean') return value
    return value === null && node['raw'] === 'null' ? null : new Unfolded(node.start)
  }

  #template(node: ScriptNode, depth: number): Folded {
    let text = ''
    for (const [index, quasi] of node['quasis'].entries()) {
      text += quasi.value.cooked ?? ''
      const inserted = node['expressions'][index]
      if (!inserted) continue
      const value = this.fold(inserted, depth + 1)
      if (typeof value !== 'string' && typeof value !== 'number') return new Unfolded(node.start)
      text += value
    }
    return this.#budget.allows('bytes', text.length) ? text : new Unfolded(node.start)
  }

  #unary(node: ScriptNode, depth: number): Folded {
    const value = this.fold(node['argument'], depth + 1)
    if (typeof value === 'number' && (node['operator'] === '-' || node['operator'] === '+'))
      return node['operator'] === '-' ? -value : value
    if (node['operator'] === '!' && typeof value === 'boolean') return !value
    return new Unfolded(node.start)
  }

  #sum(node: ScriptNode, depth: number): Folded {
    if (node['operator'] !== '+') return new Unfolded(node.start)
    const a = this.fold(node['left'], depth + 1)
    const b = this.fold(node['right'], depth + 1)
    if (typeof a === 'number' && typeof b === 'number') return a + b
    if ((typeof a === 'string' && isPrimitive(b)) || (typeof b === 'string' && isPrimitive(a))) {
      const text = `${a}${b}`
      if (this.#budget.allows('bytes', text.length)) return text
    }
    return new Unfolded(node.start)
  }

  #array(node: ScriptNode, depth: number): Folded {
    const items: Folded[] = []
    for (const element of node['elements'] as (ScriptNode | null)[]) {
      if (!element) items.push(null)
      else if (element.type === 'SpreadElement') {
        const spread = this.fold(element['argument'], depth + 1)
        if (!Array.isArray(spread) || !this.#budget.allows('steps', spread.length))
          return new Unfolded(element.start)
        items.push(...(spread as readonly Folded[]))
      } else items.push(this.fold(element, depth + 1))
    }
    return items
  }

  #object(node: ScriptNode, depth: number): Folded {
    const map: { [key: string]: Json } = {}
    const set = (key: string, value: Folded): void => put(map, key, value as Json)
    for (const member of node['properties'] as ScriptNode[]) {
      if (member.type === 'SpreadElement') {
        const spread = this.fold(member['argument'], depth + 1)
        if (isMap(spread) && this.#budget.allows('steps', Object.keys(spread).length))
          for (const [key, value] of Object.entries(spread)) set(key, value)
        else set(lostKey, new Unfolded(member.start))
        continue
      }
      const key = this.#key(member, depth)
      if (key === undefined) set(lostKey, new Unfolded(member.start))
      else if (member['kind'] !== 'init' || member['method']) set(key, new Unfolded(member.start))
      else set(key, this.fold(member['value'], depth + 1))
    }
    return map as { [key: string]: Folded }
  }

  #key(member: ScriptNode, depth: number): string | undefined {
    const key: ScriptNode = member['key']
    if (!member['computed'] && key.type === 'Identifier') return key['name']
    const value = this.fold(key, depth + 1)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }

  #name(node: ScriptNode): Folded {
    const value = this.#values.get(node['name'])
    if (value === undefined || value instanceof Unfolded) return new Unfolded(node.start)
    return value
  }
}

function isPrimitive(value: Folded): value is string | number | boolean | null {
  return value === null || typeof value !== 'object'
}

function isMap(value: Folded): value is { readonly [key: string]: Folded } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unfolded)
}
