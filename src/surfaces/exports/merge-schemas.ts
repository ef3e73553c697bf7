// `allOf` as one schema, where that can be said: what both sides state is joined, and what cannot be joined is
// given up on, so that the caller reports it.
import { isPlainObject } from '../../tool/json.ts'

type Schema = Record<string, unknown>

const lower = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])
const upper = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])
const notes = new Set(['title', 'description', 'default', 'examples', '$comment', 'deprecated'])

/** One schema that says what both say; undefined when that takes more than joining keywords. */
export function mergeSchemas(a: Schema, b: Schema): Schema | undefined {
  const merged: Schema = { ...a }
  for (const [keyword, value] of Object.entries(b)) {
    const own = merged[keyword]
    if (own === undefined || notes.has(keyword) || JSON.stringify(own) === JSON.stringify(value)) {
      merged[keyword] = own ?? value
      continue
    }
    const joined = join(keyword, own, value)
    if (joined === undefined) return undefined
    merged[keyword] = joined
  }
  return closesOut(a, b) || closesOut(b, a) ? undefined : merged
}

function join(keyword: string, a: unknown, b: unknown): unknown {
  if (keyword === 'required' && Array.isArray(a) && Array.isArray(b)) return [...new Set([...a, ...b])]
  if (keyword === 'properties' && isPlainObject(a) && isPlainObject(b)) return joinProperties(a, b)
  if (typeof a === 'number' && typeof b === 'number') {
    if (lower.has(keyword)) return Math.max(a, b)
    if (upper.has(keyword)) return Math.min(a, b)
  }
  if (keyword === 'type') return joinTypes(a, b)
  if (keyword === 'enum' && Array.isArray(a) && Array.isArray(b)) {
    const both = a.filter((item) => b.some((other) => JSON.stringify(other) === JSON.stringify(item)))
    return both.length > 0 ? both : undefined
  }
  return undefined
}

function joinTypes(a: unknown, b: unknown): unknown {
  const others = new Set([b].flat())
  const both = [a].flat().filter((type) => others.has(type))
  if (both.length === 0) return undefined
  return both.length === 1 ? both[0] : both
}

function joinProperties(a: Schema, b: Schema): Schema | undefined {
  const all: Schema = { ...a }
  for (const [name, value] of Object.entries(b)) {
    const own = all[name]
    const both =
      own === undefined
        ? value
        : isPlainObject(own) && isPlainObject(value)
          ? mergeSchemas(own, value)
          : undefined
    if (both === undefined) return undefined
    all[name] = both
  }
  return all
}

/** A side that forbids other properties forbids those of the other side, which joining would allow. */
function closesOut(closed: Schema, other: Schema): boolean {
  if (closed['additionalProperties'] === undefined || closed['additionalProperties'] === true) return false
  const names = isPlainObject(closed['properties']) ? closed['properties'] : {}
  return Object.keys(isPlainObject(other['properties']) ? other['properties'] : {}).some(
    (name) => !Object.hasOwn(names, name),
  )
}
