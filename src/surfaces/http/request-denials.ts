// Refused requests, on record: wrong tokens and none, and what a good token may not do. Anybody can send them by the
// thousand, so of each caller the record has the first of a minute at once and then only how many more there were.
import type { Denial } from '../../runs/run-log.ts'

const windowMs = 60_000
const maxAtOnce = 10

/** The caller of a request that came without a good token. */
export const unknownCaller = 'unknown'

interface Window {
  count: number
  unsaid: number
  lastCode: string
}

export class RequestDenials {
  readonly #record: (denial: Denial) => void
  readonly #windows = new Map<string, Window>()
  #timer: NodeJS.Timeout | undefined

  constructor(record: (denial: Denial) => void) {
    this.#record = record
  }

  note(caller: string, code: string, message: string): void {
    const window = this.#windows.get(caller) ?? { count: 0, unsaid: 0, lastCode: code }
    this.#windows.set(caller, window)
    window.lastCode = code
    this.#timer ??= setTimeout(() => this.flush(), windowMs).unref()
    if (++window.count <= maxAtOnce) this.#record({ caller, surface: 'http', code, message })
    else window.unsaid++
  }

  /** Writes down how many were left out, and starts counting anew. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const [caller, { unsaid, lastCode: code }] of this.#windows) {
      if (unsaid === 0) continue
      const message = `${unsaid} more requests within a minute`
      this.#record({ caller, surface: 'http', code, message })
    }
    this.#windows.clear()
  }
}
