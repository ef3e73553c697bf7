// Requests with a wrong token or none, on record. Anybody can send them by the thousand, so the record says the first
// of a minute at once and then only how many more there were.
import type { Denial } from '../../crumbs/runs/run-log.ts'

const windowMs = 60_000
const mostAtOnce = 10

export class TokenDenials {
  readonly #record: (denial: Denial) => void
  #since = 0
  #count = 0
  #unsaid = 0

  constructor(record: (denial: Denial) => void) {
    this.#record = record
  }

  note(code: string, what: string, now = Date.now()): void {
    if (now - this.#since >= windowMs) {
      this.flush()
      this.#since = now
      this.#count = 0
    }
    this.#count++
    if (this.#count <= mostAtOnce) this.#write(code, what)
    else this.#unsaid++
  }

  /** Writes down how many were left out. */
  flush(): void {
    if (this.#unsaid > 0) this.#write('TOKEN_INVALID', `${this.#unsaid} more requests within a minute`)
    this.#unsaid = 0
  }

  #write(code: string, message: string): void {
    this.#record({ caller: 'unknown', surface: 'http', code, message })
  }
}
