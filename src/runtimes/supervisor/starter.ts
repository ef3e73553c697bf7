// The crib's side of its starter, a small process that forks for it once several programs run at a time. What
// comes back is a process like any other; without a starter, or when it is lost, processes are started here.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { SpawnSpec } from '../../sandbox/fence.ts'
import { frameReader, kinds, writeFrame } from './frames.ts'
import { Order } from './order.ts'
import type { Started } from './start-here.ts'

/** What the starter is told of a process. */
export type StartOrder = Omit<SpawnSpec, 'handovers'> & {
  readonly noInput: boolean
  readonly handovers: readonly { readonly fd: number; readonly text: string }[]
}

/** How long it stays without work. */
const idleMs = 30_000

export class Starter {
  /** The starter's program, looked for when it is first wanted; null: there is none, or it does not come up. */
  #file: string | null | undefined
  readonly #orders = new Map<number, Order>()
  #lastOrder = 0
  #process: ChildProcess | undefined
  #channel: (Readable & Writable) | undefined
  #isReady = false
  #idle: NodeJS.Timeout | undefined

  constructor(file?: string) {
    this.#file = file
  }

  /** It takes an order at once. Where it does not run yet, the question has it started, and nobody waits for that. */
  get isReady(): boolean {
    if (!this.#process) {
      if (this.#file === undefined) this.#file = builtStarter()
      if (this.#file !== null) this.#open(this.#file)
    }
    return this.#isReady
  }

  /** A process, or undefined when the starter was lost; rejects with the error of the system. */
  start({ handovers = [], ...spec }: SpawnSpec, noInput: boolean): Promise<Started | undefined> {
    const id = ++this.#lastOrder
    const channel = this.#channel!
    const order = new Order(
      (kind, body, done) => writeFrame(channel, kind, id, body, done),
      noInput,
      () => this.#finish(id),
    )
    this.#orders.set(id, order)
    clearTimeout(this.#idle)
    ref(channel)
    const text: StartOrder = {
      ...spec,
      noInput,
      handovers: handovers.map(({ fd, bytes }) => ({ fd, text: Buffer.from(bytes).toString('base64') })),
    }
    writeFrame(channel, kinds.start, id, JSON.stringify(text))
    return order.started
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#channel?.destroy()
  }

  #finish(id: number): void {
    this.#orders.delete(id)
    if (this.#orders.size > 0 || !this.#channel) return
    unref(this.#channel)
    this.#idle = setTimeout(() => this.close(), idleMs).unref()
  }

  #open(file: string): void {
    const child = spawn(process.execPath, [file], {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: {},
      cwd: '/',
    })
    const channel = child.stdio[3] as Readable & Writable
    this.#process = child
    this.#channel = channel
    child.once('error', () => this.#lost(child))
    child.once('exit', () => this.#lost(child))
    channel.on('error', () => {})
    channel.once('close', () => this.#lost(child))
    if (child.pid === undefined) return
    // The guardian is not told of it: killed with us it could not end what nobody else has heard of yet.
    child.unref()
    unref(channel)
    channel.on(
      'data',
      frameReader((kind, id, body) => {
        if (kind === kinds.ready) this.#isReady = true
        else this.#orders.get(id)?.hear(kind, body)
      }),
    )
  }

  /** What it started cannot be heard of any more, so it ends; what waits to be started is started elsewhere. */
  #lost(child: ChildProcess): void {
    if (this.#process !== child) return
    // One that does not come up will not do so the next time.
    if (!this.#isReady) this.#file = null
    this.#process = undefined
    this.#channel = undefined
    this.#isReady = false
    child.stdio[3]?.destroy()
    const orders = [...this.#orders.values()]
    this.#orders.clear()
    for (const order of orders) order.lose()
  }
}

function ref(stream: unknown): void {
  ;(stream as { ref?(): void }).ref?.()
}

function unref(stream: unknown): void {
  ;(stream as { unref?(): void }).unref?.()
}

/** The built program beside this bundle; from source there is none, nor is there a use for one on a single core. */
function builtStarter(): string | null {
  const file = fileURLToPath(new URL('./starter-process.js', import.meta.url))
  // What calls itself Node inside another program would start that program again.
  const isNode =
    process.release.name === 'node' && !('electron' in process.versions || 'bun' in process.versions)
  return isNode && availableParallelism() > 1 && existsSync(file) ? file : null
}
