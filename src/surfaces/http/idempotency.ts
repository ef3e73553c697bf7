// `Idempotency-Key`: the same key gives the same answer, while the call runs and for a day after. The call
// belongs to the key then, so a client that lost its connection can ask again. What is kept has bounds, for each token
// and in all (G22).
import { jsonDigest } from '../../tool/json.ts'
import { HttpProblem } from './problem-json.ts'

interface Kept<T> {
  readonly digest: string
  readonly answer: Promise<T>
  readonly at: number
  readonly owner: string
  /** Of the answer as text, once it is there. */
  bytes: number
}

/** Whose key it is, and what parts it from others of the same token. */
export interface KeyScope {
  readonly owner: string
  readonly tool: string
}

export interface KeptLimits {
  readonly entries: number
  /** One token must not push out what others have kept. */
  readonly entriesOfOwner: number
  readonly bytesOfOwner: number
  readonly bytes: number
}

const keptMs = 24 * 60 * 60 * 1000
const maxKept: KeptLimits = {
  entries: 10_000,
  entriesOfOwner: 2_500,
  bytesOfOwner: 16 * 1024 * 1024,
  bytes: 128 * 1024 * 1024,
}

export class Idempotency<T> {
  readonly #kept = new Map<string, Kept<T>>()
  readonly #limits: KeptLimits

  constructor(limits = maxKept) {
    this.#limits = limits
  }

  /** Answers from what is kept, or does the work once. */
  once(scope: KeyScope, key: string, body: unknown, work: () => Promise<T>): Promise<T> {
    if (key.length > 255) throw new HttpProblem('MALFORMED', 'An idempotency key has 1 to 255 characters.')
    const name = JSON.stringify([scope.owner, scope.tool, key])
    const digest = jsonDigest(body)
    const known = this.#kept.get(name)
    if (known && Date.now() - known.at < keptMs) {
      if (known.digest === digest) return known.answer
      // C112, as for breadcrumbs
      throw new HttpProblem('IDEMPOTENCY_KEY_REUSED', `The key ${key} was used for a different body.`, {
        hint: 'Use a new key for a new request.',
      })
    }
    const answer = work()
    const kept = { digest, answer, at: Date.now(), owner: scope.owner, bytes: 0 }
    this.#kept.delete(name)
    this.#kept.set(name, kept)
    answer.then(
      (value) => {
        kept.bytes = sizeOf(value)
        this.#makeRoom(scope.owner)
      },
      () => this.#kept.delete(name),
    )
    this.#makeRoom(scope.owner)
    return answer
  }

  /** Lets go of the oldest: of the token that has too much, then of all. */
  #makeRoom(owner: string): void {
    const { entries, entriesOfOwner, bytesOfOwner, bytes } = this.#limits
    const sum = (of: readonly Kept<T>[]) => of.reduce((total, kept) => total + kept.bytes, 0)
    const all = [...this.#kept]
    const own = all.filter(([, kept]) => kept.owner === owner)
    while (own.length > entriesOfOwner || sum(own.map(([, kept]) => kept)) > bytesOfOwner)
      this.#kept.delete(own.shift()![0])
    while (this.#kept.size > entries || sum([...this.#kept.values()]) > bytes)
      this.#kept.delete(this.#kept.keys().next().value!)
  }
}

function sizeOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '')
  } catch {
    return 0
  }
}
