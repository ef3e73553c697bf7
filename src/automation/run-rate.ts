// At most so many runs begin within a minute (C74): later ones are delayed, not lost.

const windowMs = 60_000

export class RunRate {
  readonly #perMinute: number
  #starts: number[] = []

  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  begin(nowMs: number): void {
    this.#starts.push(nowMs)
  }

  /** How long the next run must wait. */
  delayMs(nowMs: number): number {
    this.#starts = this.#starts.filter((at) => nowMs - at < windowMs)
    return this.#starts.length < this.#perMinute ? 0 : this.#starts[0]! + windowMs - nowMs
  }
}
