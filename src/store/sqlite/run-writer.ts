// Where run records are written: few of them at once here, many of them by a thread that is started for it and
// ends when there is nothing more to write.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { lazyModule } from '../../tool/lazy-module.ts'
import type { RunRow } from '../run-record.ts'
import { storeFault } from '../store-error.ts'
import { appendRuns } from './append-runs.ts'
import type { Database } from './database.ts'
import type { Written } from './run-writer-thread.ts'

/** So many records at once are worth a thread, and so many within a second: each write here holds up a call. */
const many = 48
const manyASecond = 100
/** A thread without work for so long is given back. */
const idleMs = 10_000

interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

const threads = lazyModule<typeof import('node:worker_threads')>('node:worker_threads')

export class RunWriter {
  readonly #db: Database
  readonly #file: string | null
  #thread: Worker | null = null
  #count = 0
  readonly #waiting = new Map<number, Waiting>()
  #idle: NodeJS.Timeout | undefined
  #second = { sinceMs: 0, rows: 0 }

  constructor(db: Database) {
    this.#db = db
    this.#file = db.file === ':memory:' ? null : threadFile()
  }

  /** Resolves when the rows are in the chain; rejects when none of them is. */
  append(rows: readonly RunRow[]): Promise<void> {
    // Once there is a thread everything goes through it: records stand in the order they were made in.
    if (this.#thread === null && (this.#file === null || !this.#areMany(rows.length)))
      return appendRuns(this.#db, rows)
    const thread = this.#thread ?? this.#start(this.#file!)
    return new Promise((resolve, reject) => {
      const id = ++this.#count
      clearTimeout(this.#idle)
      if (this.#waiting.size === 0) thread.ref()
      this.#waiting.set(id, { resolve, reject })
      thread.postMessage({ id, rows })
    })
  }

  #areMany(rows: number): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#second.sinceMs > 1_000) this.#second = { sinceMs: nowMs, rows: 0 }
    this.#second.rows += rows
    return rows >= many || this.#second.rows >= manyASecond
  }

  /** Ends the thread; whoever wants the last records written waits for them first. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    if (!thread) return
    this.#lost(thread, 'it was closed')
    await thread.terminate()
  }

  #start(file: string): Worker {
    const thread = new (threads().Worker)(file, { workerData: { file: this.#db.file }, execArgv: [] })
    thread.unref()
    thread.on('message', (written: Written) => this.#settle(thread, written))
    thread.on('error', (error) => this.#lost(thread, error.message))
    thread.on('exit', () => this.#lost(thread, 'it ended'))
    this.#thread = thread
    return thread
  }

  #settle(thread: Worker, { id, fault }: Written): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) {
      thread.unref()
      this.#idle = setTimeout(() => void this.close(), idleMs)
      this.#idle.unref()
    }
    if (fault) waiting?.reject(storeFault(fault.code, fault.message, fault))
    else waiting?.resolve()
  }

  /** What waits belongs to the thread there is now: the end of one that was let go before says nothing of it. */
  #lost(thread: Worker, reason: string): void {
    if (this.#thread !== thread) return
    this.#thread = null
    for (const { reject } of this.#waiting.values())
      reject(storeFault('STORE_IO', `The thread that writes run records failed: ${reason}.`))
    this.#waiting.clear()
  }
}

/** The built thread beside this bundle; from source there is none, and records are written here. */
function threadFile(): string | null {
  const file = fileURLToPath(new URL('./run-writer-thread.js', import.meta.url))
  return existsSync(file) ? file : null
}
