// A process that is started before anybody knows what it is to do: the launcher of the fence reads its plan from a
// descriptor, so that its own start can be over when a call needs it. One waits at a time and is used once. Who asked
// twice will ask again, so a command that makes one call starts none.
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { SpawnSpec } from '../sandbox/fence.ts'
import type { Streams } from './start-process.ts'

const idleMs = 30_000

export class SpareProcess {
  readonly #spawn: (spec: SpawnSpec, streams: Streams) => ChildProcess
  #asked: string | undefined
  #waiting: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(spawn: (spec: SpawnSpec, streams: Streams) => ChildProcess) {
    this.#spawn = spawn
  }

  /** One that waits for what is asked, or a new one; the next is begun once this one is on its way. */
  take(spec: SpawnSpec, streams: Streams): ChildProcess {
    const kind = kindOf(spec, streams)
    const waiting = this.#asked === kind ? this.#waiting : undefined
    if (waiting) this.#waiting = undefined
    else this.#drop()
    if (this.#asked === kind) setImmediate(() => this.#prepare(kind, spec, streams))
    this.#asked = kind
    if (!waiting) return this.#spawn(spec, streams)
    waiting.ref()
    for (const stream of socketsOf(waiting)) stream.ref()
    return waiting
  }

  close(): void {
    this.#isClosed = true
    this.#drop()
  }

  #prepare(kind: string, spec: SpawnSpec, streams: Streams): void {
    if (this.#isClosed || this.#waiting || this.#asked !== kind) return
    const process = this.#spawn(spec, streams)
    if (process.pid === undefined) return void process.once('error', () => {})
    this.#waiting = process
    process.unref()
    for (const stream of socketsOf(process)) stream.on('error', () => {}).unref()
    process.once('exit', () => {
      if (this.#waiting === process) this.#drop()
    })
    this.#timer = setTimeout(() => this.#drop(), idleMs).unref()
  }

  #drop(): void {
    clearTimeout(this.#timer)
    const process = this.#waiting
    this.#waiting = undefined
    if (!process) return
    process.kill('SIGKILL')
    for (const stream of socketsOf(process)) stream.destroy()
  }
}

/** What must be equal to use one for the other: everything but the bytes that are handed over. */
function kindOf({ handovers = [], ...spec }: SpawnSpec, streams: Streams): string {
  return JSON.stringify([spec, handovers.map(({ fd }) => fd), streams.channel, streams.noInput])
}

/** Node makes every pipe a socket. */
function socketsOf({ stdio }: ChildProcess): Socket[] {
  return (stdio as readonly (Socket | null | undefined)[]).filter((stream) => stream != null)
}
