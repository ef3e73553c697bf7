// Watches the memory and the processor time of workers by reading /proc, every 100 ms. It notices and stops; only
// a cgroup would prevent, which is why its label is "partial".
import { familyOf, processStat } from '../../sandbox/process-tree.ts'

export interface Watched {
  readonly pid: number
  /** Resident bytes above which the process is ended; null until its idle size is known. */
  limitBytes(): number | null
  /** 100 = one core; null: not limited here. */
  readonly cpuPercent: number | null
  onOverLimit(bytes: number): void
  /** The process was stopped or continued to keep its share. */
  onThrottle(isStopped: boolean): void
}

interface State {
  readonly watched: Watched
  overLimit: number
  /** Processor milliseconds used at recent samples, oldest first. */
  samples: { at: number; usedMs: number }[]
  stoppedAt: number | null
}

const everyMs = 100
const windowMs = 1_000
const tickMs = 10
const pageBytes = 4_096

export class ProcessWatch {
  readonly #states = new Set<State>()
  #timer: NodeJS.Timeout | undefined

  /** False where there is nothing to read: then limits are advisory. */
  static get isPossible(): boolean {
    return processStat(process.pid) !== undefined
  }

  /** Starts watching; the returned function ends it. */
  watch(watched: Watched): () => void {
    const state: State = { watched, overLimit: 0, samples: [], stoppedAt: null }
    this.#states.add(state)
    this.#timer ??= setInterval(() => this.#sample(), everyMs).unref()
    return () => {
      this.#states.delete(state)
      if (this.#states.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #sample(): void {
    for (const state of this.#states) {
      const stats = familyOf(state.watched.pid).flatMap((pid) => processStat(pid) ?? [])
      if (stats.length === 0) continue
      this.#judgeMemory(state, stats.reduce((sum, stat) => sum + stat.residentPages, 0) * pageBytes)
      const usedMs = stats.reduce((sum, stat) => sum + stat.cpuTicks, 0) * tickMs
      if (state.watched.cpuPercent !== null)
        judgeShare(
          state,
          usedMs,
          stats.map((stat) => stat.pid),
        )
    }
  }

  #judgeMemory(state: State, bytes: number): void {
    const limit = state.watched.limitBytes()
    state.overLimit = limit !== null && bytes > limit ? state.overLimit + 1 : 0
    if (state.overLimit >= 2) state.watched.onOverLimit(bytes)
  }
}

/** Stops a process that used more than its share of the last second, and continues it when that is past. */
function judgeShare(state: State, usedMs: number, pids: readonly number[]): void {
  const at = performance.now()
  state.samples.push({ at, usedMs })
  while (state.samples.length > 1 && state.samples[1]!.at <= at - windowMs) state.samples.shift()
  const first = state.samples[0]!
  // One tick of slack: the kernel counts in ticks, and one full core must not be taken for more.
  const allowedMs = (Math.max(windowMs, at - first.at) * state.watched.cpuPercent!) / 100 + tickMs
  const isOver = usedMs - first.usedMs > allowedMs
  if (isOver === (state.stoppedAt !== null)) return
  state.stoppedAt = isOver ? at : null
  for (const pid of pids) signal(pid, isOver ? 'SIGSTOP' : 'SIGCONT')
  state.watched.onThrottle(isOver)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone meanwhile.
  }
}

/** Resident bytes of a process and its descendants. */
export function residentBytes(pid: number): number {
  return familyOf(pid).reduce((sum, each) => sum + (processStat(each)?.residentPages ?? 0), 0) * pageBytes
}
