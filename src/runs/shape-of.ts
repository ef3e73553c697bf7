// What a value looks like without what it says: names and types, no texts and no numbers.
import type { Json } from '../tool/json.ts'

const maxMembers = 100

/** `{ name: 'Ada', tags: ['x'] }` → `{ name: 'string(3)', tags: ['string(1)'] }` */
export function shapeOf(value: unknown): Json {
  return JSON.parse(shapeText(value))
}

/** The shape of a value as JSON text, for those who only store it. */
export function shapeText(value: unknown, depth = 0): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return `"string(${value.length})"`
  if (typeof value !== 'object') return `"${typeof value}"`
  if (depth >= 4) return Array.isArray(value) ? `"array(${value.length})"` : '"object"'
  return Array.isArray(value) ? listText(value, depth) : membersText(value, depth)
}

function listText(value: readonly unknown[], depth: number): string {
  let text = ''
  for (let index = 0; index < value.length && index < 3; index++)
    text += `${index === 0 ? '' : ','}${shapeText(value[index], depth + 1)}`
  return value.length > 3 ? `[${text},"and ${value.length - 3} more"]` : `[${text}]`
}

function membersText(value: object, depth: number): string {
  const keys = Object.keys(value)
  let text = ''
  for (let index = 0; index < keys.length && index < maxMembers; index++) {
    const key = keys[index]!
    const inner = shapeText((value as { readonly [key: string]: unknown })[key], depth + 1)
    text += `${index === 0 ? '' : ','}${keyText(key)}:${inner}`
  }
  return `{${text}}`
}

/** Most names are words; only others need escaping. */
function keyText(key: string): string {
  return /^\w+$/.test(key) ? `"${key}"` : JSON.stringify(key)
}

const shapeWord =
  /^(string\(\d+\)|array\(\d+\)|and \d+ more|object|number|boolean|undefined|bigint|function|symbol)$/

/** True when a recorded value says only what it looked like: a call cannot be made from it. */
export function isShape(value: Json): boolean {
  if (value === null) return false
  if (typeof value === 'string') return shapeWord.test(value)
  if (typeof value !== 'object') return false
  const leaves = leavesOf(value)
  return leaves.length > 0 && leaves.every((leaf) => leaf === null || isShape(leaf)) && leaves.some(isShape)
}

function leavesOf(value: Json): Json[] {
  if (value === null || typeof value !== 'object') return [value]
  return Object.values(value).flatMap(leavesOf)
}
