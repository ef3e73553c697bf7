// Takes secret values out of anything a run gives back: logs, errors, results, records. A value is found as it is,
// inside JSON text, with `\u` escapes, inside a URL, as JavaScript shows it, and as a JSON number (G21).
const minLength = 6
/** How a text ends that was longer than is taken. */
const cutMark = / \[(?:line )?cut\]$/

export interface Scrubber {
  text(text: string): string
  /** A copy of JSON-like data without secret values, keys included; the same object when there was none. */
  value<T>(value: T): T
  /** Length of the longest text it looks for; 0 when there is none. */
  readonly longest: number
}

/** For a run without secrets. */
export const nothingToScrub: Scrubber = { text: (text) => text, value: (value) => value, longest: 0 }

/** A scrubber for the secrets of one run. */
export function makeScrubber(secrets: { readonly [name: string]: string }): Scrubber {
  const scrubber = new SecretScrubber()
  for (const [name, value] of Object.entries(secrets)) scrubber.add(name, value)
  return scrubber.longest === 0 ? nothingToScrub : scrubber
}

/** A scrubber that learns of secrets as they are handed out. */
export class SecretScrubber implements Scrubber {
  /** What each spelling of a value becomes, longer ones first, so that a part never spoils the whole. */
  #marks: readonly (readonly [spelling: string, mark: string])[] = []
  readonly #numbers = new Map<number, string>()

  /** From now on the value reads `[secret:NAME]`; one under six characters would hit innocent text and is left. */
  add(name: string, value: string): void {
    if (value.length < minLength) return
    const marks = new Map(this.#marks)
    for (const spelling of spellingsOf(value))
      if (!marks.has(spelling)) marks.set(spelling, `[secret:${name}]`)
    this.#marks = [...marks].sort(([a], [b]) => b.length - a.length)
    const number = /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(value) ? Number(value) : Number.NaN
    if (Number.isFinite(number) && !this.#numbers.has(number)) this.#numbers.set(number, `[secret:${name}]`)
  }

  get longest(): number {
    return this.#marks[0]?.[0].length ?? 0
  }

  text(text: string): string {
    let clean = text
    for (const [spelling, mark] of this.#marks)
      if (clean.includes(spelling)) clean = clean.replaceAll(spelling, mark)
    if (clean.includes('\\u')) clean = this.#withoutEscaped(clean)
    const cut = this.#marks.length > 0 && clean.endsWith('cut]') ? cutMark.exec(clean) : null
    return cut ? this.#withoutStump(clean.slice(0, cut.index)) + cut[0] : clean
  }

  value<T>(value: T): T {
    return this.#marks.length > 0 ? (this.#copy(value, new Map()) as T) : value
  }

  /** A value some or all of whose characters are written as `\u0041`. */
  #withoutEscaped(text: string): string {
    const { plain, starts } = unescaped(text)
    let clean = ''
    let done = 0
    for (let at = 0; at < plain.length; ) {
      const hit = this.#marks.find(([spelling]) => plain.startsWith(spelling, at))
      if (hit) {
        clean += text.slice(done, starts[at]) + hit[1]
        at += hit[0].length
        done = starts[at]!
      } else at++
    }
    return clean + text.slice(done)
  }

  /** Where a text was cut, a value may have lost its end. */
  #withoutStump(text: string): string {
    for (const [spelling, mark] of this.#marks) {
      for (let length = Math.min(spelling.length - 1, text.length); length >= minLength; length--)
        if (text.endsWith(spelling.slice(0, length))) return text.slice(0, -length) + mark
    }
    return text
  }

  /** `seen` ends circles; an instance of a class counts with the members JSON would write. */
  #copy(value: unknown, seen: Map<object, unknown>): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number' || typeof value === 'bigint')
      return this.#numbers.get(Number(value)) ?? value
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
    if (seen.has(value)) return seen.get(value)
    seen.set(value, value)
    const clean = Array.isArray(value) ? this.#list(value, seen) : this.#members(value, seen)
    seen.set(value, clean)
    return clean
  }

  #list(value: unknown[], seen: Map<object, unknown>): unknown[] {
    const items = value.map((item) => this.#copy(item, seen))
    return items.some((item, index) => item !== value[index]) ? items : value
  }

  #members(value: object, seen: Map<object, unknown>): object {
    let isChanged = false
    const entries = Object.entries(value).map(([key, item]) => {
      const cleanKey = this.text(key)
      const cleanItem = this.#copy(item, seen)
      if (cleanKey !== key || cleanItem !== item) isChanged = true
      return [cleanKey, cleanItem] as const
    })
    return isChanged ? Object.fromEntries(entries) : value
  }
}

/**
 * The value as it is, inside JSON text, as JavaScript shows it within an object, and inside a URL. Each of its lines
 * counts by itself: logs go line by line, and a key of many lines is shown as a sum of them.
 */
function spellingsOf(value: string): readonly string[] {
  const lines = value.includes('\n') ? value.split('\n').map((line) => line.trim()) : []
  const parts = [value, ...lines.filter((line) => line.length >= minLength)]
  const spellings = parts.flatMap((part) => {
    const json = JSON.stringify(part).slice(1, -1)
    const shown = json.replaceAll('\\"', '"')
    return [part, json, shown, shown.replaceAll("'", "\\'")]
  })
  return [...new Set([...spellings, encodeURIComponent(Buffer.from(value).toString())])]
}

/** The text with its `\u` escapes read, and where in the text each character of that begins, the end included. */
function unescaped(text: string): { readonly plain: string; readonly starts: readonly number[] } {
  let plain = ''
  const starts: number[] = []
  for (let at = 0; at < text.length; ) {
    const code = text[at] === '\\' ? /^\\u([0-9a-f]{4})/i.exec(text.slice(at, at + 6))?.[1] : undefined
    plain += code === undefined ? text[at] : String.fromCharCode(Number.parseInt(code, 16))
    starts.push(at)
    at += code === undefined ? 1 : 6
  }
  starts.push(text.length)
  return { plain, starts }
}
