// The onion. A chain is a list with a cursor: `next()` runs the rest inside the entry that calls it; an entry that
// does not call it and returns undefined lets the loop go on; any other value is the result and the rest is skipped
// (S26–S30). The loop waits only for what is a promise: most checks decide at once, and a call with ten middlewares
// passes a hundred of them.
import { isThenable } from '../tool/is-thenable.ts'
import { tellableMs } from '../tool/stoppable.ts'
import type { Call } from './call.ts'

export interface NextOptions {
  /** Clears result and error and runs the rest once more. */
  readonly again?: boolean
}

/** Runs the rest of a chain: its result, or a promise of it where something waits; throws or rejects. */
export type Next = (options?: NextOptions) => unknown

export interface Entry {
  readonly name: string
  readonly kind: 'stage' | 'check' | 'wrapper' | 'middleware' | 'hook'
  /** null: a position that never runs. */
  readonly run: ((call: Call, next: Next) => unknown) | null
  /** What it does where nothing may run; null: nothing. */
  readonly rehearse: ((call: Call) => unknown) | null
  /** Names of the checks without which it means nothing. */
  readonly needs: readonly string[]
  readonly judgesArgs: boolean
  /** Whether code of a tool runs in it, which may ask for the rest of the chain. */
  readonly runsTool: boolean
  readonly takesNext: boolean
}

const blank = { run: null, rehearse: null, needs: [], judgesArgs: false, runsTool: false }

/** An entry with what it does not say filled in, so that all have one shape. */
export function makeEntry(parts: Pick<Entry, 'name' | 'kind'> & Partial<Entry>): Entry {
  const takesNext = parts.kind !== 'check' && parts.run != null && parts.run.length > 1
  return { ...blank, ...parts, takesNext }
}

/** Runs the chain of a call from entry `from` on: its result, or a promise of it; throws or rejects what was thrown. */
export function runFrom(call: Call, from: number): unknown {
  for (let index = from; index < call.chain.length; index++) {
    const entry = call.chain[index]!
    if (entry.run === null) continue
    if (index > call.cursor) call.cursor = index
    const startMs = call.clockMs
    const turn = entry.takesNext || entry.runsTool ? new Turn(call, index) : undefined
    if (entry.runsTool) call.turn = turn
    let value: unknown
    try {
      value = entry.run(call, entry.takesNext ? (options) => turn!.next(options) : noRest)
    } catch (error) {
      call.tellTime(entry.name, startMs)
      throw error
    }
    const hasRun = turn?.hasRun === true
    if (value !== undefined || hasRun)
      if (value instanceof Promise || isThenable(value) || (hasRun && turn.isOpen))
        return goOn(call, index, { value, turn, startMs })
    // Middleware passes these within its target's time: there only what waits is timed.
    if (call.target === call) {
      call.clockMs = performance.now() - call.sinceMs
      if (call.clockMs - startMs >= tellableMs) call.tellTime(entry.name, startMs)
    }
    if (turn) turn.isOver = true
    if ((value !== undefined || hasRun) && isThrough(call, value, turn)) break
  }
  return call.state.result
}

/** Waits for the entry at `index`, then goes on behind it. */
async function goOn(call: Call, index: number, { value, turn, startMs }: Begun): Promise<unknown> {
  const entry = call.chain[index]!
  let given: unknown
  try {
    given = await value
    // A `next()` nobody awaited still belongs to its entry (S29).
    if (turn?.hasRun && turn.isOpen) await turn.settle()
  } finally {
    call.tellTime(entry.name, startMs)
  }
  if (turn) turn.isOver = true
  return isThrough(call, entry.kind === 'check' ? undefined : given, turn)
    ? call.state.result
    : runFrom(call, index + 1)
}

interface Begun {
  readonly value: unknown
  readonly turn: Turn | undefined
  readonly startMs: number
}

/** Whether the chain ends with what an entry gave back. */
function isThrough(call: Call, value: unknown, turn: Turn | undefined): boolean {
  if (value === undefined && !turn?.hasFailed) return turn?.hasRun === true
  call.state.result = value
  call.state.error = undefined
  return true
}

/** The `next` of an entry that declares none. */
function noRest(): never {
  throw new Error('An entry that declares no `next` cannot call it.')
}

/** One entry's hold on the rest of the chain. */
export class Turn {
  readonly #call: Call
  readonly #index: number
  /** Whether the rest was begun, and whether it threw. */
  hasRun = false
  hasFailed = false
  /** Set when the entry is over: from then on its `next()` runs nothing. */
  isOver = false
  #isRunning = false
  #rest: Promise<unknown> | undefined
  #failure: unknown
  #isWatched = false

  constructor(call: Call, index: number) {
    this.#call = call
    this.#index = index
  }

  /** Whether the rest is still running, or failed without anybody looking. */
  get isOpen(): boolean {
    return this.#isRunning || (this.hasFailed && !this.#isWatched)
  }

  /** What wrappers get: they always look at what becomes of the rest. */
  next(options?: NextOptions): unknown {
    this.#isWatched = true
    return this.run(options)
  }

  /** Somebody looks at what becomes of the rest, so a failure is theirs. */
  watch(): void {
    this.#isWatched = true
  }

  /** Runs the rest, once: a second time it waits for the first and gives the result (S29). */
  run(options?: NextOptions): unknown {
    const call = this.#call
    if (this.#isRunning)
      return this.#rest!.then(
        () => call.result,
        () => call.result,
      )
    const isAgain = options?.again === true && this.hasRun
    if (this.isOver || (this.hasRun && !isAgain)) return call.result
    if (isAgain) {
      call.result = undefined
      call.error = undefined
    }
    this.hasRun = true
    this.hasFailed = false
    this.#isRunning = true
    call.cursor = this.#index
    let rest: unknown
    try {
      rest = runFrom(call, this.#index + 1)
    } catch (error) {
      throw this.#failed(error)
    }
    if (!(rest instanceof Promise)) return this.#resume(rest)
    this.#rest = rest.then(
      (value) => this.#resume(value),
      (error) => {
        // What nobody looks at is no unhandled rejection: the entry's end looks.
        if (!this.#isWatched) this.#rest!.catch(() => {})
        throw this.#failed(error)
      },
    )
    return this.#rest
  }

  /** The rest was dealt with elsewhere and is not to run. */
  skip(): void {
    this.hasRun = true
  }

  /** Waits for the rest; rejects with what it threw. */
  async settle(): Promise<void> {
    if (this.#isRunning) await this.#rest
    if (this.hasFailed) throw this.#failure
  }

  #failed(error: unknown): unknown {
    this.hasFailed = true
    this.#failure = error
    this.#call.error = error
    return this.#resume(error)
  }

  /** The rest is through, so the entry of this turn runs on with what came of it. */
  #resume(came: unknown): unknown {
    this.#isRunning = false
    if (this.#call.chain[this.#index]?.runsTool) this.#call.turn = this
    return came
  }
}
