// Warm workers, by key. A key stands for one tool version with its rights, limits, owner and workspace, so no
// process ever serves two tools or two owners.
import type { DenoConfig } from '../../config/config.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { DenoWorker } from './worker.ts'

export interface PoolKey {
  /** Everything that must be equal to share a process. */
  readonly key: string
  /** Tool, owner and workspace: a new key under the same family replaces the old ones. */
  readonly family: string
}

interface Group {
  readonly family: string
  readonly workers: Set<DenoWorker>
  starting: Promise<DenoWorker> | null
  /** Calls that wait for any worker of the group to change. */
  waiting: (() => void)[]
}

export class WorkerPool {
  readonly #settings: DenoConfig
  readonly #groups = new Map<string, Group>()
  /** Every worker until its process is gone, retired ones included. */
  readonly #living = new Set<DenoWorker>()
  /** Each has one timer until it leaves, however often it works meanwhile. */
  readonly #idleTimers = new Map<DenoWorker, NodeJS.Timeout>()
  #isClosed = false

  constructor(settings: DenoConfig) {
    this.#settings = settings
  }

  get workers(): readonly DenoWorker[] {
    return [...this.#living]
  }

  /** A worker that takes a call now; starts one when none does. */
  take(
    key: PoolKey,
    start: () => Promise<DenoWorker>,
    waiting: { readonly signal: AbortSignal },
  ): DenoWorker | Promise<DenoWorker> {
    const group = this.#group(key)
    const free = this.#free(key.key, group, start)
    return free ?? this.#await(key.key, group, start, waiting.signal)
  }

  #free(key: string, group: Group, start: () => Promise<DenoWorker>): DenoWorker | undefined {
    this.#mustBeOpen()
    const free = leastBusy(group.workers)
    if (!free) return undefined
    free.restsSince = null
    // Its successor is there when it has served its last call, so that none waits for a start.
    const left = this.#settings.callsPerWorker - free.served
    if (left <= this.#settings.callsPerWorker / 10 && group.workers.size === 1 && !group.starting)
      this.#begin(key, group, start).catch(() => {})
    return free
  }

  async #await(
    key: string,
    group: Group,
    start: () => Promise<DenoWorker>,
    signal: AbortSignal,
  ): Promise<DenoWorker> {
    for (;;) {
      signal.throwIfAborted()
      if (group.starting) await abortable(group.starting, signal)
      else if (group.workers.size < this.#settings.workersPerTool)
        await abortable(this.#begin(key, group, start), signal)
      else await abortable(new Promise<void>((resolve) => group.waiting.push(resolve)), signal)
      const free = this.#free(key, group, start)
      if (free) return free
    }
  }

  #begin(key: string, group: Group, start: () => Promise<DenoWorker>): Promise<DenoWorker> {
    group.starting = start()
      .then((worker) => this.#adopt(key, group, worker))
      .finally(() => {
        group.starting = null
      })
    return group.starting
  }

  /** A worker of its own for one call (`isolation: call`, services); the caller retires it. */
  async takeSingle(start: () => Promise<DenoWorker>): Promise<DenoWorker> {
    this.#mustBeOpen()
    const worker = await start()
    this.#keep(worker)
    return worker
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled([...this.#groups.values()].map((group) => group.starting))
    await Promise.all(this.workers.map((worker) => worker.kill()))
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new ToolError('CANCELLED', 'The crib is closing; nothing more is started.')
  }

  #group({ key, family }: PoolKey): Group {
    let group = this.#groups.get(key)
    if (!group) {
      group = { family, workers: new Set(), starting: null, waiting: [] }
      this.#groups.set(key, group)
      // A new version, other rights or other limits: workers of the old ones take no more calls.
      for (const [other, old] of this.#groups) {
        if (old.family !== family || old === group) continue
        for (const worker of old.workers) worker.retire()
        if (old.workers.size === 0 && !old.starting) this.#groups.delete(other)
      }
    }
    return group
  }

  #adopt(key: string, group: Group, worker: DenoWorker): DenoWorker {
    group.workers.add(worker)
    worker.onChange = () => {
      if (worker.isRetired || worker.isGone) group.workers.delete(worker)
      else if (worker.running === 0 && worker.restsSince === null) this.#rest(worker)
      if (group.waiting.length > 0) for (const wake of group.waiting.splice(0)) wake()
    }
    void worker.ended.then(() => {
      clearTimeout(this.#idleTimers.get(worker))
      this.#idleTimers.delete(worker)
      if (
        group.workers.size === 0 &&
        !group.starting &&
        group.waiting.length === 0 &&
        this.#groups.get(key) === group
      )
        this.#groups.delete(key)
    })
    this.#keep(worker)
    this.#rest(worker)
    return worker
  }

  #keep(worker: DenoWorker): void {
    this.#living.add(worker)
    void worker.ended.then(() => this.#living.delete(worker))
    if (this.#isClosed) void worker.kill()
  }

  #rest(worker: DenoWorker): void {
    if (worker.served >= this.#settings.callsPerWorker) return worker.retire()
    worker.restsSince = performance.now()
    if (!this.#idleTimers.has(worker)) this.#lookAgain(worker, this.#settings.idleMs)
  }

  /** Retires the worker when it has rested for its time by then. */
  #lookAgain(worker: DenoWorker, afterMs: number): void {
    const look = () => {
      const since = worker.restsSince
      const leftMs =
        since === null ? this.#settings.idleMs : since + this.#settings.idleMs - performance.now()
      if (leftMs <= 0) worker.retire()
      else this.#lookAgain(worker, leftMs)
    }
    this.#idleTimers.set(worker, setTimeout(look, afterMs).unref())
  }
}

function leastBusy(workers: Iterable<DenoWorker>): DenoWorker | undefined {
  let best: DenoWorker | undefined
  for (const worker of workers) {
    if (worker.takesCalls && (best === undefined || worker.running < best.running)) best = worker
  }
  return best
}

/** Waits for a promise, but not longer than the signal allows; the promise itself goes on. */
function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
