// The line of a stdio connection: plain calls of an initialised client are answered here, every other line goes on
// to the SDK. Answers that are ready at the same time are written together.
import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/server'
import type { CallerAnswers } from '../../tool/caller-answers.ts'
import { isPlainObject } from '../../tool/json.ts'
import { CancellableCall } from './cancellable-call.ts'
import { answersWhileRunning } from './client-answers.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { pagesWantedIn } from './protocol-failure.ts'
import { type QuickCall, quickText, readQuickCall } from './quick-call.ts'
import { wantedBy } from './send-logs.ts'

/** Longer lines are the SDK's alone. */
const quickBytes = 1_048_576
/** Longer lines are answered with an error and kept nowhere; the limit of an HTTP body is the same. */
const maxBytes = 10 * 1_048_576
const tailBytes = 256
const newline = 10
const linesATurn = 4

export class QuickStdio {
  /** What the SDK reads. */
  readonly rest = new PassThrough()
  readonly #clientCatalog: ClientCatalog
  readonly #stdin: Readable
  readonly #stdout: Writable
  readonly #running = new Map<string | number, CancellableCall>()
  #server: Server | undefined
  #isInitialised = false
  /** What the client can be asked, which it said in its hello. */
  #answers: CallerAnswers | undefined
  #pending: Buffer[] = []
  #pendingBytes = 0
  /** The first and last bytes of a line that is too long, while it goes on. */
  #skipped: { readonly head: Buffer; tail: Buffer } | undefined
  #outgoing: string[] = []
  /** What came beyond the lines of this turn. */
  #unread: Buffer | undefined

  constructor(clientCatalog: ClientCatalog, stdin: Readable, stdout: Writable) {
    this.#clientCatalog = clientCatalog
    this.#stdin = stdin
    this.#stdout = stdout
    stdin.on('data', this.#take)
    stdin.on('end', this.#end)
    stdin.on('close', this.#end)
    stdin.on('error', (error) => this.rest.destroy(error))
    this.rest.on('drain', () => stdin.resume())
  }

  /** The server of the connection; plain calls are answered from when its client has said hello. */
  attach(server: Server): void {
    this.#server = server
    server.oninitialized = () => {
      this.#isInitialised = true
      this.#answers = undefined
    }
  }

  /** Stops what runs and reads no more. */
  close(): void {
    this.#stdin.off('data', this.#take)
    this.#stdin.off('end', this.#end)
    this.#stdin.off('close', this.#end)
    if (this.#stdin.listenerCount('data') === 0) this.#stdin.pause()
    this.#unread = undefined
    for (const running of this.#running.values()) running.stop('The client is gone.')
    this.#running.clear()
  }

  readonly #end = (): void => {
    if (this.#unread) this.#read(this.#unread, Number.POSITIVE_INFINITY)
    if (!this.rest.writableEnded) this.rest.end(Buffer.concat(this.#pending.splice(0)))
  }

  readonly #take = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    if (this.#unread) this.#unread = Buffer.concat([this.#unread, bytes])
    else this.#read(bytes)
  }

  /** A few lines a turn: the first answers are on their way to the client while the next calls run. */
  #read(chunk: Buffer, mostLines = linesATurn): void {
    let bytes = chunk
    let lines = 0
    this.#unread = undefined
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline)) {
      if (lines++ === mostLines) {
        this.#unread = bytes
        // A tick that is asked for by a microtask comes when the calls just begun have gone as far as they can.
        queueMicrotask(() => process.nextTick(() => this.#unread && this.#read(this.#unread)))
        return
      }
      this.#line(bytes.subarray(0, at + 1))
      bytes = bytes.subarray(at + 1)
    }
    if (bytes.length > 0) this.#keep(bytes)
  }

  #keep(bytes: Buffer): void {
    if (this.#skipped) return this.#skip(bytes)
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    if (this.#pendingBytes <= maxBytes) return
    const line = Buffer.concat(this.#clearPending())
    this.#skipped = { head: Buffer.from(line.subarray(0, tailBytes)), tail: Buffer.alloc(0) }
    this.#skip(line)
  }

  #skip(bytes: Buffer): void {
    const { tail } = this.#skipped!
    this.#skipped!.tail = Buffer.concat([tail, bytes.subarray(-tailBytes)]).subarray(-tailBytes)
  }

  #clearPending(): Buffer[] {
    this.#pendingBytes = 0
    return this.#pending.splice(0)
  }

  #line(end: Buffer): void {
    if (this.#pendingBytes + end.length > maxBytes || this.#skipped) {
      this.#keep(end)
      const { head, tail } = this.#skipped!
      this.#skipped = undefined
      return this.#write(tooLong(idOf(head.toString('utf8'), tail.toString('utf8'))))
    }
    const line = this.#pending.length > 0 ? Buffer.concat([...this.#clearPending(), end]) : end
    if (!this.#isInitialised || line.length > quickBytes || !this.#answer(line)) this.#pass(line)
  }

  #pass(bytes: Buffer): void {
    if (!this.rest.write(bytes)) this.#stdin.pause()
  }

  /** True when the line was a plain call, or the end of one, and is dealt with. */
  #answer(line: Buffer): boolean {
    const text = line.toString('utf8')
    if (!/"(tools\/call|notifications\/cancelled)"/.test(text)) return false
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return false
    }
    if (text.includes('notifications/cancelled') && this.#cancels(message)) return true
    if (wantedBy(this.#server!) !== undefined) return false
    const call = readQuickCall(this.#clientCatalog, message)
    if (!call) return false
    void this.#run(call)
    return true
  }

  #cancels(message: unknown): boolean {
    if (!isPlainObject(message) || message['method'] !== 'notifications/cancelled') return false
    const params = isPlainObject(message['params']) ? message['params'] : {}
    const running = this.#running.get(params['requestId'] as string)
    this.#running.delete(params['requestId'] as string)
    const { reason } = params
    running?.stop(`The client cancelled the call${typeof reason === 'string' ? `: ${reason}` : ''}.`)
    return running !== undefined
  }

  async #run(call: QuickCall): Promise<void> {
    const running = new CancellableCall()
    this.#running.set(call.id, running)
    const { crib, principal, session } = this.#clientCatalog
    const { onPrepared } = running
    this.#answers ??= answersWhileRunning(this.#server!, this.#server!.request.bind(this.#server))
    const outcome = await crib.call(call.tool, call.args, {
      principal,
      session,
      onPrepared,
      ...this.#answers,
    })
    // A call that was cancelled gets no answer.
    if (running.isStopped) return
    if (this.#running.get(call.id) === running) this.#running.delete(call.id)
    // A failure of the tool is a result too.
    const wanted = outcome.ok
      ? undefined
      : pagesWantedIn(outcome.error, this.#server!.getClientCapabilities())
    const said = wanted
      ? `"error":${JSON.stringify(wanted)}`
      : `"result":${quickText(this.#clientCatalog, call.tool, outcome)}`
    this.#write(`{${said},"jsonrpc":"2.0","id":${JSON.stringify(call.id)}}\n`)
  }

  #write(line: string): void {
    this.#outgoing.push(line)
    if (this.#outgoing.length === 1)
      process.nextTick(() => this.#stdout.write(this.#outgoing.splice(0).join('')))
  }
}

/** The id of a request of which only the ends are known: a member right behind the first brace or before the last. */
function idOf(head: string, tail: string): string | number | null {
  const id = '"id"\\s*:\\s*("[^"\\\\\\p{Cc}]*"|-?(?:0|[1-9]\\d{0,15}))\\s*'
  const first = new RegExp(`^\\s*\\{\\s*(?:"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]*"\\s*,\\s*)*${id},`, 'u')
  const found = first.exec(head) ?? new RegExp(`,\\s*${id}\\}\\s*$`, 'u').exec(tail)
  return found ? JSON.parse(found[1]!) : null
}

function tooLong(id: string | number | null): string {
  const message = `The message is longer than ${maxBytes / 1_048_576} MiB and was not read.`
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32600, message } })}\n`
}
