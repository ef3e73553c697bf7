// How much a validator may be asked before somebody must look at the clock. A schema is written by others: recursion
// that doubles at each level, patterns that backtrack or a comparison of all items with all others take hours on a
// value of a few lines.
import { Budget } from '../budget.ts'
import { isPlainObject, maxLevels } from '../json.ts'
import { isSurelyFast } from '../pattern.ts'
import { resolvePointer } from '../pointer.ts'
import type { JsonSchema } from '../tool.ts'

/** Parts of the schema times parts of the value that are checked without a clock. */
const maxSteps = 1_000_000
/** Items that are compared with each other without one. */
const maxCompared = 1_000
/** Members of a schema that cost nothing as such. */
const notChecked = new Set(['$defs', 'definitions', 'default', 'examples'])
/** Members whose own members are schemas by name, so that none of those is a keyword. */
const schemaMaps = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const scalars = new Set(['string', 'number', 'integer', 'boolean', 'null'])

/** Parts a value may have to be checked without a clock; 0 when no value is small enough, Infinity when nothing is checked. */
export function sizeWithoutClock(schema: JsonSchema): number {
  const weights = new Map<object, number>()
  let isCompared = false

  function weigh(node: unknown): number {
    if (typeof node !== 'object' || node === null) return 0
    const known = weights.get(node)
    if (known !== undefined) return known
    // Until it is weighed, whoever comes back to it has gone in a circle.
    weights.set(node, Infinity)
    const weight = isPlainObject(node)
      ? weighMembers(node)
      : (node as readonly unknown[]).reduce<number>((sum, item) => sum + 1 + weigh(item), 1)
    weights.set(node, weight)
    return weight
  }

  function weighMembers(node: Record<string, unknown>): number {
    let weight = 1
    for (const [key, value] of Object.entries(node)) {
      if (leadsElsewhere(key, node) || isSlow(key, value)) return Infinity
      if (key === '$ref') weight += weigh(targetOf(value) ?? schema)
      else if (schemaMaps.has(key)) weight += weigh(Object.values(value ?? {}))
      else if (!notChecked.has(key)) weight += 1 + weigh(value)
    }
    if (node['uniqueItems'] === true && !hasScalarItems(node['items'])) isCompared = true
    return weight
  }

  /** References that are not read by their place in the whole. */
  function leadsElsewhere(key: string, node: object): boolean {
    return key === '$dynamicRef' || key === '$recursiveRef' || (key === '$id' && node !== schema)
  }

  /** Undefined also for what is found by another name than its place. */
  function targetOf(ref: unknown): unknown {
    if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref)) return undefined
    try {
      return resolvePointer(schema, decodeURIComponent(ref.slice(1)))
    } catch {
      return undefined
    }
  }

  const weight = weigh(schema)
  const size = weight === 1 ? Infinity : Math.floor(maxSteps / weight)
  return isCompared ? Math.min(size, maxCompared) : size
}

function isSlow(key: string, value: unknown): boolean {
  // The one format whose expression backtracks.
  if (key === 'format') return value === 'url'
  if (key === 'pattern') return typeof value === 'string' && !isSurelyFast(value)
  return key === 'patternProperties' && isPlainObject(value) && !Object.keys(value).every(isSurelyFast)
}

/** Scalars are told apart by a table; anything else is compared one by one. */
function hasScalarItems(items: unknown): boolean {
  if (!isPlainObject(items) || items['type'] === undefined) return false
  return [items['type']].flat().every((type) => scalars.has(type as string))
}

/** True when a value has more parts than that, or is nested very deeply; long texts count as many. */
export function isLarger(value: unknown, size: number): boolean {
  if (size === Infinity) return false
  const budget = new Budget({ steps: size })
  const visit = (part: object, depth: number): boolean => {
    const items: readonly unknown[] = Array.isArray(part) ? part : Object.values(part)
    let cost = items.length
    for (const item of items) if (typeof item === 'string') cost += item.length / 64
    if (cost > 0 && (depth > maxLevels || !budget.allows('steps', cost))) return true
    for (const item of items)
      if (typeof item === 'object' && item !== null && visit(item, depth + 1)) return true
    return false
  }
  const isScalar = typeof value !== 'object' || value === null
  return size < 1 || visit(isScalar ? [value] : value, isScalar ? 0 : 1)
}
