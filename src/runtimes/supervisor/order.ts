// One process that the starter was ordered to start, from the order to its end: what the starter says of it becomes
// streams and promises like those of a process of our own.
import { Readable, Writable } from 'node:stream'
import { type Kind, kinds } from './frames.ts'
import { type Exit, type Started, signalGroup } from './start-here.ts'

export class Order {
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
