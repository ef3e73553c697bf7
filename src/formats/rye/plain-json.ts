// Parsed data to plain JSON: no shared or circular parts, no exotic objects, bounded in size and depth. A
// document that is small on disk and huge in memory (aliases of aliases) is refused here.
import { Budget } from '../../tool/budget.ts'
import type { Json } from '../../tool/json.ts'

const limits = { steps: 200_000, depth: 200 }

/** Sets a key as an own property, `__proto__` too. */
export function put(target: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
  else target[key] = value
}

/** A copy as plain JSON; throws RangeError when it is too deep or too large. `special` turns other objects. */
export function plainJson(value: unknown, special?: (object: object) => Json | undefined): Json {
  const budget = new Budget(limits)
  function copy(item: unknown, depth: number): Json {
    if (!budget.allows('steps'))
      throw new RangeError(`more than ${limits.steps} values once aliases are expanded`)
    budget.spend('depth', depth)
    if (item === null || item === undefined) return null
    if (typeof item === 'string' || typeof item === 'boolean') return item
    if (typeof item === 'number') return Number.isFinite(item) ? item : null
    if (typeof item === 'bigint') return Number(item)
    if (typeof item !== 'object') return null
    const turned = special?.(item)
    if (turned !== undefined) return turned
    if (Array.isArray(item)) return item.map((element) => copy(element, depth + 1))
    const kept: { [key: string]: Json } = {}
    if (item instanceof Map) {
      for (const [key, element] of item) put(kept, String(key), copy(element, depth + 1))
      return kept
    }
    for (const key of Object.keys(item))
      put(kept, key, copy((item as Record<string, unknown>)[key], depth + 1))
    return kept
  }
  return copy(value, 0)
}
