// Whether the event loop of a worker still turns: it is asked now and then while calls run in it, and once more after
// the last of them, because a tool may leave a loop behind.
import { isStopped } from './memory-watch.ts'

const lateMs = 200
const everyMs = 100

export interface PulseEvents {
  /** Sends the question with this number. */
  ask(n: number): void
  /** It is late, as it was a moment ago or for the first time. */
  onLate(forMs: number): void
}

export class Pulse {
  readonly #pid: number
  readonly #events: PulseEvents
  #timer: NodeJS.Timeout | undefined
  /** Calls run. The next one is often there before the timer fires, so it is not ended with the last call. */
  #isOn = false
  /** It has answered since its last call ended. */
  #isAtRest = true
  #askedAt: number | null = null
  #asked = 0

  constructor(pid: number, events: PulseEvents) {
    this.#pid = pid
    this.#events = events
  }

  /** It has not answered for over 200 ms. */
  get isLate(): boolean {
    if (this.#askedAt === null || performance.now() - this.#askedAt <= lateMs) return false
    // One that is stopped to keep its share of the processor is not late: a second one would double the share.
    if (!isStopped(this.#pid)) return true
    this.#askedAt = performance.now()
    return false
  }

  begin(): void {
    this.#isOn = true
    this.#isAtRest = false
    this.#timer ??= setInterval(() => this.#tick(), everyMs).unref()
  }

  end(): void {
    this.#isOn = false
    this.#askedAt = null
  }

  /** Asks, unless it still owes an answer. */
  feel(): void {
    if (this.#askedAt !== null) {
      if (this.isLate) this.#events.onLate(performance.now() - this.#askedAt)
      return
    }
    this.#askedAt = performance.now()
    this.#events.ask(++this.#asked)
  }

  #tick(): void {
    if (!this.#isAtRest) return this.feel()
    this.stop()
  }

  /** The worker is gone. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  felt(n: number): void {
    if (n !== this.#asked) return
    this.#askedAt = null
    if (!this.#isOn) this.#isAtRest = true
  }
}
