// What an expression of a Python script comes to where its plain value is not enough: a text for people, the values
// that may be chosen from, the members of an enum.
import type { Json } from '../../../tool/json.ts'
import type { PythonNode } from '../python-node.ts'
import { pythonString } from '../python-string.ts'
import type { PythonSource } from './python-source.ts'

/** How many names lead from one to the next. */
const maxSteps = 8

/** A text for people: what only running the file tells stands as `…` in it. */
export function sentenceOf(source: PythonSource, node: PythonNode | undefined): string | undefined {
  const value = source.textOf(node)
  if (value !== undefined || !node) return value
  const told = (part: PythonNode): string => sentenceOf(source, part) ?? '…'
  if (source.nameOf(node).startsWith('__doc__')) return source.docstring
  if (node.name === 'FormatString') return filled(source, node)
  if (node.name === 'ContinuedString') return node.children.map(told).join('')
  if (node.name === 'ParenthesizedExpression') return sentenceOf(source, node.children[1])
  if (node.name === 'BinaryExpression') {
    const [left, sign, right] = node.children
    return source.sourceOf(sign!) === '+' ? told(left!) + told(right!) : sentenceOf(source, left)
  }
  const call = source.callOf(node)
  if (call && /(^|\.)(dedent|cleandoc)$/.test(call.name)) return sentenceOf(source, call.args[0])
  return call?.name.endsWith('.format') ? sentenceOf(source, node.children[0]!.children[0]) : undefined
}

function filled(source: PythonSource, node: PythonNode): string | undefined {
  let text = source.sourceOf(node)
  for (const part of node.children.filter(({ name }) => name === 'FormatReplacement').toReversed()) {
    const value = source.valueOf(part.children[1])
    const told = typeof value === 'string' || typeof value === 'number' ? String(value) : '…'
    text =
      text.slice(0, part.from - node.from) +
      told.replace(/[\\{}"'\n]/g, '…') +
      text.slice(part.to - node.from)
  }
  return pythonString(text)
}

/** What may be chosen from: a list, the keys of a map, the values of an enum, sorted or not. */
export function itemsOf(
  source: PythonSource,
  node: PythonNode | undefined,
  steps = 0,
): readonly Json[] | undefined {
  if (!node || steps > maxSteps) return undefined
  const next = (part: PythonNode | undefined) => itemsOf(source, part, steps + 1)
  const call = source.callOf(node)
  if (call && /^(list|tuple|set|frozenset|sorted)$/.test(call.name)) {
    const items = next(call.args[0])
    return call.name === 'sorted' ? items?.toSorted(byText) : items
  }
  if (call?.name === 'range') return range(call.args.map((arg) => source.valueOf(arg)))
  if (call?.name.endsWith('.keys')) return next(node.children[0]!.children[0])
  if (call?.name.endsWith('.split') && call.args.length === 0)
    return source.textOf(node.children[0]!.children[0])?.trim().split(/\s+/)
  if (/ComprehensionExpression$/.test(node.name)) return ofComprehension(source, node, next)
  if (node.name === 'VariableName' || node.name === 'MemberExpression') {
    const members = enumMembers(source, source.sourceOf(node))
    if (members.length > 0) return members.map(([, value]) => value)
  }
  const keys = source.keysOf(node)
  const value = keys ?? source.valueOf(node)
  if (Array.isArray(value)) return value.length > 0 ? (value as readonly Json[]) : undefined
  const bound = source.boundTo(source.sourceOf(node))
  return bound && bound !== node ? next(bound) : undefined
}

/** `[each.value for each in Format]`, `[each for each in NAMES]`. */
function ofComprehension(
  source: PythonSource,
  node: PythonNode,
  next: (part: PythonNode) => readonly Json[] | undefined,
): readonly Json[] | undefined {
  const [, taken, , each, , from, ...rest] = node.children
  if (!taken || !each || !from || rest.length !== 1) return undefined
  const [, of, part] = /^(\w+)(?:\.(value|name))?$/.exec(source.sourceOf(taken)) ?? []
  if (of === undefined || of !== source.sourceOf(each)) return undefined
  if (part !== 'name') return next(from)
  const members = enumMembers(source, source.sourceOf(from))
  return members.length > 0 ? members.map(([name]) => name) : undefined
}

function range(bounds: readonly (Json | undefined)[]): readonly Json[] | undefined {
  const [from, to] = bounds.length === 1 ? [0, bounds[0]] : bounds
  if (typeof from !== 'number' || typeof to !== 'number' || bounds.length > 2) return undefined
  return to - from > 100 || to <= from ? undefined : Array.from({ length: to - from }, (_, i) => from + i)
}

function byText(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a) < String(b) ? -1 : 1
}

/** The members of `class Format(str, Enum)`, with their values. */
export function enumMembers(source: PythonSource, name: string): [string, Json][] {
  const found = /^\w+$/.test(name) ? source.classNamed(name) : undefined
  const head = found && source.headOf(found)
  if (!head || !/Enum\b/.test(head)) return []
  return found.children.at(-1)!.children.flatMap((part): [string, Json][] => {
    const [target, , value] = part.children
    const isMember = part.name === 'AssignStatement' && target?.name === 'VariableName'
    const isAuto = isMember && value && /\bStrEnum\b/.test(head) && /\bauto\(/.test(source.sourceOf(value))
    const member = isMember ? source.sourceOf(target) : ''
    const folded = isAuto ? member.toLowerCase() : isMember ? source.valueOf(value) : undefined
    return folded === undefined ? [] : [[member, folded]]
  })
}
