// Time, injectable: everything that waits or dates asks the clock, so tests move time themselves.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls back after `delayMs`; the returned function cancels. Never keeps the process alive. */
  after(delayMs: number, run: () => void): () => void
}

/** setTimeout counts in 32 bits; longer waits are walked in stages. */
const maxTimerMs = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    let timer: NodeJS.Timeout
    const arm = (left: number): void => {
      timer = setTimeout(
        () => (left > maxTimerMs ? arm(left - maxTimerMs) : run()),
        Math.min(left, maxTimerMs),
      )
      timer.unref()
    }
    arm(Math.max(0, delayMs))
    return () => clearTimeout(timer)
  },
}

/** Resolves after `delayMs` of the clock's time; at once when the signal has fired or fires. */
export function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const cancel = clock.after(delayMs, done)
    function done(): void {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
  })
}
