// JSON values, their canonical text (RFC 8785) and digests. Everything that is compared, cached or
// signed by content goes through `canonicalJson`, so equal data always has one spelling.
import { hash } from 'node:crypto'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** Plain data whose type is an interface, as JSON: TypeScript gives an interface no index signature. */
export function asJson(data: object): JsonObject {
  return data as JsonObject
}

/** True for `{…}` literals and parsed JSON objects; false for arrays, null and class instances. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const proto = Object.getPrototypeOf(value)
  return proto === null || proto === Object.prototype || Object.getPrototypeOf(proto) === null
}

/** What a JSON file holds; the byte order mark that some editors begin one with is no part of it. */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
}

/** RFC 8785 text of a JSON value: keys by UTF-16 code units, no white space, undefined members left out. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const source = value as Record<string, unknown>
  const members: string[] = []
  for (const key of Object.keys(source).sort()) {
    if (source[key] !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(source[key])}`)
  }
  return `{${members.join(',')}}`
}

/** True for equal data, whatever the key order; members that are undefined count as absent. Parts that are the same object cost nothing. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => equalJson(item, b[index]))
    )
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  for (const key of Object.keys(left)) if (!equalJson(left[key], right[key])) return false
  for (const key of Object.keys(right)) if (right[key] !== undefined && left[key] === undefined) return false
  return true
}

/** Levels of lists and objects that a document from outside may have. */
export const maxLevels = 200

/** Deeper than is read here: digests, schemas and comparisons go down by calling themselves. */
export function isTooDeep(value: unknown, levels = maxLevels): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels < 0) return true
  for (const item of Array.isArray(value) ? value : Object.values(value))
    if (isTooDeep(item, levels - 1)) return true
  return false
}

/** Values that a document from outside may have. */
export const maxValues = 250_000

/** True of JSON text with more members and items than that, before it is read. */
export function hasTooManyValues(json: string, most = maxValues): boolean {
  if (json.length <= most * 2) return false
  let count = 0
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i)
    if (char === 0x22) {
      for (i++; i < json.length && json.charCodeAt(i) !== 0x22; i++) if (json.charCodeAt(i) === 0x5c) i++
    } else if ((char === 0x2c || char === 0x7b || char === 0x5b) && ++count > most) return true
  }
  return false
}

/** The same of JSON text, before it is read; text that is too short for so many levels costs nothing. */
export function isNestedDeeper(json: string, levels: number): boolean {
  if (json.length <= levels * 2) return false
  let depth = 0
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i)
    if (char === 0x22) {
      for (i++; i < json.length && json.charCodeAt(i) !== 0x22; i++) if (json.charCodeAt(i) === 0x5c) i++
    } else if (char === 0x5b || char === 0x7b) {
      if (++depth > levels) return true
    } else if (char === 0x5d || char === 0x7d) depth--
  }
  return false
}

/** Lower-case hex SHA-256 of text or bytes. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data)
}

/** Digest of a JSON value's canonical text: equal data gives equal digests, whatever the key order. */
export function jsonDigest(value: unknown): string {
  return sha256(canonicalJson(value))
}

/** Orders strings by UTF-16 code units, as every list of this program is ordered. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
