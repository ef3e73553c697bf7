// Watches over code that runs inside this process: an endless loop in it stops everything, its own time limit too.
// A thread sees that the process no longer beats, says which tool holds it, and ends it.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { lazyModule } from '../../tool/lazy-module.ts'
import type { Tool } from '../../tool/tool.ts'

/** A call that runs code in this process now. */
export interface WatchedCall {
  readonly id: string
  readonly tool: Tool
  /** Time it may take; undefined while it has no limit, Infinity for a service. */
  readonly limitMs: number | undefined
}

/** What the thread is started with: memory it shares with this thread, and what it must know. */
export interface WatchData {
  readonly beats: Int32Array<SharedArrayBuffer>
  readonly times: Float64Array<SharedArrayBuffer>
  readonly beatMs: number
  readonly exitCode: number
  /** The file by which the crib is halted: then silence is not waited for (G25). */
  readonly haltFile: string
}

/** The thread is told once which tool a number stands for. */
export interface NamedTool {
  readonly number: number
  readonly name: string
}

/** Places of `beats`: how often it beat, how many calls stand in the list, then the tool begun since and the list. */
export const places = { beat: 0, count: 1, last: 2, list: 3 } as const
const maxCalls = 64
const beatMs = 1_000

const threads = lazyModule<typeof import('node:worker_threads')>('node:worker_threads')

export class Watchdog {
  readonly #running: () => readonly WatchedCall[]
  readonly #exitCode: number
  readonly #haltFile: string
  readonly #beats = new Int32Array(new SharedArrayBuffer(4 * (places.list + maxCalls)))
  readonly #times = new Float64Array(new SharedArrayBuffer(8 * (places.list + maxCalls)))
  readonly #numbers = new Map<string, number>()
  /** When calls in the list must have ended, by their id. */
  #ends = new Map<string, number>()
  #thread: Worker | undefined
  #beat: NodeJS.Timeout | undefined

  /** `running`: the calls of the process; those that run elsewhere are left out. */
  constructor(running: () => readonly WatchedCall[], given: { exitCode: number; haltFile: string }) {
    this.#running = running
    this.#exitCode = given.exitCode
    this.#haltFile = given.haltFile
  }

  /** Code of a tool is about to run. Cheap: it is said for every call, and nothing when the call is over. */
  begin(tool: Tool, limitMs: number | undefined): void {
    const number = this.#numbers.get(tool.id) ?? this.#name(tool)
    this.#times[places.last] = limitMs ?? Number.POSITIVE_INFINITY
    this.#beats[places.last] = number
  }

  async close(): Promise<void> {
    clearInterval(this.#beat)
    await this.#thread?.terminate()
    this.#thread = undefined
  }

  #name(tool: Tool): number {
    const number = this.#numbers.size + 1
    this.#numbers.set(tool.id, number)
    const name = tool.source.file === null ? tool.id : `${tool.id} (${tool.source.file})`
    this.#thread ??= this.#start()
    this.#thread?.postMessage({ number, name } satisfies NamedTool)
    return number
  }

  #start(): Worker | undefined {
    const file = fileURLToPath(new URL('./watchdog-thread.js', import.meta.url))
    // From source there is none.
    if (!existsSync(file)) return undefined
    const workerData: WatchData = {
      beats: this.#beats,
      times: this.#times,
      beatMs,
      exitCode: this.#exitCode,
      haltFile: this.#haltFile,
    }
    const thread = new (threads().Worker)(file, { workerData, execArgv: [] })
    thread.unref()
    // Without it the process works as before, unwatched.
    thread.on('error', () => {})
    this.#beat = setInterval(() => this.#tick(), beatMs)
    this.#beat.unref()
    return thread
  }

  #tick(): void {
    const now = performance.now()
    const ends = new Map<string, number>()
    let count = 0
    for (const { id, tool, limitMs } of this.#running()) {
      const number = this.#numbers.get(tool.id)
      if (number === undefined || count === maxCalls) continue
      const end = this.#ends.get(id) ?? now + (limitMs ?? Number.POSITIVE_INFINITY)
      ends.set(id, end)
      this.#beats[places.list + count] = number
      this.#times[places.list + count] = end - now
      count++
    }
    this.#ends = ends
    this.#beats[places.count] = count
    this.#beats[places.last] = 0
    Atomics.add(this.#beats, places.beat, 1)
  }
}

let current: Watchdog | undefined

/** The watchdog of this process; none but in a server that somebody starts again when it ends. */
export function watchdog(): Watchdog | undefined {
  return current
}

/** Has code in this process watched from now on. */
export function setWatchdog(watchdog: Watchdog | undefined): void {
  current = watchdog
}
