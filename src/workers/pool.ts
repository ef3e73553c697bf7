// Warm workers, by key. A key stands for everything that must be equal to share a process (program, rights, limits,
// principal), so no process ever serves two of them. Callers wait in order; idle workers leave after a while, and so
// do those that served many calls, hold much memory, or work on without a call.
import { familyOf, processStat } from '../sandbox/process-tree.ts'
import { ToolError } from '../tool/tool-error.ts'
import { residentBytes } from './memory-watch.ts'
import type { Worker } from './worker.ts'

export interface PoolKey {
  readonly key: string
  /** What a key is a version of: a new key under the same family replaces the old ones. */
  readonly family?: string
}

export interface PoolSettings {
  readonly workersPerKey: number
  readonly callsPerWorker: number
  readonly idleMs: number
  /** Starts under way for one key: one where a process serves many calls, more where it serves one at a time. */
  readonly startsAtOnce: number
  /** The calls of one run go into one process, however many are in it: they share what lives there. */
  readonly nestsInOne?: boolean
  /** In all; beyond it the longest idle one makes room. */
  readonly maxWorkers: number
}

/** Who wants a worker. */
export interface Taker {
  readonly signal: AbortSignal
  /** A call made by another one does not wait: the worker it would wait for may be waiting for it. */
  readonly isNested?: boolean
  /** The outermost call of the run. */
  readonly root?: RunRoot | undefined
}

/** The outermost call of a run, whose end is the end of everything it caused. */
export interface RunRoot {
  readonly isOver: boolean
}

interface Group<Kind extends Worker> {
  readonly family: string | undefined
  readonly workers: Set<Kind>
  readonly starting: Set<Promise<unknown>>
  /** Calls that wait, first come, first served. */
  readonly waiting: ((worker?: Kind) => void)[]
  /** A worker of it wrote: its next one will probably too. */
  isWriting: boolean
}

interface Rest {
  /** Clock ticks its family had used at the last look. */
  ticks: number
  /** Looks in a row at which it worked without a call. */
  busyLooks: number
  looks: number
}

const maxWaiting = 1_000
const lookEveryMs = 1_000
/** A resting worker is looked at every second at first, then every tenth. */
const closeLooks = 5
const rareLook = 10
/** A fifth of a core, for two looks in a row. */
const busyTicks = 20
const maxBusyLooks = 2

export class WorkerPool<Kind extends Worker = Worker> {
  readonly #settings: PoolSettings
  readonly #groups = new Map<string, Group<Kind>>()
  /** Every worker until its process is gone, retired ones included. */
  readonly #living = new Set<Kind>()
  readonly #rests = new Map<Worker, Rest>()
  #sweep: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  get size(): number {
    return this.#living.size
  }

  /** A worker for one call, claimed for it; starts one when none takes calls. */
  take(key: PoolKey, start: () => Promise<Kind>, taker: Taker): Kind | Promise<Kind> {
    if (this.#isClosed) throw closing()
    const group = this.#groups.get(key.key) ?? this.#newGroup(key)
    const isNext =
      group.waiting.length === 0 || taker.isNested || (this.#settings.nestsInOne && this.#own(group, taker))
    const free = isNext ? this.#claim(key.key, group, start, taker) : undefined
    return free ?? this.#await(key.key, group, start, taker)
  }

  /** A worker of its own for one call (isolated calls, services); the caller retires it. */
  async takeSingle(start: () => Promise<Kind>): Promise<Kind> {
    if (this.#isClosed) throw closing()
    const worker = await start()
    worker.claimed++
    this.#keep(worker)
    return worker
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#sweep)
    const groups = [...this.#groups.values()]
    for (const group of groups) for (const wake of group.waiting.splice(0)) wake()
    await Promise.allSettled(groups.flatMap((group) => [...group.starting]))
    await Promise.all([...this.#living].map((worker) => worker.kill()))
  }

  #claim(key: string, group: Group<Kind>, start: () => Promise<Kind>, taker?: Taker): Kind | undefined {
    const { nestsInOne } = this.#settings
    const free = (nestsInOne && this.#own(group, taker)) || leastBusy(group.workers)
    if (!free) return undefined
    if (nestsInOne) enter(free, taker)
    free.claimed++
    free.restsSince = null
    this.#rests.delete(free)
    // Its successor is there when it has served its last call, so that none waits for a start.
    const left = this.#settings.callsPerWorker - free.served
    const isLastOfMany = left <= this.#settings.callsPerWorker / 10 && group.workers.size === 1
    if (isLastOfMany || group.isWriting) this.#startAhead(key, group, start, free)
    return free
  }

  /** The worker that another call of the same run is in. */
  #own({ workers }: Group<Kind>, taker: Taker | undefined): Kind | undefined {
    if (!taker?.root) return undefined
    for (const worker of workers)
      if (worker.claimed > 0 && worker.roots.has(taker.root) && !worker.isRetired && !worker.isGone)
        return worker
    return undefined
  }

  /** A worker that leaves with its call has a successor by then (E4). */
  #startAhead(key: string, group: Group<Kind>, start: () => Promise<Kind>, taken?: Kind): void {
    const isAlone =
      group.starting.size === 0 && ![...group.workers].some((worker) => worker !== taken && worker.takesCalls)
    if (isAlone && group.workers.size < this.#settings.workersPerKey)
      this.#begin(key, group, start).catch(() => {})
  }

  async #await(key: string, group: Group<Kind>, start: () => Promise<Kind>, taker: Taker): Promise<Kind> {
    for (;;) {
      taker.signal.throwIfAborted()
      const isShared = this.#settings.nestsInOne === true && group.starting.size > 0
      if (this.#mayStart(group) || (taker.isNested && !isShared))
        await abortable(this.#begin(key, group, start), taker.signal)
      // Whoever waits for a first worker hears why there is none.
      else if (group.starting.size > 0 && (group.workers.size === 0 || taker.isNested))
        await abortable(Promise.race(group.starting), taker.signal)
      else {
        const handed = await this.#turn(group, taker.signal)
        if (handed && this.#settings.nestsInOne) enter(handed, taker)
        if (handed) return handed
      }
      if (this.#isClosed) throw closing()
      const free = this.#claim(key, group, start, taker)
      if (free) return free
    }
  }

  /** Hands what is free to those who wait, in their order; one who may start a worker himself is woken to do so. */
  #serve(key: string, group: Group<Kind>, start: () => Promise<Kind>): void {
    while (group.waiting.length > 0) {
      const free = this.#claim(key, group, start)
      if (!free && !this.#mayStart(group)) return
      group.waiting.shift()!(free)
      if (!free) return
    }
  }

  #mayStart({ workers, starting }: Group<Kind>): boolean {
    const { workersPerKey, startsAtOnce } = this.#settings
    return workers.size + starting.size < workersPerKey && starting.size < startsAtOnce
  }

  #turn(group: Group<Kind>, signal: AbortSignal): Promise<Kind | undefined> {
    if (group.waiting.length >= maxWaiting) {
      throw new ToolError('BUSY', `${maxWaiting} calls already wait for a worker of this tool.`, {
        retryable: false,
      })
    }
    return new Promise((resolve, reject) => {
      const wake = (worker?: Kind) => {
        signal.removeEventListener('abort', leave)
        resolve(worker)
      }
      const leave = () => {
        group.waiting.splice(group.waiting.indexOf(wake), 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      group.waiting.push(wake)
    })
  }

  #begin(key: string, group: Group<Kind>, start: () => Promise<Kind>): Promise<unknown> {
    if (this.#living.size >= this.#settings.maxWorkers) this.#dropLongestIdle()
    const starting = start()
      .then((worker) => this.#adopt(key, group, worker, start))
      .finally(() => {
        group.starting.delete(starting)
        this.#serve(key, group, start)
      })
    group.starting.add(starting)
    return starting
  }

  #newGroup({ key, family }: PoolKey): Group<Kind> {
    const group: Group<Kind> = {
      family,
      workers: new Set(),
      starting: new Set(),
      waiting: [],
      isWriting: false,
    }
    this.#groups.set(key, group)
    // A new version, other rights or other limits: workers of the old ones take no more calls.
    for (const [other, old] of this.#groups) {
      if (family === undefined || old.family !== family || old === group) continue
      for (const worker of old.workers) worker.retire()
      if (isEmpty(old)) this.#groups.delete(other)
    }
    return group
  }

  #adopt(key: string, group: Group<Kind>, worker: Kind, start: () => Promise<Kind>): void {
    group.workers.add(worker)
    worker.onChange = () => {
      if (worker.isRetired || worker.isGone) {
        if (group.workers.delete(worker) && worker.hasWritten && !this.#isClosed) {
          group.isWriting = true
          this.#startAhead(key, group, start)
        }
      } else if (worker.claimed === 0 && worker.restsSince === null) this.#rest(worker)
      if (group.waiting.length > 0) this.#serve(key, group, start)
    }
    void worker.ended.then(() => {
      this.#rests.delete(worker)
      if (isEmpty(group) && this.#groups.get(key) === group) this.#groups.delete(key)
    })
    this.#keep(worker)
    if (worker.isGone) worker.onChange()
    else this.#rest(worker)
  }

  #keep(worker: Kind): void {
    this.#living.add(worker)
    void worker.ended.then(() => this.#living.delete(worker))
    if (this.#isClosed) void worker.kill()
  }

  #rest(worker: Kind): void {
    if (worker.served >= this.#settings.callsPerWorker) return worker.retire()
    worker.restsSince = performance.now()
    const everyMs = Math.max(50, Math.min(lookEveryMs, this.#settings.idleMs / 4))
    this.#sweep ??= setInterval(() => this.#look(), everyMs).unref()
  }

  #look(): void {
    let isResting = false
    for (const worker of this.#living) {
      if (worker.restsSince === null || worker.isRetired) continue
      isResting = true
      if (performance.now() - worker.restsSince >= this.#settings.idleMs || this.#isRestless(worker))
        worker.retire()
    }
    if (isResting) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  /** It works without a call, or holds most of the memory it may have: a fresh one serves better. */
  #isRestless(worker: Worker): boolean {
    const rest = this.#rests.get(worker)
    if (!rest) {
      this.#rests.set(worker, { ticks: ticksOf(worker), busyLooks: 0, looks: 0 })
      return residentBytes(worker.child.pid) > worker.roomyBytes
    }
    if (++rest.looks > closeLooks && rest.looks % rareLook !== 0) return false
    const ticks = ticksOf(worker)
    const lookedMs = rest.looks > closeLooks ? lookEveryMs * rareLook : lookEveryMs
    rest.busyLooks = ticks - rest.ticks > (busyTicks * lookedMs) / lookEveryMs ? rest.busyLooks + 1 : 0
    rest.ticks = ticks
    return rest.busyLooks >= maxBusyLooks
  }

  #dropLongestIdle(): void {
    let oldest: Kind | undefined
    for (const worker of this.#living)
      if (worker.restsSince !== null && !worker.isRetired)
        if (!oldest || worker.restsSince < oldest.restsSince!) oldest = worker
    oldest?.retire()
  }
}

function closing(): ToolError {
  return new ToolError('CANCELLED', 'The crib is closing; nothing more is started.')
}

/** Remembers which run a worker is in, where the calls of a run share one. */
function enter({ roots }: Worker, taker: Taker | undefined): void {
  for (const root of roots) if (root.isOver) roots.delete(root)
  if (taker?.root) roots.add(taker.root)
}

function isEmpty<Kind extends Worker>(group: Group<Kind>): boolean {
  return group.workers.size === 0 && group.starting.size === 0 && group.waiting.length === 0
}

function leastBusy<Kind extends Worker>(workers: Iterable<Kind>): Kind | undefined {
  let best: Kind | undefined
  for (const worker of workers)
    if (worker.takesCalls && (best === undefined || worker.claimed < best.claimed)) best = worker
  return best
}

function ticksOf(worker: Worker): number {
  return familyOf(worker.child.pid).reduce((sum, pid) => sum + (processStat(pid)?.cpuTicks ?? 0), 0)
}

/** Waits for a promise, but not longer than the signal allows; the promise itself goes on. */
function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
