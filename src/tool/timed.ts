// What takes time and can be stopped: when it began, how long it has run, and that it is over.
import type { Span } from './outcome.ts'
import { Stoppable } from './stoppable.ts'

/** Shorter than this, time is not worth telling. */
const tellableMs = 0.1

export class Timed extends Stoppable {
  readonly #started = performance.now()
  #startedAt: number | undefined
  #isOver = false
  /** Milliseconds from the start to the last look at the clock. */
  clockMs = 0
  /** Which of its parts took how long, in the order they ended. */
  readonly spans: Span[] = []

  /** `startedAt`: milliseconds of the clock on the wall, where they are known. */
  constructor(whole: Stoppable | undefined, outer: AbortSignal | undefined, startedAt: number | undefined) {
    super(whole, outer)
    this.#startedAt = startedAt
  }

  /** When it began, by the clock on the wall. */
  get startedAt(): number {
    this.#startedAt ??= Math.round(Date.now() - this.elapsedMs())
    return this.#startedAt
  }

  /** Milliseconds since it began; when it is over, what it took. */
  elapsedMs(): number {
    return this.#isOver ? this.clockMs : performance.now() - this.#started
  }

  /** Keeps how long a part of it took, from `startMs` to now, if that is worth telling. */
  tellTime(name: string, startMs: number): void {
    const endMs = performance.now() - this.#started
    this.clockMs = endMs
    if (endMs - startMs >= tellableMs) this.spans.push({ name, startMs, endMs })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** It is over: from here on everybody is told the same time. */
  stopClock(): void {
    this.clockMs = performance.now() - this.#started
    this.#isOver = true
  }
}
