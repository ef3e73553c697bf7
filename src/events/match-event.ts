// Does an event fire a subscription? Schema, tag and all context rules must hold.
import type { ContextMatch, Subscription } from '../formats/tool-code/shapes.ts'
import type { CrumbEvent } from '../store/crumb.ts'
import { byCodeUnits, canonicalJson } from '../tool/json.ts'
import { queryJsonPath } from '../tool/json-path.ts'

export function matchesSubscription(subscription: Subscription, event: CrumbEvent, tool: string): boolean {
  if (event.type === 'breadcrumb.deleted' || event.schema_name !== subscription.schema_name) return false
  if (subscription.tag !== undefined && !event.tags.includes(subscription.tag)) return false
  if (event.causation.by_tool === tool && subscription.allowSelf !== true) return false
  return (subscription.context_match ?? []).every((rule) => holds(rule, event.context))
}

/** On a missing path only `ne` and `exists: false` hold. */
export function holds(rule: ContextMatch, context: unknown): boolean {
  const found = queryJsonPath(context, rule.path)
  const isThere = found.length > 0
  const actual = found[0]
  const { op, value } = rule
  if (op === 'exists') return isThere === (value !== false)
  if (!isThere) return op === 'ne'
  switch (op) {
    case 'eq':
      return canonicalJson(actual) === canonicalJson(value)
    case 'ne':
      return canonicalJson(actual) !== canonicalJson(value)
    case 'gt':
      return order(actual, value) > 0
    case 'gte':
      return order(actual, value) >= 0
    case 'lt':
      return order(actual, value) < 0
    case 'lte':
      return order(actual, value) <= 0
    case 'contains':
      return contains(actual, value)
    case 'contains_any':
      return Array.isArray(value) && value.some((item) => contains(actual, item))
    default:
      return false
  }
}

/** Two numbers or two texts; NaN, which no comparison accepts, for anything else. */
function order(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return byCodeUnits(a, b)
  return Number.NaN
}

function contains(actual: unknown, value: unknown): boolean {
  if (typeof actual === 'string') return typeof value === 'string' && actual.includes(value)
  if (!Array.isArray(actual)) return false
  const wanted = canonicalJson(value)
  return actual.some((item) => canonicalJson(item) === wanted)
}
