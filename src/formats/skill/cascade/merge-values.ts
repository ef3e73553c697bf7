// How a nearer level's value meets a farther one's.
import { isPlainObject, type Json } from '../../../tool/json.ts'

export const strategies = ['replace', 'shallow', 'deep', 'append', 'prepend'] as const
export type Strategy = (typeof strategies)[number]

export function isStrategy(value: unknown): value is Strategy {
  return (strategies as readonly unknown[]).includes(value)
}

/** Merges `near` over `far`; neither is changed. */
export function mergeValues(far: Json, near: Json, strategy: Strategy): Json {
  switch (strategy) {
    case 'replace':
      return near
    case 'shallow':
      return isPlainObject(far) && isPlainObject(near) ? ({ ...far, ...near } as Json) : near
    case 'deep':
      return deep(far, near)
    case 'append':
      return [...asList(far), ...asList(near)]
    case 'prepend':
      return [...asList(near), ...asList(far)]
  }
}

function deep(far: Json, near: Json): Json {
  if (!isPlainObject(far) || !isPlainObject(near)) return near
  const merged: Record<string, Json> = { ...(far as Record<string, Json>) }
  for (const [key, value] of Object.entries(near as Record<string, Json>)) {
    const item = Object.hasOwn(merged, key) ? deep(merged[key]!, value) : value
    Object.defineProperty(merged, key, { value: item, enumerable: true, writable: true, configurable: true })
  }
  return merged
}

function asList(value: Json): readonly Json[] {
  if (value === null) return []
  return Array.isArray(value) ? value : [value]
}
