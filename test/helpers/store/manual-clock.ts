// A clock tests move by hand: timers run in the order they are due, with everything they start let through.
import type { Clock } from '../../../src/store/clock.ts'

export interface ManualClock extends Clock {
  /** Moves time on, running every timer on the way. */
  advance(ms: number): Promise<void>
  /** Sets the time without running timers, as a machine that slept does; back, what a timer still waits for stays. */
  jump(toMs: number): void
}

export function manualClock(startMs: number | string): ManualClock {
  let now = typeof startMs === 'string' ? Date.parse(startMs) : startMs
  let timers: { at: number; run: () => void }[] = []
  return {
    now: () => now,
    after(delayMs, run) {
      const timer = { at: now + Math.max(0, delayMs), run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    async advance(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const due = timers.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!due) break
        timers = timers.filter((one) => one !== due)
        now = Math.max(now, due.at)
        due.run()
        await settle()
      }
      now = end
      await settle()
    },
    jump(toMs) {
      for (const timer of timers) timer.at += Math.min(0, toMs - now)
      now = toMs
    },
  }
}

/** Lets everything that is ready run: promises and the writes they queue. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}
