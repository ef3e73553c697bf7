// Paths into data, as skills write them: `a.b`, `a[0].b`, `a.0.b`, or JSONPath when one starts with `$` or has
// a filter. Own properties only; `__proto__`, `prototype` and `constructor` are never followed.

import { isPlainObject } from './json.ts'
import { queryJsonPath } from './json-path.ts'

const forbidden = new Set(['__proto__', 'prototype', 'constructor'])
const parsed = new Map<string, readonly string[] | null>()
const maxParsed = 2_000

/** One step into a value; undefined for what is not its own, is forbidden, or is a function. */
export function ownStep(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || forbidden.has(key) || !Object.hasOwn(value, key))
    return undefined
  const found = (value as Record<string, unknown>)[key]
  return typeof found === 'function' ? undefined : found
}

/**
 * The first value a path leads to, or undefined.
 * @example
 * pathGet({ a: [{ b: 1 }] }, 'a[0].b') // 1
 */
export function pathGet(value: unknown, path: string): unknown {
  if (isJsonPath(path)) return queryJsonPath(value, path)[0]
  const keys = pathKeys(path)
  if (!keys) return undefined
  let found = value
  for (const key of keys) {
    found = ownStep(found, key)
    if (found === undefined) return undefined
  }
  return found
}

/**
 * Every value a path leads to.
 * @example
 * pathQuery({ a: [{ b: 1 }, { b: 2 }] }, '$.a[*].b') // [1, 2]
 */
export function pathQuery(value: unknown, path: string): unknown[] {
  if (isJsonPath(path)) return queryJsonPath(value, path)
  const found = pathGet(value, path)
  return found === undefined ? [] : [found]
}

/**
 * Writes a value, making the maps that are missing on the way. Refuses JSONPath and forbidden keys.
 * @example
 * pathSet({}, 'a.b', 1) // { a: { b: 1 } }
 */
export function pathSet<T extends object>(target: T, path: string, value: unknown): T {
  const keys = isJsonPath(path) ? null : pathKeys(path)
  if (!keys) throw new TypeError(`"${path}" is not a path that can be written to.`)
  const bad = keys.find((key) => forbidden.has(key))
  if (bad !== undefined) throw new TypeError(`"${path}" goes through ${bad}, which is not allowed.`)
  let place: Record<string, unknown> = target as Record<string, unknown>
  for (const key of keys.slice(0, -1)) {
    const next = Object.hasOwn(place, key) ? place[key] : undefined
    if (next === undefined || next === null) place = place[key] = {}
    else if (isPlainObject(next) || Array.isArray(next)) place = next as Record<string, unknown>
    else throw new TypeError(`"${path}" cannot be written: "${key}" holds ${typeof next}.`)
  }
  place[keys.at(-1)!] = value
  return target
}

export function isJsonPath(path: string): boolean {
  return path.startsWith('$') || path.includes('?(')
}

/** The keys of a plain path; null when it is not one. */
export function pathKeys(path: string): readonly string[] | null {
  const known = parsed.get(path)
  if (known !== undefined) return known
  const keys = split(path)
  if (parsed.size >= maxParsed) parsed.clear()
  parsed.set(path, keys)
  return keys
}

const step = /(?:^|\.)([^.[\]]+)|\[(?:(\d+)|'([^']*)'|"([^"]*)")\]/y

function split(path: string): string[] | null {
  const text = path.trim()
  const keys: string[] = []
  step.lastIndex = 0
  while (step.lastIndex < text.length) {
    const match = step.exec(text)
    if (!match) return null
    keys.push(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')
  }
  return keys.length > 0 ? keys : null
}
