// One warm worker process and its channel: lines of JSON both ways on descriptor 3, one call at a time. What the
// process prints during a call belongs to that call.
import type { Enforcement } from '../../tool/outcome.ts'
import { errorData } from '../../tool/tool-error.ts'
import type { Seal } from '../../trust/seal-tool.ts'
import type { Exit } from '../../workers/exit.ts'
import type { Child } from '../../workers/supervisor.ts'
import { writeNow } from '../../workers/write-now.ts'
import { type Reply, readMessage } from './read-message.ts'

export interface CallHandlers {
  readonly onStdout: (chunk: Buffer) => void
  readonly onStderr: (chunk: Buffer) => void
  /** A call of another tool; the answer is sent back. */
  readonly onCall: (ref: string, params: unknown, isDetached: boolean) => Promise<unknown>
}

/** How a call in a worker ended: with a reply, by the end of the process, by too long a line, or by one that is no JSON. */
export type CallEnd =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'exit'; readonly exit: Exit }
  | { readonly kind: 'flood' }
  | { readonly kind: 'garbage' }

interface Current {
  readonly handlers: CallHandlers
  readonly settle: (end: CallEnd) => void
}

export class Worker {
  readonly child: Child
  readonly enforcement: Enforcement
  idleSince = 0
  #current: Current | null = null
  #exit: Exit | null = null
  readonly #maxLine: number
  /** Descriptions of tools the process has, with the numbers it knows them by. */
  readonly #tools = new Map<string, number>()
  #parts: Buffer[] = []
  #partBytes = 0

  constructor(child: Child, enforcement: Enforcement, maxLine: number) {
    this.child = child
    this.enforcement = enforcement
    this.#maxLine = maxLine
    child.stdin.end()
    child.stdout.on('data', (chunk: Buffer) => this.#current?.handlers.onStdout(chunk))
    child.stderr.on('data', (chunk: Buffer) => this.#current?.handlers.onStderr(chunk))
    child.channel!.on('data', (chunk: Buffer) => this.#take(chunk))
    child.exited.then((exit) => {
      this.#exit = exit
      // What it printed last is still in the pipes; they are read in the same turn of the loop.
      setImmediate(() => setImmediate(() => this.#settle({ kind: 'exit', exit })))
    })
    for (const stream of [child.stdin, child.stdout, child.stderr]) unref(stream)
    this.rest()
  }

  get isAlive(): boolean {
    return this.#exit === null
  }

  /** Lets the host's process end while the worker has nothing to do. */
  rest(): void {
    this.child.unref()
    unref(this.child.channel!)
  }

  /**
   * Calls a tool, which is described to the process once, with the seal its files must fit; `rest` are the other
   * members of the message. How it ended goes to `settle`.
   */
  call(
    tool: string,
    seal: () => Seal | null,
    rest: string,
    handlers: CallHandlers,
    settle: (end: CallEnd) => void,
  ): void {
    const known = this.#tools.get(tool)
    const id = known ?? this.#tools.size
    if (known === undefined) this.#tools.set(tool, id)
    this.#current = { handlers, settle }
    this.child.ref()
    ;(this.child.channel as unknown as { ref(): void }).ref()
    if (this.#exit) this.#settle({ kind: 'exit', exit: this.#exit })
    else
      writeNow(
        this.child.channel!,
        known === undefined
          ? `{"id":${id},"tool":${tool},"seal":${JSON.stringify(seal())},${rest}`
          : `{"id":${id},${rest}`,
      )
  }

  /** Ends the process at once; a worker has nothing to say goodbye for. */
  async stop(): Promise<void> {
    await this.child.kill(0)
    this.child.channel?.destroy()
    this.child.stdin.destroy()
    this.child.stdout.destroy()
    this.child.stderr.destroy()
  }

  #take(chunk: Buffer): void {
    // Nearly always a chunk is one line.
    if (this.#parts.length === 0 && chunk.indexOf(10) === chunk.length - 1)
      return this.#receive(chunk.toString('utf8', 0, chunk.length - 1))
    let rest = chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const last = rest.subarray(0, end)
      rest = rest.subarray(end + 1)
      const line = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last])
      this.#parts = []
      this.#partBytes = 0
      this.#receive(line.toString('utf8'))
    }
    if (rest.length === 0) return
    this.#parts.push(rest)
    this.#partBytes += rest.length
    if (this.#partBytes > this.#maxLine) this.#settle({ kind: 'flood' })
  }

  #receive(line: string): void {
    const current = this.#current
    if (!current) return
    const message = readMessage(line)
    // Only a tool that writes to the channel itself can cause this; its worker is of no more use.
    if (!message) return this.#settle({ kind: 'garbage' })
    if ('call' in message) {
      const { call, params, detached } = message
      const answer = (text: string) => {
        if (this.#current === current && this.isAlive) writeNow(this.child.channel!, `${text}\n`)
      }
      current.handlers
        .onCall(call, params, detached)
        .then((outcome) => answer(JSON.stringify(outcome)))
        // What JSON cannot hold stays here; the tool hears of it, the host does not fall over it.
        .catch((error: unknown) => answer(JSON.stringify({ ok: false, error: errorData(error) })))
      return
    }
    // Prints of the call were written before the reply, so they are read before this runs.
    setImmediate(() => this.#settle({ kind: 'reply', reply: message }))
  }

  #settle(end: CallEnd): void {
    const current = this.#current
    this.#current = null
    current?.settle(end)
  }
}

function unref(stream: unknown): void {
  ;(stream as { unref?(): void }).unref?.()
}
