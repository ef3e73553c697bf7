// A fixed number of places for running calls, handed out first come, first served.

interface Waiter {
  readonly enter: () => void
  readonly signal: AbortSignal
  readonly leave: () => void
}

export class Slots {
  readonly #size: number
  readonly #waiting: Waiter[] = []
  #taken = 0

  constructor(size: number) {
    this.#size = size
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Takes a place if one is free. */
  takeNow(): boolean {
    if (this.#taken >= this.#size || this.#waiting.length > 0) return false
    this.#taken++
    return true
  }

  /** Resolves when a place is taken; rejects with the signal's reason when that fires first. */
  take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.takeNow()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const leave = () => {
        const index = this.#waiting.indexOf(waiter)
        if (index !== -1) this.#waiting.splice(index, 1)
        reject(signal.reason)
      }
      const waiter: Waiter = { enter: resolve, signal, leave }
      this.#waiting.push(waiter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  release(): void {
    const next = this.#waiting.shift()
    if (!next) {
      this.#taken--
      return
    }
    next.signal.removeEventListener('abort', next.leave)
    next.enter()
  }
}
