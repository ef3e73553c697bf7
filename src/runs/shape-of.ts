// What a value looks like without what it says: names and types, no texts and no numbers.
import type { Json } from '../tool/json.ts'

const maxMembers = 100

/** `{ name: 'Ada', tags: ['x'] }` → `{ name: 'string(3)', tags: ['string(1)'] }` */
export function shapeOf(value: unknown, depth = 0): Json {
  if (value === null) return null
  if (typeof value === 'string') return `string(${value.length})`
  if (typeof value !== 'object') return typeof value
  const isList = Array.isArray(value)
  if (depth >= 4) return isList ? `array(${value.length})` : 'object'
  if (isList) {
    const shapes = value.slice(0, 3).map((item) => shapeOf(item, depth + 1))
    return value.length > 3 ? [...shapes, `and ${value.length - 3} more`] : shapes
  }
  const shape: [string, Json][] = []
  for (const key of Object.keys(value).slice(0, maxMembers)) {
    const member = (value as { readonly [key: string]: unknown })[key]
    // Most members are texts, and every call has its shapes taken.
    shape.push([key, typeof member === 'string' ? `string(${member.length})` : shapeOf(member, depth + 1)])
  }
  return Object.fromEntries(shape)
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
