// What takes time and can be stopped: by whoever asked, by whoever it is a part of, by its time limit. Signals and timers
// are made only when somebody needs them, because most calls are over before anybody could.

import { setMaxListeners } from 'node:events'
import { Deadline } from './deadline.ts'
import type { Span } from './outcome.ts'
import { ToolError } from './tool-error.ts'

/** Shorter than this, time is not worth telling. */
export const tellableMs = 0.1

export type AbortListener = (reason: unknown) => void

interface TimeLimit {
  readonly limitMs: number
  /** Of `performance.now()`. */
  readonly sinceMs: number
  /** Makes the reason when the time is up. */
  readonly late: () => unknown
}

export class Stoppable {
  /** When it began, by the clock that never goes back. */
  readonly sinceMs = performance.now()
  #startedAt: number | undefined
  #isOver = false
  /** Milliseconds from the start to the last look at the clock. */
  clockMs = 0
  /** Which of its parts took how long, in the order they ended. */
  readonly spans: Span[] = []
  readonly #whole: Stoppable | undefined
  readonly #outer: AbortSignal | undefined
  #followOuter: (() => void) | undefined
  /** Said by `abort` alone. */
  isAborted = false
  #reason: unknown
  #controller: AbortController | undefined
  /** Told of the end: seldom more than two, and a list of those costs less than a set. */
  #onAbort: AbortListener | AbortListener[] | undefined
  /** The latest of its parts, and the neighbours of a part in that list. */
  #part: Stoppable | undefined
  #later: Stoppable | undefined
  #earlier: Stoppable | undefined
  #limit: TimeLimit | undefined
  #deadline: Deadline | undefined
  #hasWaited = false

  /** `startedAt`: milliseconds of the clock on the wall, where they are known. */
  constructor(whole: Stoppable | undefined, outer: AbortSignal | undefined, startedAt?: number) {
    this.#startedAt = startedAt
    this.#whole = whole
    this.#outer = outer
    if (outer) this.#follow(outer)
    if (whole) whole.#adopt(this)
  }

  /** When it began, by the clock on the wall. */
  get startedAt(): number {
    this.#startedAt ??= Math.round(Date.now() - this.elapsedMs())
    return this.#startedAt
  }

  /** Milliseconds since it began; when it is over, what it took. */
  elapsedMs(): number {
    return this.#isOver ? this.clockMs : performance.now() - this.sinceMs
  }

  /** Keeps how long a part of it took, from `startMs` to now, if that is worth telling. */
  tellTime(name: string, startMs: number): void {
    const endMs = performance.now() - this.sinceMs
    this.clockMs = endMs
    if (endMs - startMs >= tellableMs) this.spans.push({ name, startMs, endMs })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** It is over: from here on everybody is told the same time. */
  stopClock(): void {
    this.clockMs = performance.now() - this.sinceMs
    this.#isOver = true
  }

  get abortReason(): unknown {
    return this.#reason
  }

  /** The signal handed to runtimes and tools; made only when somebody asks for it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.isAborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Stops it with all its parts; the first reason counts. */
  abort(reason: unknown): void {
    if (this.isAborted) return
    this.isAborted = true
    this.#reason = reason
    this.#controller?.abort(reason)
    const told = this.#onAbort
    if (Array.isArray(told)) for (const listener of [...told]) listener(reason)
    else told?.(reason)
    const parts: Stoppable[] = []
    for (let part = this.#part; part; part = part.#earlier) parts.push(part)
    for (const part of parts.reverse()) part.abort(reason)
  }

  onAbort(listener: AbortListener): void {
    if (this.isAborted) listener(this.#reason)
    else if (this.#onAbort === undefined) this.#onAbort = listener
    else if (Array.isArray(this.#onAbort)) this.#onAbort.push(listener)
    else this.#onAbort = [this.#onAbort, listener]
  }

  offAbort(listener: AbortListener): void {
    if (this.#onAbort === listener) this.#onAbort = undefined
    else if (Array.isArray(this.#onAbort)) {
      const index = this.#onAbort.indexOf(listener)
      if (index !== -1) this.#onAbort.splice(index, 1)
    }
  }

  /** Ends it when its time is up; a second deadline replaces the first. It counts once something waits. */
  setDeadline(limitMs: number, sinceMs: number, late: () => unknown): void {
    this.#limit = { limitMs, sinceMs, late }
    this.#deadline?.drop()
    this.#deadline = undefined
    // Whatever waits already does not say so again.
    if (this.#hasWaited) this.startClock()
  }

  /** The time it has, from when its deadline was set. */
  get limitMs(): number | undefined {
    return this.#limit?.limitMs
  }

  get hasDeadline(): boolean {
    return this.#limit !== undefined
  }

  /** Something waits: from here on the deadline can pass. */
  startClock(): void {
    this.#hasWaited = true
    if (!this.#limit || this.#deadline) return
    const { limitMs, sinceMs, late } = this.#limit
    const leftMs = Math.max(0, limitMs - (performance.now() - sinceMs))
    this.#deadline = new Deadline(leftMs, () => this.abort(late()))
  }

  /** Lets go of timers, the caller's signal and what it is a part of; called once when it is over. */
  finish(): void {
    this.#deadline?.drop()
    if (this.#whole) this.#whole.#letGo(this)
    if (this.#followOuter) this.#outer!.removeEventListener('abort', this.#followOuter)
  }

  #follow(outer: AbortSignal): void {
    if (outer.aborted) {
      this.abort(outer.reason)
      return
    }
    // Any number of calls may share a signal; each takes its listener away when it is over.
    setMaxListeners(0, outer)
    this.#followOuter = () => this.abort(outer.reason)
    outer.addEventListener('abort', this.#followOuter, { once: true })
  }

  #adopt(part: Stoppable): void {
    if (this.isAborted) {
      part.abort(this.#reason)
      return
    }
    part.#earlier = this.#part
    if (this.#part) this.#part.#later = part
    this.#part = part
  }

  #letGo(part: Stoppable): void {
    if (part.#later) part.#later.#earlier = part.#earlier
    else if (this.#part === part) this.#part = part.#earlier
    if (part.#earlier) part.#earlier.#later = part.#later
    part.#later = undefined
    part.#earlier = undefined
  }
}

/** The error that something ends with when it is stopped for `reason`. */
export function stopError(reason: unknown): ToolError {
  if (reason instanceof ToolError) return reason
  if (reason instanceof Error && reason.name === 'TimeoutError')
    return new ToolError('TIMEOUT', 'The caller gave up waiting.', { retryable: true })
  return new ToolError('CANCELLED', 'The call was cancelled.')
}
