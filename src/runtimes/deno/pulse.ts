// Whether the event loop of a worker still turns: it is asked now and then while calls run in it.
import { isStopped } from './memory-watch.ts'

const lateMs = 200
const everyMs = 100

export interface PulseEvents {
  /** Sends the question with this number. */
  ask(n: number): void
  /** It is late, as it was a moment ago or for the first time. */
  onLate(): void
}

export class Pulse {
  readonly #pid: number
  readonly #events: PulseEvents
  #timer: NodeJS.Timeout | undefined
  /** Calls run; the timer outlives them until it next fires, because the next call is often there before that. */
  #isOn = false
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
    this.#timer ??= setInterval(() => this.#tick(), everyMs).unref()
  }

  end(): void {
    this.#isOn = false
    this.#askedAt = null
  }

  /** Asks, unless it still owes an answer. */
  feel(): void {
    if (this.#askedAt !== null) {
      if (this.isLate) this.#events.onLate()
      return
    }
    this.#askedAt = performance.now()
    this.#events.ask(++this.#asked)
  }

  #tick(): void {
    if (this.#isOn) return this.feel()
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  felt(n: number): void {
    if (n === this.#asked) this.#askedAt = null
  }
}
