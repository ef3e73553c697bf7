// Folds Python expressions to data without running anything: literals, containers, `+`, `|`, unpacking and names
// of module constants as they stood at that point of the file.

import { Budget } from '../../tool/budget.ts'
import type { Json } from '../../tool/json.ts'
import { foldLimits } from './fold-limits.ts'
import { put } from './plain-json.ts'
import type { PythonNode } from './python-node.ts'
import { pythonString } from './python-string.ts'
import { type Folded, lostKey, Unfolded } from './unfolded.ts'

interface Binding {
  readonly order: number
  /** Null: bound in a way that only running the file would tell. */
  readonly node: PythonNode | null
  value?: Folded
}

export class PythonConstants {
  readonly #text: string
  readonly #bindings = new Map<string, Binding[]>()
  readonly #budget = new Budget(foldLimits)
  #order = 0

  constructor(text: string) {
    this.#text = text
  }

  /** A statement `name = node`; null when the value is unknown from here on. */
  bind(name: string, node: PythonNode | null): void {
    const known = this.#bindings.get(name)
    const binding = { order: ++this.#order, node }
    if (known) known.push(binding)
    else this.#bindings.set(name, [binding])
  }

  /** The value of an expression that stands after everything bound so far. */
  fold(node: PythonNode): Folded {
    return this.#fold(node, this.#order + 1, 0)
  }

  #source(node: PythonNode): string {
    return this.#text.slice(node.from, node.to)
  }

  #fold(node: PythonNode, before: number, depth: number): Folded {
    if (!this.#budget.allows('depth', depth) || !this.#budget.allows('steps', 1))
      return new Unfolded(node.from)
    switch (node.name) {
      case 'String':
      case 'FormatString':
        return this.#string(node)
      case 'ContinuedString':
        return this.#joined(node)
      case 'Number':
        return number(this.#source(node)) ?? new Unfolded(node.from)
      case 'Boolean':
        return this.#source(node) === 'True'
      case 'None':
        return null
      case 'ParenthesizedExpression': {
        const inner = values(node)
        return inner.length === 1 ? this.#fold(inner[0]!, before, depth + 1) : new Unfolded(node.from)
      }
      case 'UnaryExpression':
        return this.#unary(node, before, depth)
      case 'BinaryExpression':
        return this.#binary(node, before, depth)
      case 'ArrayExpression':
      case 'TupleExpression':
      case 'SetExpression':
        return this.#list(node, before, depth)
      case 'DictionaryExpression':
        return this.#dict(node, before, depth)
      case 'VariableName':
        return this.#name(node, before, depth)
      default:
        return new Unfolded(node.from)
    }
  }

  #string(node: PythonNode): Folded {
    const value = pythonString(this.#source(node))
    return value === undefined || !this.#budget.allows('bytes', value.length)
      ? new Unfolded(node.from)
      : value
  }

  #joined(node: PythonNode): Folded {
    let joined = ''
    for (const part of node.children) {
      const value = this.#string(part)
      if (typeof value !== 'string') return value
      joined += value
    }
    return joined
  }

  #unary(node: PythonNode, before: number, depth: number): Folded {
    const operand = node.children.at(-1)
    const value = operand ? this.#fold(operand, before, depth + 1) : null
    const operator = node.children[0] ? this.#source(node.children[0]) : ''
    if (typeof value === 'number' && (operator === '-' || operator === '+'))
      return operator === '-' ? -value : value
    if (operator === 'not' && typeof value === 'boolean') return !value
    return new Unfolded(node.from)
  }

  #binary(node: PythonNode, before: number, depth: number): Folded {
    const [left, operator, right] = node.children
    if (!left || !operator || !right) return new Unfolded(node.from)
    const sign = this.#source(operator)
    if (sign !== '+' && sign !== '|') return new Unfolded(node.from)
    const a = this.#fold(left, before, depth + 1)
    const b = this.#fold(right, before, depth + 1)
    if (sign === '+' && typeof a === 'number' && typeof b === 'number') return a + b
    if (sign === '+' && typeof a === 'string' && typeof b === 'string')
      return this.#budget.allows('bytes', a.length + b.length) ? a + b : new Unfolded(node.from)
    if (isList(a) && isList(b)) {
      if (!this.#budget.allows('steps', a.length + b.length)) return new Unfolded(node.from)
      return sign === '+' ? [...a, ...b] : [...new Set([...a, ...b])]
    }
    if (sign === '|' && isMap(a) && isMap(b)) {
      if (!this.#budget.allows('steps', Object.keys(a).length + Object.keys(b).length))
        return new Unfolded(node.from)
      return merged(a, b)
    }
    return new Unfolded(node.from)
  }

  #list(node: PythonNode, before: number, depth: number): Folded {
    const items: Folded[] = []
    let spread = false
    for (const child of node.children) {
      if (child.name === '*') spread = true
      else if (child.name === 'CompFor' || child.name === 'for') return new Unfolded(node.from)
      else if (!isPunctuation(child)) {
        const value = this.#fold(child, before, depth + 1)
        if (!spread) items.push(value)
        else if (isList(value) && this.#budget.allows('steps', value.length)) items.push(...value)
        else return new Unfolded(child.from)
        spread = false
      }
    }
    return items
  }

  #dict(node: PythonNode, before: number, depth: number): Folded {
    let map: { [key: string]: Folded } = {}
    let key: Folded | undefined
    let spread = false
    for (const child of node.children) {
      if (child.name === '**') spread = true
      else if (isPunctuation(child)) continue
      else if (spread) {
        const value = this.#fold(child, before, depth + 1)
        if (isMap(value) && this.#budget.allows('steps', Object.keys(value).length)) map = merged(map, value)
        else put(map as never, lostKey, new Unfolded(child.from) as never)
        spread = false
      } else if (key === undefined) {
        if (child.name === 'for') return new Unfolded(node.from)
        key = this.#fold(child, before, depth + 1)
      } else {
        const value = this.#fold(child, before, depth + 1)
        const name = keyText(key)
        if (name === undefined) put(map as never, lostKey, new Unfolded(child.from) as never)
        else put(map as never, name, value as never)
        key = undefined
      }
    }
    return map
  }

  #name(node: PythonNode, before: number, depth: number): Folded {
    const binding = this.#bindings.get(this.#source(node))?.findLast((known) => known.order < before)
    if (!binding?.node) return new Unfolded(node.from)
    binding.value ??= this.#fold(binding.node, binding.order, depth + 1)
    // What is missing is missing where the name is used.
    return binding.value instanceof Unfolded ? new Unfolded(node.from) : binding.value
  }
}

function keyText(key: Folded): string | undefined {
  if (typeof key === 'string') return key
  if (typeof key === 'number' || typeof key === 'boolean' || key === null) return String(key)
  return undefined
}

function number(text: string): number | undefined {
  const digits = text.replaceAll('_', '').toLowerCase()
  if (!/^(0x[0-9a-f]+|0o[0-7]+|0b[01]+|(\d+\.?\d*|\.\d+)(e[-+]?\d+)?)$/.test(digits)) return undefined
  const value = Number(digits)
  return Number.isFinite(value) ? value : undefined
}

function merged(a: { readonly [key: string]: Folded }, b: { readonly [key: string]: Folded }) {
  const map: { [key: string]: Json } = {}
  for (const source of [a, b]) for (const [key, value] of Object.entries(source)) put(map, key, value as Json)
  return map as { [key: string]: Folded }
}

function isList(value: Folded): value is readonly Folded[] {
  return Array.isArray(value)
}

function isMap(value: Folded): value is { readonly [key: string]: Folded } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unfolded)
}

const punctuation = new Set(['(', ')', '[', ']', '{', '}', ',', ':', '⚠'])

function isPunctuation(node: PythonNode): boolean {
  return punctuation.has(node.name)
}

/** The children of a bracketed node that are expressions. */
function values(node: PythonNode): PythonNode[] {
  return node.children.filter((child) => !isPunctuation(child))
}
