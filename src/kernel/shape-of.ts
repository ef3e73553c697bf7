// What a value looks like without what it says: names and types, no texts and no numbers.
import type { Json } from '../tool/json.ts'

const maxMembers = 100

/** `{ name: 'Ada', tags: ['x'] }` → `{ name: 'string(3)', tags: ['string(1)'] }` */
export function shapeOf(value: unknown, depth = 0): Json {
  if (value === null) return null
  if (typeof value === 'string') return `string(${value.length})`
  if (typeof value !== 'object') return typeof value
  if (depth >= 4) return Array.isArray(value) ? `array(${value.length})` : 'object'
  if (Array.isArray(value)) {
    const shown: Json[] = value.slice(0, 3).map((item) => shapeOf(item, depth + 1))
    return value.length > 3 ? [...shown, `and ${value.length - 3} more`] : shown
  }
  const shape: Record<string, Json> = {}
  const keys = Object.keys(value)
  for (let index = 0; index < keys.length && index < maxMembers; index++) {
    const key = keys[index]!
    const inner = shapeOf((value as Record<string, unknown>)[key], depth + 1)
    // Assigned, this one name would set the prototype instead.
    if (key === '__proto__') Object.defineProperty(shape, key, { value: inner, enumerable: true })
    else shape[key] = inner
  }
  return shape
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
