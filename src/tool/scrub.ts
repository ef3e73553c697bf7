// Takes secret values out of anything a run gives back: logs, errors, results, records.
const minLength = 6

export interface Scrubber {
  text(text: string): string
  /** A copy of JSON-like data without secret values, keys included; the same object when there was none. */
  value<T>(value: T): T
  /** Length of the longest text it looks for; 0 when there is none. */
  readonly longest: number
}

/** For a run without secrets. */
export const nothingToScrub: Scrubber = { text: (text) => text, value: (value) => value, longest: 0 }

/** A scrubber for the secrets of one run; values under six characters would hit innocent text and are left. */
export function makeScrubber(secrets: { readonly [name: string]: string }): Scrubber {
  const spellings = new Map<string, string>()
  for (const [name, value] of Object.entries(secrets)) {
    if (value.length < minLength) continue
    for (const spelling of spellingsOf(value))
      if (!spellings.has(spelling)) spellings.set(spelling, `[secret:${name}]`)
  }
  if (spellings.size === 0) return nothingToScrub
  const longestFirst = [...spellings].sort(([a], [b]) => b.length - a.length)
  const text = (given: string): string => {
    let clean = given
    for (const [value, mark] of longestFirst) if (clean.includes(value)) clean = clean.replaceAll(value, mark)
    return clean
  }
  return {
    text,
    value: (value) => scrubValue(value, text, new Map()) as typeof value,
    longest: longestFirst[0]![0].length,
  }
}

/**
 * The value as it is, inside JSON text, as JavaScript shows it within an object, and inside a URL. Each of its lines
 * counts by itself: logs go line by line, and a key of many lines is shown as a sum of them.
 */
export function spellingsOf(value: string): readonly string[] {
  const lines = value.includes('\n') ? value.split('\n').map((line) => line.trim()) : []
  const parts = [value, ...lines.filter((line) => line.length >= minLength)]
  const spellings = parts.flatMap((part) => {
    const json = JSON.stringify(part).slice(1, -1)
    const shown = json.replaceAll('\\"', '"')
    return [part, json, shown, shown.replaceAll("'", "\\'")]
  })
  return [...new Set([...spellings, encodeURIComponent(Buffer.from(value).toString())])]
}

/** `seen` ends circles; an instance of a class counts with the members JSON would write. */
function scrubValue(value: unknown, text: (given: string) => string, seen: Map<object, unknown>): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (seen.has(value)) return seen.get(value)
  seen.set(value, value)
  const clean = Array.isArray(value) ? scrubList(value, text, seen) : scrubMembers(value, text, seen)
  seen.set(value, clean)
  return clean
}

function scrubList(value: unknown[], text: (given: string) => string, seen: Map<object, unknown>): unknown[] {
  const items = value.map((item) => scrubValue(item, text, seen))
  return items.some((item, index) => item !== value[index]) ? items : value
}

function scrubMembers(value: object, text: (given: string) => string, seen: Map<object, unknown>): object {
  let isChanged = false
  const entries = Object.entries(value).map(([key, item]) => {
    const cleanKey = text(key)
    const cleanItem = scrubValue(item, text, seen)
    if (cleanKey !== key || cleanItem !== item) isChanged = true
    return [cleanKey, cleanItem] as const
  })
  return isChanged ? Object.fromEntries(entries) : value
}
