// `Idempotency-Key`: the same key gives the same answer, while the call runs and for a day after. The call
// belongs to the key then, so a client that lost its connection can ask again.
import { jsonDigest } from '../../tool/json.ts'
import { HttpProblem } from './problem-json.ts'

interface Kept<T> {
  readonly digest: string
  readonly answer: Promise<T>
  readonly at: number
}

const keptMs = 24 * 60 * 60 * 1000
const mostKept = 10_000

export class Idempotency<T> {
  readonly #kept = new Map<string, Kept<T>>()

  /** Answers from what is kept, or does the work once. `scope` parts callers and tools. */
  once(scope: string, key: string, body: unknown, work: () => Promise<T>): Promise<T> {
    if (key.length > 255)
      throw new HttpProblem(400, 'BODY_INVALID', 'The Idempotency-Key is longer than 255 characters.')
    const name = JSON.stringify([scope, key])
    const digest = jsonDigest(body)
    const known = this.#kept.get(name)
    if (known && Date.now() - known.at < keptMs) {
      if (known.digest === digest) return known.answer
      throw new HttpProblem(409, 'CONFLICT', 'This Idempotency-Key was used for another request.', {
        hint: 'Use a new key for a new request.',
      })
    }
    if (this.#kept.size >= mostKept) this.#kept.delete(this.#kept.keys().next().value!)
    const answer = work()
    this.#kept.set(name, { digest, answer, at: Date.now() })
    answer.catch(() => this.#kept.delete(name))
    return answer
  }
}
