// Replaces secret values by their names in whatever leaves a run.
import { isPlainObject } from '../../tool/json.ts'

const shortest = 6

export class Scrubber {
  readonly #names = new Map<string, string>()
  #pattern: RegExp | null = null

  /** From now on the value reads `[secret:NAME]`; values under 6 characters are left alone. */
  add(name: string, value: string): void {
    if (value.length < shortest || this.#names.has(value)) return
    this.#names.set(value, name)
    // As text and as it stands inside JSON; longer ones first, so that a part never spoils the whole.
    const spellings = [...this.#names.keys()].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)])
    const unique = [...new Set(spellings)].sort((a, b) => b.length - a.length)
    this.#pattern = new RegExp(
      unique.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
      'g',
    )
  }

  text(text: string): string {
    if (!this.#pattern) return text
    return text.replace(this.#pattern, (found) => `[secret:${this.#nameOf(found)}]`)
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

  #nameOf(found: string): string {
    const direct = this.#names.get(found)
    if (direct !== undefined) return direct
    for (const [value, name] of this.#names) if (JSON.stringify(value).slice(1, -1) === found) return name
    return 'unknown'
  }
}
