// Samples the processes of each run where no kernel limit holds memory, the number of processes or the share
// of the processor. What it finds is found afterwards: the label says partial.
import { readFileSync } from 'node:fs'
import { ToolError } from '../tool/tool-error.ts'
import type { LayersInForce } from './enforcement.ts'
import { familyOf, processStat } from './process-tree.ts'
import type { Profile } from './profile.ts'

export interface WatchLimits {
  readonly memoryMb?: number
  readonly processes?: number
  readonly cpuPercent?: number
}

interface Watched {
  readonly limits: WatchLimits
  readonly onBreach: (why: ToolError) => void
  samplesOver: number
  cpuTicks: number
  sampledAt: number
  /** Processor time in milliseconds that may still be used; below zero the family is stopped. */
  balanceMs: number
  isStopped: boolean
}

const intervalMs = 100
const tickMs = 10
const mebibyte = 1024 * 1024

export class ResourceWatch {
  readonly #watched = new Map<number, Watched>()
  #timer: NodeJS.Timeout | undefined

  add(pid: number, limits: WatchLimits, onBreach: (why: ToolError) => void): void {
    this.#watched.set(pid, {
      limits,
      onBreach,
      samplesOver: 0,
      cpuTicks: 0,
      sampledAt: performance.now(),
      balanceMs: 0,
      isStopped: false,
    })
    this.#timer ??= setInterval(() => this.#sample(), intervalMs).unref()
  }

  remove(pid: number): void {
    this.#watched.delete(pid)
    if (this.#watched.size === 0) this.close()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sample(): void {
    for (const [pid, watched] of this.#watched) {
      const family = familyOf(pid)
      const why = breachOf(family, watched)
      if (why) {
        this.#watched.delete(pid)
        for (const member of family) signal(member, 'SIGKILL')
        watched.onBreach(why)
      } else if (watched.limits.cpuPercent !== undefined) {
        throttle(family, watched, watched.limits.cpuPercent)
      }
    }
  }
}

function breachOf(family: readonly number[], watched: Watched): ToolError | undefined {
  const { memoryMb, processes } = watched.limits
  if (processes !== undefined && family.length > processes) {
    return new ToolError(
      'PROCESS_LIMIT',
      `The tool started more than ${processes} processes and was stopped.`,
      {
        hint: 'Raise limits.processes in toolcrib.yaml if it needs them.',
      },
    )
  }
  if (memoryMb === undefined) return undefined
  const used = residentBytes(family)
  watched.samplesOver = used > memoryMb * mebibyte ? watched.samplesOver + 1 : 0
  // A second look keeps a short peak alive; twice the limit needs none.
  return watched.samplesOver >= 2 || used > 2 * memoryMb * mebibyte ? memoryLimit(memoryMb) : undefined
}

/** The error of a run that was ended for its memory. */
export function memoryLimit(memoryMb: number): ToolError {
  return new ToolError('MEMORY_LIMIT', `The tool used more than ${memoryMb} MB of memory and was stopped.`, {
    hint: 'Give it less to do at once, or raise memoryMb in its limits or in toolcrib.yaml.',
  })
}

/** Private memory of all, and the largest shared part once: forked workers share most of what they map. */
function residentBytes(family: readonly number[]): number {
  let own = 0
  let shared = 0
  for (const pid of family) {
    try {
      const [, resident, common] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ', 3).map(Number)
      own += resident! - common!
      shared = Math.max(shared, common!)
    } catch {
      // Gone meanwhile.
    }
  }
  return (own + shared) * pageBytes()
}

let page: number | undefined

/** The kernel's page size, from our own size in bytes and in pages. */
function pageBytes(): number {
  if (page === undefined) {
    const pages = Number(readFileSync('/proc/self/statm', 'utf8').split(' ', 2)[1])
    page = 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages))
  }
  return page
}

/** Stops the family when it used more than its share and lets it go on when the share has caught up. */
function throttle(family: readonly number[], watched: Watched, percent: number): void {
  const now = performance.now()
  const ticks = family.reduce((sum, pid) => sum + (processStat(pid)?.cpuTicks ?? 0), 0)
  const earnedMs = (now - watched.sampledAt) * (percent / 100)
  // At most one second's share is saved up. A process that ended takes its time along: never a gift.
  const usedMs = Math.max(0, ticks - watched.cpuTicks) * tickMs
  watched.balanceMs = Math.min(watched.balanceMs + earnedMs - usedMs, percent * 10)
  watched.cpuTicks = ticks
  watched.sampledAt = now
  if (watched.balanceMs < 0 !== watched.isStopped) {
    watched.isStopped = watched.balanceMs < 0
    for (const pid of family) signal(pid, watched.isStopped ? 'SIGSTOP' : 'SIGCONT')
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone meanwhile.
  }
}

/** What the kernel does not hold is sampled; nothing to sample, no watch. */
export function watchLimits(
  profile: Profile,
  held: LayersInForce['cgroup'],
  areProcessesCounted: boolean,
): WatchLimits | undefined {
  if (process.platform !== 'linux') return undefined
  const limits: WatchLimits = {
    memoryMb: held.memory ? undefined : profile.memoryMb,
    processes: held.pids || areProcessesCounted ? undefined : profile.processes,
    cpuPercent: held.cpu || profile.cpuPercent === null ? undefined : profile.cpuPercent,
  }
  return Object.values(limits).some((limit) => limit !== undefined) ? limits : undefined
}
