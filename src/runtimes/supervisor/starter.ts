// The crib's side of its starter, a small process that forks for it once several programs run at a time. What
// comes back is a process like any other; without a starter, or when it is lost, processes are started here.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { SpawnSpec } from '../../sandbox/fence.ts'
import { frameReader, type Kind, kinds, writeFrame } from './frames.ts'
import { type Exit, type Started, signalGroup } from './start-here.ts'

/** What the starter is told of a process. */
export type StartOrder = Omit<SpawnSpec, 'handovers'> & {
  readonly noInput: boolean
  readonly handovers: readonly { readonly fd: number; readonly text: string }[]
}

/** How long it stays without work. */
const idleMs = 30_000

export class Starter {
  #file: string | undefined
  readonly #orders = new Map<number, Order>()
  #lastOrder = 0
  #process: ChildProcess | undefined
  #channel: (Readable & Writable) | undefined
  #isReady = false
  #idle: NodeJS.Timeout | undefined

  constructor(file: string | undefined = builtStarter()) {
    this.#file = file
  }

  /** It takes an order at once. Where it does not run yet, the question has it started, and nobody waits for that. */
  get isReady(): boolean {
    if (!this.#process && this.#file !== undefined) this.#open(this.#file)
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
    if (!this.#isReady) this.#file = undefined
    this.#process = undefined
    this.#channel = undefined
    this.#isReady = false
    child.stdio[3]?.destroy()
    const orders = [...this.#orders.values()]
    this.#orders.clear()
    for (const order of orders) order.lose()
  }
}

/** One process that was ordered, from the order to its end. */
class Order {
  readonly started: Promise<Started | undefined>
  readonly #stdin: Writable | null
  readonly #stdout: Readable
  readonly #stderr: Readable
  readonly #done: () => void
  readonly #exited: Promise<Exit>
  readonly #closed: Promise<void>
  #pid = 0
  #begin!: (started: Started | undefined) => void
  #fail!: (error: Error) => void
  #exit!: (exit: Exit) => void
  #close!: () => void

  constructor(send: Send, noInput: boolean, done: () => void) {
    this.#done = done
    this.started = new Promise((resolve, reject) => {
      this.#begin = resolve
      this.#fail = reject
    })
    this.#exited = new Promise((resolve) => {
      this.#exit = resolve
    })
    this.#closed = new Promise((resolve) => {
      this.#close = resolve
    })
    this.#stdin = noInput ? null : inputOver(send)
    this.#stdout = outputOver(send)
    this.#stderr = outputOver(send)
  }

  hear(kind: Kind, body: Buffer): void {
    switch (kind) {
      case kinds.started:
        this.#pid = (JSON.parse(body.toString()) as { pid: number }).pid
        return this.#begin(this.#asStarted())
      case kinds.failed: {
        const { code, message } = JSON.parse(body.toString()) as { code?: string; message: string }
        this.#done()
        return this.#fail(Object.assign(new Error(message), { code }))
      }
      case kinds.stdout:
        return void this.#stdout.push(body)
      case kinds.stdoutEnd:
        return void this.#stdout.push(null)
      case kinds.stderr:
        return void this.#stderr.push(body)
      case kinds.stderrEnd:
        return void this.#stderr.push(null)
      case kinds.exit:
        return this.#exit(JSON.parse(body.toString()) as Exit)
      case kinds.close:
        this.#done()
        return this.#close()
    }
  }

  lose(): void {
    this.#begin(undefined)
    if (this.#pid > 0) signalGroup(this.#pid, 'SIGKILL')
    this.#stdout.push(null)
    this.#stderr.push(null)
    this.#exit({ code: null, signal: 'SIGKILL' })
    this.#close()
  }

  #asStarted(): Started {
    return {
      pid: this.#pid,
      stdin: this.#stdin,
      stdout: this.#stdout,
      stderr: this.#stderr,
      exited: this.#exited,
      closed: this.#closed,
      // The channel is waited for as long as anything runs behind it.
      ref: () => {},
      unref: () => {},
    }
  }
}

type Send = (kind: Kind, body?: Uint8Array, done?: () => void) => boolean

function inputOver(send: Send): Writable {
  return new Writable({
    write: (chunk: Buffer, _, done) => void send(kinds.input, chunk, done),
    final: (done) => void send(kinds.inputEnd, undefined, done),
  })
}

/** What the starter read; given up before its end, the starter gives it up too. */
function outputOver(send: Send): Readable {
  return new Readable({
    read() {},
    destroy(error, done) {
      if (!this.readableEnded) send(kinds.drop)
      done(error)
    },
  })
}

function ref(stream: unknown): void {
  ;(stream as { ref?(): void }).ref?.()
}

function unref(stream: unknown): void {
  ;(stream as { unref?(): void }).unref?.()
}

/** The built program beside this bundle; from source there is none, nor is there a use for one on a single core. */
function builtStarter(): string | undefined {
  const file = fileURLToPath(new URL('./starter-process.js', import.meta.url))
  // What calls itself Node inside another program would start that program again.
  const isNode =
    process.release.name === 'node' && !('electron' in process.versions || 'bun' in process.versions)
  return isNode && availableParallelism() > 1 && existsSync(file) ? file : undefined
}
