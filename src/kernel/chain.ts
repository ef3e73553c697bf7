// The onion. A chain is a sorted list with a cursor: `next()` runs the rest inside the entry that calls it;
// an entry that does not call it and returns undefined lets the loop go on; any other value is the result
// and the rest is skipped.
import type { Call } from './call.ts'

export interface NextOptions {
  /** Clears result and error and runs the rest once more. */
  readonly again?: boolean
}

export type Next = (options?: NextOptions) => Promise<unknown>
export type Middleware = (call: Call, next: Next) => unknown

export interface ChainEntry {
  readonly name: string
  /** null: a place in the order that never runs. */
  readonly run: Middleware | null
}

/** Runs the chain of `call` from entry `from` on; resolves when it is through, rejects with what was thrown. */
export async function runChain(call: Call, from = 0): Promise<void> {
  for (let index = from; index < call.chain.length; index++) {
    const entry = call.chain[index]!
    if (entry.run === null) continue
    const turn = new Turn(call, index)
    call.turn = turn
    if (index > call.cursor) call.cursor = index
    const startMs = call.elapsedMs()
    try {
      let value = entry.run(call, turn.next)
      if (isThenable(value)) value = await value
      if (turn.isOpen) await turn.settle()
      if (value !== undefined || turn.wasCaught) {
        call.result = value
        call.error = undefined
        return
      }
      if (turn.hasRun) return
    } finally {
      call.spans.push({ name: entry.name, startMs, endMs: call.elapsedMs() })
    }
  }
}

/** One entry's turn: what became of the rest of the chain while the entry was running. */
export class Turn {
  readonly #call: Call
  readonly #index: number
  #rest: Promise<void> | null = null
  #state: 'none' | 'running' | 'done' | 'failed' = 'none'
  #isWatched = false

  constructor(call: Call, index: number) {
    this.#call = call
    this.#index = index
  }

  /** Whether the rest is still running, or failed without anybody looking. */
  get isOpen(): boolean {
    return this.#state === 'running' || (this.#state === 'failed' && !this.#isWatched)
  }

  get hasRun(): boolean {
    return this.#state !== 'none'
  }

  /** The rest failed and the entry went on regardless. */
  get wasCaught(): boolean {
    return this.#state === 'failed'
  }

  /** What guards get: they always await it. */
  readonly next: Next = (options) => {
    this.#isWatched = true
    return this.start(options)
  }

  /** What tools get: whether they look at the promise decides who owns a failure. */
  nextWatched(options?: NextOptions): Promise<unknown> {
    return new WatchedPromise(this.start(options), () => {
      this.#isWatched = true
    })
  }

  start(options?: NextOptions): Promise<unknown> {
    if (options?.again && this.#state !== 'running') {
      this.#call.result = undefined
      this.#call.error = undefined
      this.#state = 'none'
    }
    // The second `next()` runs nothing: it waits for the first and gives the result.
    if (this.#state !== 'none')
      return this.#rest!.then(
        () => this.#call.result,
        () => this.#call.result,
      )
    return this.#first()
  }

  async #first(): Promise<unknown> {
    const call = this.#call
    this.#state = 'running'
    call.cursor = this.#index
    this.#rest = runChain(call, this.#index + 1)
    try {
      await this.#rest
      this.#state = 'done'
      return call.result
    } catch (error) {
      this.#state = 'failed'
      call.error = error
      throw error
    } finally {
      call.turn = this
    }
  }

  /** Waits for a `next()` that nobody awaited; it still belongs to the entry. */
  settle(): Promise<void> {
    return this.#rest!
  }
}

/** A promise that says when somebody looks at it; one that nobody looks at does not count as unhandled. */
class WatchedPromise extends Promise<unknown> {
  #watched: (() => void) | undefined

  static override get [Symbol.species]() {
    return Promise
  }

  constructor(source: Promise<unknown>, watched: () => void) {
    super((resolve, reject) => source.then(resolve, reject))
    super.then(undefined, () => {})
    this.#watched = watched
  }

  override then<A = unknown, B = never>(
    onResolve?: ((value: unknown) => A | PromiseLike<A>) | null,
    onReject?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#watched?.()
    return super.then(onResolve, onReject)
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}
