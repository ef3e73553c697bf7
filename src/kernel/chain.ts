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

/** Shorter than this, time is not worth telling. */
const tellableMs = 0.1

/** Runs the chain of `call` from entry `from` on; resolves when it is through, rejects with what was thrown. */
export async function runChain(call: Call, from = 0): Promise<void> {
  let startMs = call.elapsedMs()
  for (let index = from; index < call.chain.length; index++) {
    const { name, run } = call.chain[index]!
    if (run === null) continue
    // Most guards never look at the rest of the chain; their turn is made only when somebody asks for it.
    const given = run.length > 1 ? new Turn(call, index) : undefined
    call.beginTurn(index, given)
    if (index > call.cursor) call.cursor = index
    try {
      let value = given ? run(call, given.next) : (run as (call: Call) => unknown)(call)
      if (isThenable(value)) value = await value
      const turn = given ?? call.turnOf(index)
      if (turn?.isOpen) await turn.settle()
      if (value !== undefined || turn?.wasCaught) {
        call.result = value
        call.error = undefined
        return
      }
      if (turn?.hasRun) return
    } finally {
      const endMs = call.elapsedMs()
      if (endMs - startMs >= tellableMs) call.spans.push({ name, startMs, endMs })
      startMs = endMs
    }
  }
}

/** One entry's turn: what became of the rest of the chain while the entry was running. */
export class Turn {
  readonly index: number
  readonly #call: Call
  #rest: Promise<void> | null = null
  #state: 'none' | 'running' | 'done' | 'failed' = 'none'
  #isWatched = false

  constructor(call: Call, index: number) {
    this.#call = call
    this.index = index
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
  get next(): Next {
    return (options) => {
      this.#isWatched = true
      return this.start(options)
    }
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
    call.cursor = this.index
    this.#rest = runChain(call, this.index + 1)
    try {
      await this.#rest
      this.#state = 'done'
      return call.result
    } catch (error) {
      this.#state = 'failed'
      call.error = error
      throw error
    } finally {
      call.beginTurn(this.index, this)
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
