// What a value looks like without what it says: enough to see how a tool was called, not what was in it.
import type { Json } from '../../tool/json.ts'

const maxDepth = 4
const maxKeys = 50

/** `{ name: 'Ada', ids: [1, 2] }` → `{ name: 'text(3)', ids: ['number', '×2'] }` */
export function shapeOf(value: unknown, depth = 0): Json {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return `text(${value.length})`
  if (Array.isArray(value)) {
    if (value.length === 0) return []
    return depth >= maxDepth ? `list(${value.length})` : [shapeOf(value[0], depth + 1), `×${value.length}`]
  }
  if (typeof value !== 'object') return typeof value
  const keys = Object.keys(value)
  if (depth >= maxDepth) return `object(${keys.length})`
  const shape: Record<string, Json> = {}
  for (const key of keys.slice(0, maxKeys)) {
    Object.defineProperty(shape, key, {
      value: shapeOf((value as Record<string, unknown>)[key], depth + 1),
      enumerable: true,
    })
  }
  if (keys.length > maxKeys) shape['…'] = `${keys.length - maxKeys} more`
  return shape
}
