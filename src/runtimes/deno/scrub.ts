// Replaces secret values by their names in whatever leaves a run.
import { isPlainObject } from '../../tool/json.ts'
import { spellingsOf } from '../../tool/scrub.ts'

const shortest = 6
/** How a text ends that was longer than is taken. */
const cutMark = / \[(line )?cut\]$/

export class Scrubber {
  /** What each spelling of a value becomes. */
  readonly #marks = new Map<string, string>()
  #pattern: RegExp | null = null

  /** From now on the value reads `[secret:NAME]`; values under 6 characters are left alone. */
  add(name: string, value: string): void {
    if (value.length < shortest || this.#marks.has(value)) return
    for (const spelling of spellingsOf(value))
      if (!this.#marks.has(spelling)) this.#marks.set(spelling, `[secret:${name}]`)
    // Longer ones first, so that a part never spoils the whole.
    const longestFirst = [...this.#marks.keys()].sort((a, b) => b.length - a.length)
    this.#pattern = new RegExp(
      longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
      'g',
    )
  }

  text(text: string): string {
    if (!this.#pattern) return text
    const clean = text.replace(this.#pattern, (found) => this.#marks.get(found)!)
    const cut = cutMark.exec(clean)
    return cut ? this.#withoutStump(clean.slice(0, cut.index)) + cut[0] : clean
  }

  /** Where a text was cut, a value may have lost its end. */
  #withoutStump(text: string): string {
    for (const [spelling, mark] of this.#marks) {
      for (let length = Math.min(spelling.length - 1, text.length); length >= shortest; length--)
        if (text.endsWith(spelling.slice(0, length))) return text.slice(0, -length) + mark
    }
    return text
  }

  /** A copy with every string and key scrubbed; the same value when there is nothing to scrub. */
  value<Value>(value: Value): Value {
    return this.#pattern ? (this.#copy(value) as Value) : value
  }

  #copy(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((item) => this.#copy(item))
    if (!isPlainObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.#copy(item)]))
  }
}
