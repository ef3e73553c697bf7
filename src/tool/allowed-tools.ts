// The allowed-tools grammar: `name(key=value,$deny) #tag format:id`. A list is parsed once; it answers whether
// a call is allowed and, before any call, whether a tool could be allowed at all.
import { posix } from 'node:path'
import { lazyModule } from './lazy-module.ts'
import { pathGet } from './path.ts'
import type { Tool } from './tool.ts'

const picomatch = lazyModule<typeof import('picomatch')>('picomatch')

/** What a pattern is matched on. */
export type Named = Pick<Tool, 'id' | 'format' | 'tags'> & Partial<Pick<Tool, 'details'>>

interface Condition {
  readonly key: string
  matches(text: string): boolean
}

interface Entry {
  readonly isDeny: boolean
  /** Holds an item nobody can check, such as `git:*`. */
  readonly hasOpaque: boolean
  readonly conditions: readonly Condition[]
  covers(tool: Named): boolean
}

export interface AllowedTools {
  readonly text: string
  /** Where brackets or quotes do not close, or null. */
  readonly fault: string | null
  /** Whether a call with these arguments is allowed. */
  allows(tool: Named, args: unknown): boolean
  /** Whether some call of the tool could be allowed: what lists show. */
  couldAllow(tool: Named): boolean
}

const known = new Map<string, AllowedTools>()

/** Parses a list; the same text gives the same object. */
export function parseAllowedTools(text: string): AllowedTools {
  let list = known.get(text)
  if (!list) {
    list = makeList(text)
    if (known.size >= 1_000) known.clear()
    known.set(text, list)
  }
  return list
}

function makeList(text: string): AllowedTools {
  // Some clients write commas between entries (D11a).
  const parts = splitOutside(text.replaceAll('\n', ' '), ',')?.flatMap(
    (part) => splitOutside(part, ' ') ?? [],
  )
  if (!parts) {
    const never = () => false
    return { text, fault: `brackets or quotes do not close in "${text}"`, allows: never, couldAllow: never }
  }
  const entries = parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseEntry)
  const denies = entries.filter((entry) => entry.isDeny)
  const allows = entries.filter((entry) => !entry.isDeny)
  const isDenyOnly = allows.length === 0 && denies.length > 0
  return {
    text,
    fault: null,
    allows: (tool, args) =>
      (isDenyOnly || allows.some((entry) => entryAllows(entry, tool, args))) &&
      !denies.some((entry) => entryDenies(entry, tool, args)),
    couldAllow: (tool) =>
      (isDenyOnly || allows.some((entry) => !entry.hasOpaque && entry.covers(tool))) &&
      !denies.some((entry) => entry.conditions.length === 0 && entry.covers(tool)),
  }
}

function entryAllows(entry: Entry, tool: Named, args: unknown): boolean {
  return (
    !entry.hasOpaque &&
    entry.covers(tool) &&
    entry.conditions.every((condition) => {
      const texts = textsOf(pathGet(args, condition.key))
      return texts?.every((text) => !climbs(text) && condition.matches(text)) ?? false
    })
  )
}

/** Text with a `..` path segment could lead anywhere, whatever a glob says of it. */
function climbs(text: string): boolean {
  return /(^|[\\/])\.\.([\\/]|$)/.test(text)
}

function entryDenies(entry: Entry, tool: Named, args: unknown): boolean {
  return (
    entry.covers(tool) &&
    entry.conditions.every((condition) => {
      const texts = textsOf(pathGet(args, condition.key))
      return (
        texts?.some((text) => condition.matches(text) || condition.matches(posix.normalize(text))) ?? false
      )
    })
  )
}

/** An argument as text: one or, for an array, one per element; null when there is none or it is an object. */
function textsOf(value: unknown): string[] | null {
  if (Array.isArray(value)) {
    const texts = value.map(textOf)
    return texts.length > 0 && texts.every((text) => text !== null) ? (texts as string[]) : null
  }
  const text = textOf(value)
  return text === null ? null : [text]
}

function textOf(value: unknown): string | null {
  if (value === undefined || (typeof value === 'object' && value !== null)) return null
  return String(value)
}

function parseEntry(text: string): Entry {
  const open = text.indexOf('(')
  const pattern = open === -1 ? text : text.slice(0, open)
  const inner = open === -1 || !text.endsWith(')') ? null : splitOutside(text.slice(open + 1, -1), ',')
  const items = (inner ?? []).map((item) => item.trim()).filter((item) => item !== '')
  const conditions: Condition[] = []
  let isDeny = false
  let hasOpaque = open !== -1 && inner === null
  for (const item of items) {
    const equals = item.indexOf('=')
    if (item === '$deny') isDeny = true
    else if (item.startsWith('$')) continue
    else if (equals > 0) conditions.push(condition(item.slice(0, equals), item.slice(equals + 1)))
    else hasOpaque = true
  }
  return { isDeny, hasOpaque, conditions, covers: coverage(pattern) }
}

function condition(key: string, value: string): Condition {
  const glob = unquote(value.trim())
  return { key: key.trim(), matches: globMatcher(glob) }
}

function coverage(pattern: string): (tool: Named) => boolean {
  if (pattern === '*') return () => true
  if (pattern.startsWith('#')) {
    const matches = globMatcher(pattern.slice(1).toLowerCase())
    return (tool) => tool.tags.some((tag) => matches(tag.toLowerCase()))
  }
  const wholeFormat = /^([a-z-]+):\*$/.exec(pattern)
  if (wholeFormat) return (tool) => tool.format === wholeFormat[1]
  const matches = globMatcher(unquote(pattern))
  const covers = (format: string, id: string) => matches(id) || matches(`${format}:${id}`)
  return ({ id, format, details }) =>
    covers(format, id) || (details?.formerId !== undefined && covers(format, details.formerId))
}

function unquote(text: string): string {
  return /^(".*"|'.*')$/s.test(text) ? text.slice(1, -1) : text
}

/** A glob on text. Too long or too nested a pattern matches nothing rather than costing time. */
function globMatcher(glob: string): (text: string) => boolean {
  if (!/[*?[\]{}()!+@\\]/.test(glob)) return (text) => text === glob
  try {
    const matches = picomatch()(glob, { dot: true, maxLength: 2_000, noextglob: true })
    return (text) => text.length <= 65_536 && matches(text)
  } catch {
    return () => false
  }
}

const closing: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

/** Splits at a separator outside brackets and quotes; null when they do not balance. */
export function splitOutside(text: string, separator: ' ' | ','): string[] | null {
  const parts: string[] = []
  const open: string[] = []
  let quote = ''
  let part = ''
  for (const char of text) {
    if (quote) {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (closing[char]) open.push(closing[char])
    else if (char === ')' || char === ']' || char === '}') {
      if (open.pop() !== char) return null
    } else if (open.length === 0 && (separator === ' ' ? /\s/.test(char) : char === separator)) {
      parts.push(part)
      part = ''
      continue
    }
    part += char
  }
  parts.push(part)
  return quote || open.length > 0 ? null : parts
}
