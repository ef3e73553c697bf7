// The onion. A chain is a sorted list with a cursor: `next()` runs the rest inside the entry that calls it;
// an entry that does not call it and returns undefined lets the loop go on; any other value is the result
// and the rest is skipped. What need not wait runs without a promise: most guards decide at once, and a call
// passes a dozen of them.

import { NextPromise } from '../runtimes/skill/next-promise.ts'
import type { Call } from './call.ts'

export interface NextOptions {
  /** Clears result and error and runs the rest once more. */
  readonly again?: boolean
}

/** Runs the rest of a chain: a promise of its result, or the result where nothing had to wait; throws or rejects. */
export type Next = (options?: NextOptions) => unknown
export type Middleware = (call: Call, next: Next) => unknown

export interface ChainEntry {
  readonly name: string
  /** null: a place in the order that never runs. */
  readonly run: Middleware | null
  /** Whether `run` looks at the rest of the chain; without it no turn is made until somebody asks for one. */
  readonly takesNext: boolean
  /** Whether it decides from what is at hand, so that its time is told only where it waits. */
  readonly isQuick: boolean
  /** Whether code of a tool runs in it, which may ask for the rest of the chain. */
  readonly runsTool: boolean
}

/** Told once what became of a chain, before anybody who waits for it. */
export interface ChainEnd {
  done(call: Call): void
  failed(call: Call, error: unknown): void
}

/** Shorter than this, time is not worth telling. */
const tellableMs = 0.1

export function chainEntry(
  name: string,
  run: Middleware | null,
  isQuick = false,
  runsTool = false,
): ChainEntry {
  return { name, run, takesNext: run !== null && run.length > 1, isQuick, runsTool }
}

/** An entry that runs code of a tool. */
export function toolEntry(name: string, run: Middleware): ChainEntry {
  return chainEntry(name, run, false, true)
}

/** Runs the chain of `call` from entry `from` on: its result, or a promise of it; throws or rejects what was thrown. */
export function runChain(call: Call, from: number, end: ChainEnd): unknown {
  // The guards of middleware decide in microseconds, ten times in a call: they are timed only where they wait.
  const isTimed = call.target === call
  let startMs = from === 0 ? 0 : call.readClock()
  let index = from
  try {
    for (; index < call.chain.length; index++) {
      const entry = call.chain[index]!
      if (entry.run === null) continue
      const value = begin(call, index, entry)
      if (isThenable(value) || call.turnOf(index)?.isOpen)
        return runWaiting(call, from, index, value, startMs, end)
      if (isTimed && !entry.isQuick) startMs = tellTime(call, entry, startMs)
      if (isThrough(call, index, value)) break
    }
    checkRest(call, from, startMs)
  } catch (error) {
    if (index < call.chain.length) tellTime(call, call.chain[index]!, startMs)
    dropChecks(call, from)
    end.failed(call, error)
    throw error
  }
  end.done(call)
  return call.result
}

/** Goes on with a chain whose entry `index` was begun and takes its time. */
async function runWaiting(
  call: Call,
  from: number,
  index: number,
  begun: unknown,
  beganMs: number,
  end: ChainEnd,
): Promise<unknown> {
  let at = index
  let value = begun
  let startMs = beganMs
  try {
    for (;;) {
      const entry = call.chain[at]!
      try {
        if (at > index) value = begin(call, at, entry)
        if (isThenable(value)) value = await call.orStopped(value, from)
        const turn = call.turnOf(at)
        if (turn?.isOpen) await call.orStopped(turn.settle(), from)
      } finally {
        startMs = tellTime(call, entry, startMs)
      }
      if (isThrough(call, at, value)) break
      do at++
      while (call.chain[at]?.run === null)
      if (at >= call.chain.length) break
    }
    checkRest(call, from, startMs)
  } catch (error) {
    dropChecks(call, from)
    end.failed(call, error)
    throw error
  }
  end.done(call)
  return call.result
}

function begin(call: Call, index: number, { run, takesNext }: ChainEntry): unknown {
  call.beginTurn(index)
  if (index > call.cursor) call.cursor = index
  return takesNext ? run!(call, call.turn!.next) : (run as (call: Call) => unknown)(call)
}

/** Whether the chain ends with what an entry gave back. */
function isThrough(call: Call, index: number, value: unknown): boolean {
  const turn = call.turnOf(index)
  if (value !== undefined || turn?.wasCaught) {
    call.result = value
    call.error = undefined
    return true
  }
  return turn?.hasRun === true
}

/** The part of the chain from entry `from` on went well: whoever of it wanted to see what it came to does. */
function checkRest(call: Call, from: number, beganMs: number): void {
  let startMs = beganMs
  for (let asked = call.takeCheck(from); asked; asked = call.takeCheck(from)) {
    asked.check(call)
    if (call.target === call) startMs = tellTime(call, call.chain[asked.index]!, startMs)
  }
}

function dropChecks(call: Call, from: number): void {
  while (call.takeCheck(from));
}

/** Keeps how long an entry took, if that is worth telling; gives the time it ended. */
function tellTime(call: Call, { name }: ChainEntry, startMs: number): number {
  const endMs = call.readClock()
  if (endMs - startMs >= tellableMs) call.spans.push({ name, startMs, endMs })
  return endMs
}

/** One entry's turn: what became of the rest of the chain while the entry was running. */
export class Turn implements ChainEnd {
  readonly index: number
  readonly begun: number
  /** The turn of an entry further out. */
  readonly outer: Turn | undefined
  readonly #call: Call
  #rest: unknown
  #failure: unknown
  #state: 'none' | 'running' | 'done' | 'failed' = 'none'
  #isWatched = false

  constructor(call: Call, index: number, begun: number, outer: Turn | undefined) {
    this.#call = call
    this.index = index
    this.begun = begun
    this.outer = outer
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

  /** What guards get: they always look at what becomes of it. */
  get next(): Next {
    return (options) => {
      this.watch()
      return this.#start(options)
    }
  }

  /** What tools get: whether they look at the promise decides who owns a failure. */
  nextWatched(options?: NextOptions): Promise<unknown> {
    let rest: unknown
    try {
      rest = this.#start(options)
    } catch (error) {
      rest = Promise.reject(error)
      ignoreFailure(rest)
    }
    return new NextPromise(rest instanceof Promise ? rest : Promise.resolve(rest), this)
  }

  /** Somebody looks at what becomes of the rest. */
  watch(): void {
    this.#isWatched = true
  }

  #start(options?: NextOptions): unknown {
    const call = this.#call
    if (options?.again && this.#state !== 'running') {
      call.result = undefined
      call.error = undefined
      this.#state = 'none'
    }
    // The second `next()` runs nothing: it waits for the first and gives the result.
    if (this.#state !== 'none') {
      const result = () => call.result
      return this.#state === 'running' ? (this.#rest as Promise<unknown>).then(result, result) : call.result
    }
    this.#state = 'running'
    call.cursor = this.index
    this.#rest = runChain(call, this.index + 1, this)
    return this.#rest
  }

  done(call: Call): void {
    this.#state = 'done'
    call.resumeTurn(this)
  }

  failed(call: Call, error: unknown): void {
    this.#state = 'failed'
    this.#failure = error
    // What nobody looks at does not count as unhandled: it belongs to the entry, whose chain looks when it ends.
    if (!this.#isWatched) ignoreFailure(this.#rest)
    call.error = error
    call.resumeTurn(this)
  }

  /** Waits for a `next()` that nobody awaited; it still belongs to the entry. Rejects with what it threw. */
  async settle(): Promise<void> {
    if (this.#state === 'running') await this.#rest
    if (this.#state === 'failed') throw this.#failure
  }
}

function ignoreFailure(rest: unknown): void {
  if (rest instanceof Promise) rest.then(undefined, () => {})
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}
