// Warm workers by key. A key has a bounded number of workers, callers beyond it wait their turn; idle workers
// leave after a while, and the longest idle one makes room when there are too many in all.
import { availableParallelism } from 'node:os'
import { ToolError } from '../../tool/tool-error.ts'
import type { Worker } from './worker.ts'

const maxPerKey = Math.max(2, Math.min(4, availableParallelism()))
const maxWorkers = 32
const idleMs = 60_000
const maxWaiting = 1_000

interface Lane {
  readonly idle: Worker[]
  size: number
  readonly waiting: ((worker: Worker | null) => void)[]
}

export class WorkerPool {
  readonly #lanes = new Map<string, Lane>()
  readonly #idleMs: number
  #sweep: NodeJS.Timeout | null = null
  #total = 0
  #closed = false

  constructor(options: { readonly idleMs?: number } = {}) {
    this.#idleMs = options.idleMs ?? idleMs
  }

  get size(): number {
    return this.#total
  }

  /** An idle worker, if there is one. */
  takeIdle(key: string): Worker | undefined {
    const lane = this.#lanes.get(key)
    if (!lane || this.#closed) return undefined
    for (let idle = lane.idle.pop(); idle; idle = lane.idle.pop()) {
      if (idle.isAlive) return idle
      this.#gone(lane)
    }
    return undefined
  }

  /**
   * A worker for one call: an idle one, a new one, or the next that is given back. A nested call does not wait,
   * because the worker it would wait for may be waiting for it.
   */
  async take(
    key: string,
    start: () => Promise<Worker>,
    waiting: { readonly signal: AbortSignal },
    isNested: boolean,
  ): Promise<Worker> {
    const lane = this.#lane(key)
    for (;;) {
      if (this.#closed) throw new ToolError('CANCELLED', 'The crib is closing; nothing more is started.')
      const idle = this.takeIdle(key)
      if (idle) return idle
      if (lane.size < maxPerKey || isNested) return this.#start(lane, start)
      const handed = await this.#wait(lane, waiting.signal)
      if (handed) return handed
    }
  }

  /** Takes a worker back; one that must not serve again is ended. */
  give(key: string, worker: Worker, isReusable: boolean): void {
    const lane = this.#lane(key)
    if (!isReusable || !worker.isAlive || this.#closed) {
      this.#gone(lane)
      void worker.stop()
      lane.waiting.shift()?.(null)
      return
    }
    const next = lane.waiting.shift()
    if (next) return next(worker)
    worker.idleSince = Date.now()
    worker.rest()
    lane.idle.push(worker)
    this.#sweep ??= setInterval(() => this.#sweepIdle(), Math.max(50, this.#idleMs / 4)).unref()
  }

  /** Ends idle workers now; busy ones are ended by their calls. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#sweep) clearInterval(this.#sweep)
    const idle = [...this.#lanes.values()].flatMap((lane) => lane.idle.splice(0))
    for (const lane of this.#lanes.values()) for (const wake of lane.waiting.splice(0)) wake(null)
    this.#total -= idle.length
    await Promise.all(idle.map((worker) => worker.stop()))
  }

  #lane(key: string): Lane {
    let lane = this.#lanes.get(key)
    if (!lane) {
      lane = { idle: [], size: 0, waiting: [] }
      this.#lanes.set(key, lane)
    }
    return lane
  }

  async #start(lane: Lane, start: () => Promise<Worker>): Promise<Worker> {
    if (this.#total >= maxWorkers) this.#dropOldest()
    lane.size++
    this.#total++
    try {
      return await start()
    } catch (error) {
      this.#gone(lane)
      lane.waiting.shift()?.(null)
      throw error
    }
  }

  #wait(lane: Lane, signal: AbortSignal): Promise<Worker | null> {
    if (lane.waiting.length >= maxWaiting) {
      throw new ToolError('BUSY', `${maxWaiting} calls already wait for a worker of this tool.`, {
        retryable: false,
      })
    }
    return new Promise((resolve, reject) => {
      const wake = (worker: Worker | null) => {
        signal.removeEventListener('abort', leave)
        resolve(worker)
      }
      const leave = () => {
        const at = lane.waiting.indexOf(wake)
        if (at !== -1) lane.waiting.splice(at, 1)
        reject(signal.reason)
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      lane.waiting.push(wake)
    })
  }

  #gone(lane: Lane): void {
    lane.size--
    this.#total--
  }

  #sweepIdle(): void {
    const before = Date.now() - this.#idleMs
    for (const [key, lane] of this.#lanes) {
      while (lane.idle[0] && lane.idle[0].idleSince <= before) this.#end(lane, lane.idle.shift()!)
      if (lane.size === 0 && lane.waiting.length === 0) this.#lanes.delete(key)
    }
    if (this.#lanes.size === 0 && this.#sweep) {
      clearInterval(this.#sweep)
      this.#sweep = null
    }
  }

  #dropOldest(): void {
    let oldest: Lane | undefined
    for (const lane of this.#lanes.values()) {
      if (lane.idle[0] && (!oldest || lane.idle[0].idleSince < oldest.idle[0]!.idleSince)) oldest = lane
    }
    if (oldest) this.#end(oldest, oldest.idle.shift()!)
  }

  #end(lane: Lane, worker: Worker): void {
    this.#gone(lane)
    void worker.stop()
  }
}
