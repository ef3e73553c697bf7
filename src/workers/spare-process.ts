// Processes that are started before anybody knows what they are to do: the launcher of the fence reads its plan from a
// descriptor, so that its own start can be over when a call needs it. One waits for each kind of start (with or without
// input, a channel, a layer that stays), because the calls of an agent change kinds all the time. Each is used once. Who
// asked twice will ask again, so a command that makes one call starts none.
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { SpawnSpec } from '../sandbox/fence.ts'
import type { Streams } from './start-process.ts'

const idleMs = 30_000
/** Kinds of which one waits; beyond it the kind that was asked for the longest time ago has none. */
const maxKinds = 4

interface Place {
  waiting: ChildProcess | undefined
  timer: NodeJS.Timeout | undefined
}

export class SpareProcess {
  readonly #spawn: (spec: SpawnSpec, streams: Streams) => ChildProcess
  /** In the order in which they were asked for last. */
  readonly #places = new Map<string, Place>()
  #isClosed = false

  constructor(spawn: (spec: SpawnSpec, streams: Streams) => ChildProcess) {
    this.#spawn = spawn
  }

  /** One that waits for what is asked, or a new one; the next is begun once this one is on its way. */
  take(spec: SpawnSpec, streams: Streams): ChildProcess {
    const kind = kindOf(spec, streams)
    const known = this.#places.get(kind)
    const place = known ?? { waiting: undefined, timer: undefined }
    this.#places.delete(kind)
    this.#places.set(kind, place)
    if (this.#places.size > maxKinds) this.#forget(this.#places.keys().next().value!)
    if (known) setImmediate(() => this.#prepare(place, { kind, spec, streams }))
    const { waiting } = place
    if (!waiting) return this.#spawn(spec, streams)
    clearTimeout(place.timer)
    place.waiting = undefined
    waiting.ref()
    for (const stream of socketsOf(waiting)) stream.ref()
    return waiting
  }

  close(): void {
    this.#isClosed = true
    for (const kind of [...this.#places.keys()]) this.#forget(kind)
  }

  #prepare(
    place: Place,
    { kind, spec, streams }: { readonly kind: string; readonly spec: SpawnSpec; readonly streams: Streams },
  ): void {
    if (this.#isClosed || place.waiting || this.#places.get(kind) !== place) return
    const process = this.#spawn(spec, streams)
    if (process.pid === undefined) return void process.once('error', () => {})
    place.waiting = process
    process.unref()
    for (const stream of socketsOf(process)) stream.on('error', () => {}).unref()
    process.once('exit', () => {
      if (place.waiting === process) drop(place)
    })
    place.timer = setTimeout(() => drop(place), idleMs).unref()
  }

  #forget(kind: string): void {
    drop(this.#places.get(kind)!)
    this.#places.delete(kind)
  }
}

function drop(place: Place): void {
  clearTimeout(place.timer)
  const process = place.waiting
  place.waiting = undefined
  if (!process) return
  process.kill('SIGKILL')
  for (const stream of socketsOf(process)) stream.destroy()
}

/** What must be equal to use one for the other: everything but the bytes that are handed over. */
function kindOf({ handovers = [], ...spec }: SpawnSpec, streams: Streams): string {
  return JSON.stringify([spec, handovers.map(({ fd }) => fd), streams.channel, streams.noInput])
}

/** Node makes every pipe a socket. */
function socketsOf({ stdio }: ChildProcess): Socket[] {
  return (stdio as readonly (Socket | null | undefined)[]).filter((stream) => stream != null)
}
