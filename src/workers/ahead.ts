// Processes that are started before anybody asks for them, each used once: a call that wants a process of its own does
// not wait for its start. A key stands for everything in which they are alike. Who asked twice will ask again, so the
// first process of a key has no successor: a command that makes one call starts one process.
import type { Worker } from './worker.ts'

export interface AheadSettings {
  /** Processes that wait, for each key. */
  readonly perKey: number
  /** Keys that have any; beyond it the one that was asked for the longest time ago has none. */
  readonly keys: number
  /** How long they wait for somebody who asks. */
  readonly idleMs: number
}

interface Line<Kind extends Worker> {
  /** Started or starting, oldest first. */
  readonly waiting: Set<Promise<Kind>>
  asked: number
  timer: NodeJS.Timeout | undefined
}

export class Ahead<Kind extends Worker> {
  readonly #settings: AheadSettings
  /** In the order in which they were asked for last. */
  readonly #lines = new Map<string, Line<Kind>>()
  #isClosed = false

  constructor(settings: AheadSettings) {
    this.#settings = settings
  }

  /** A process that nothing has run in; the caller ends it after its one call. */
  async take(key: string, start: () => Promise<Kind>): Promise<Kind> {
    return (await this.#waiting(this.#line(key))) ?? (await start())
  }

  /** Starts those that will be asked for next, where a key was asked for more than once. */
  prepare(key: string, start: () => Promise<Kind>): void {
    const line = this.#lines.get(key)
    if (this.#isClosed || !line || line.asked < 2) return
    while (line.waiting.size < this.#settings.perKey) {
      const next = start()
      next.catch(() => line.waiting.delete(next))
      line.waiting.add(next)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#lines.keys()].map((key) => this.#drop(key)))
  }

  #line(key: string): Line<Kind> {
    const line = this.#lines.get(key) ?? { waiting: new Set(), asked: 0, timer: undefined }
    this.#lines.delete(key)
    this.#lines.set(key, line)
    line.asked++
    clearTimeout(line.timer)
    line.timer = setTimeout(() => void this.#drop(key), this.#settings.idleMs).unref()
    if (this.#lines.size > this.#settings.keys) void this.#drop(this.#lines.keys().next().value!)
    return line
  }

  /** The first that is still there; one that could not be started is nobody's fault but the next one's. */
  async #waiting({ waiting }: Line<Kind>): Promise<Kind | undefined> {
    for (const next of waiting) {
      waiting.delete(next)
      const worker = await next.catch(() => undefined)
      if (worker && !worker.isGone && !worker.isRetired) return worker
    }
    return undefined
  }

  async #drop(key: string): Promise<void> {
    const line = this.#lines.get(key)
    if (!line) return
    this.#lines.delete(key)
    clearTimeout(line.timer)
    const left = [...line.waiting]
    line.waiting.clear()
    await Promise.all(left.map((next) => next.then((worker) => worker.kill()).catch(() => {})))
  }
}
