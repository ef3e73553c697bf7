// One warm process and the calls in it. It serves as many side by side as its program says it can; whatever ends it,
// every call still in it hears why. What a language adds (loading, folders, limits) is done by whoever starts it.

import type { WorkerLayer } from '../sandbox/changes/worker-layer.ts'
import { isNestedDeeper } from '../tool/json.ts'
import type { Enforcement } from '../tool/outcome.ts'
import type { ToolError } from '../tool/tool-error.ts'
import type { CallListener } from './call-listener.ts'
import { cutText } from './call-log.ts'
import { CallsInWorker } from './calls-in-worker.ts'
import { Channel } from './channel.ts'
import {
  type Answer,
  type CallEnd,
  dataOf,
  listOf,
  maxLevels,
  readMessage,
  type WorkerMessage,
} from './protocol.ts'
import { Pulse } from './pulse.ts'
import { isOver, maxOpenQuestions, Questions, tooMany } from './questions.ts'
import type { Child } from './supervisor.ts'
import { endOf, type WorkerEnd } from './worker-end.ts'
import { WorkerOutput } from './worker-output.ts'

export interface WorkerSetup {
  readonly child: Child
  readonly enforcement: Enforcement
  /** Largest message it may send. */
  readonly maxMessageBytes: number
  readonly logBytes: number
  readonly logLineBytes: number
  /** Stands before the exit that its program announces on standard error. */
  readonly exitMark?: string
  /** What a call prints may be its result: it is read before the call ends. */
  readonly printsCount?: boolean
  /** Calls it may have at once, where its program takes more. */
  readonly maxCalls?: number | undefined
  /** Its program hears of a cancel and gets a moment to end the call itself. */
  readonly hearsAbort?: boolean
}

/** What a worker says of itself when its program is up. */
export type Ready = Extract<WorkerMessage, { t: 'ready' }>

/** Why a worker did not open. */
export type NotOpened =
  | { readonly why: 'start-timeout' | 'load-timeout' }
  | { readonly why: 'load-failed'; readonly message: string; readonly stack: string }
  | { readonly why: 'ended'; readonly end: WorkerEnd }

const lookEveryMs = 50
const graceForOthersMs = 2_000
const closedGraceMs = 500
const maxProgressText = 1_000
/** Programs cut stacks here, and other texts at the length of a log line; what they cut they mark. */
const maxStack = 16_384
const cutMarkLength = 64

export class Worker {
  readonly child: Child
  readonly enforcement: Enforcement
  readonly hearsAbort: boolean
  /** What was described to its program once, with the number it knows it by. */
  readonly described = new Map<string, number>()
  readonly ended: Promise<WorkerEnd>
  /** Called whenever it takes calls again, refuses them, or is gone. */
  onChange: () => void = () => {}
  /** Why a call in it was dropped, which ends the process and may end others with it. */
  dropped: ToolError | undefined
  /** Said by itself alone: it takes no more calls, and its process has ended. */
  isRetired = false
  isGone = false
  served = 0
  /** Kept by the pool: calls it was chosen for and that are not over, and since when it has had none. */
  claimed = 0
  /** The outermost calls of the runs in it, where the calls of one run share a process. */
  readonly roots = new Set<{ readonly isOver: boolean }>()
  restsSince: number | null = null
  /** Keeps apart what it writes to the project; absent: it may write nothing, or writes directly. */
  layer: WorkerLayer | undefined
  /** It wrote, and leaves because of that. */
  hasWritten = false
  /** Resident bytes above which it leaves after its calls; set by whoever starts it. */
  roomyBytes = Number.POSITIVE_INFINITY
  readonly #setup: WorkerSetup
  readonly #channel: Channel
  readonly #questions: Questions
  readonly #pulse: Pulse
  readonly #maxText: number
  readonly #calls: CallsInWorker
  readonly #output: WorkerOutput
  #isReady = false
  #maxCalls = 1
  #openQuestions = 0
  #over: 'memory' | 'disk' | undefined
  #broken: { detail: string; isFlood: boolean } | undefined
  /** The message that somebody waits for before it takes calls. */
  #opening: {
    readonly until: 'ready' | 'loaded'
    resolve(message: WorkerMessage): void
    reject(why: NotOpened): void
  } | null = null

  constructor(setup: WorkerSetup) {
    const { child, maxMessageBytes } = setup
    this.#setup = setup
    this.child = child
    this.enforcement = setup.enforcement
    this.hearsAbort = setup.hearsAbort === true
    this.#maxText = Math.max(setup.logLineBytes, maxStack) + cutMarkLength
    this.#channel = new Channel(child.channel!, maxMessageBytes, {
      onLine: this.#hear,
      onOverflow: () => this.#break(`sent a message larger than ${maxMessageBytes} bytes`, true),
      // A process that ends closes it as well, and says itself why.
      onEnd: () => setTimeout(() => this.isGone || this.#break('closed it'), closedGraceMs).unref(),
    })
    this.#questions = new Questions(this.#channel)
    this.#pulse = new Pulse(child.pid, {
      ask: (n) => this.#channel.send(`{"t":"ping","n":${n}}`),
      onLate: (forMs) => {
        // What is left of a call that is over has no claim on a process.
        if (this.#calls.size === 0 && forMs > graceForOthersMs) this.retire()
        this.onChange()
      },
    })
    this.#calls = new CallsInWorker(setup, (fault) => this.#break(fault))
    child.stdin.end()
    this.#output = new WorkerOutput(setup, this.#calls)
    this.ended = this.#untilGone()
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?(): void }).unref?.()
    this.#rest()
  }

  get running(): number {
    return this.#calls.size
  }

  /** Its event loop has not answered for over 200 ms. */
  get isLate(): boolean {
    return this.#pulse.isLate
  }

  get takesCalls(): boolean {
    return !this.isRetired && !this.isGone && this.claimed < this.#maxCalls && !this.#pulse.isLate
  }

  /** Waits until its program is up; rejects with `NotOpened`, and the process is gone. */
  async untilReady(withinMs: number): Promise<Ready> {
    return (await this.#until('ready', withinMs)) as Ready
  }

  /** Has it load its tool; rejects with `NotOpened`, and the process is gone. */
  async load(text: string, withinMs: number): Promise<void> {
    const loaded = this.#until('loaded', withinMs)
    this.#channel.send(text)
    await loaded
  }

  async #until(until: 'ready' | 'loaded', withinMs: number): Promise<WorkerMessage> {
    let timer: NodeJS.Timeout | undefined
    this.child.ref()
    this.#channel.ref()
    try {
      return await new Promise<WorkerMessage>((resolve, reject: (why: NotOpened) => void) => {
        const why = until === 'ready' ? 'start-timeout' : 'load-timeout'
        timer = setTimeout(() => reject({ why }), withinMs)
        this.#opening = { until, resolve, reject }
        void this.ended.then((end) => reject({ why: 'ended', end }))
      })
    } catch (error) {
      await this.kill()
      throw error
    } finally {
      clearTimeout(timer)
      this.#opening = null
      if (this.#calls.size === 0) this.#rest()
    }
  }

  /** Hands it a call and gives its number; `text` makes the message. */
  call(text: (id: number) => string, listener: CallListener): number {
    const id = this.#calls.add(listener)
    let message: string
    try {
      message = text(id)
    } catch (error) {
      // A call that cannot be written down gives its place back.
      this.#calls.delete(id)
      this.claimed--
      this.onChange()
      throw error
    }
    this.served++
    if (this.#calls.size === 1) {
      this.child.ref()
      this.#channel.ref()
    }
    this.#channel.send(message)
    this.#pulse.begin()
    return id
  }

  /** Tells the call's program to stop it; the call stays until it ends or is dropped. */
  abort(id: number, reason: string): void {
    this.#channel.send(JSON.stringify({ t: 'abort', id, reason }))
  }

  /** Forgets a call that ran out of time or was cancelled: its process ends, other calls get a short grace. */
  async dropCall(id: number, reason: ToolError): Promise<void> {
    this.dropped ??= reason
    this.#finish(id)
    this.retire()
    if (this.#calls.size === 0) return this.kill()
    const deadline = performance.now() + graceForOthersMs
    this.#pulse.feel()
    const timer = setInterval(() => {
      if (this.isLate || performance.now() > deadline) void this.kill()
    }, lookEveryMs)
    void this.ended.then(() => clearInterval(timer))
  }

  /** Takes no more calls; ends when the last one is through. */
  retire(): void {
    if (this.isRetired) return
    this.isRetired = true
    this.onChange()
    if (this.#calls.size === 0 && !this.#opening) void this.kill()
  }

  /** SIGKILL to the whole group; resolves when it is gone. */
  async kill(): Promise<void> {
    this.isRetired = true
    await this.child.kill(0)
    await this.ended
  }

  /** Ends it because it uses too much. */
  endFor(over: 'memory' | 'disk'): void {
    this.#over ??= over
    void this.kill()
  }

  #rest(): void {
    this.child.unref()
    this.#channel.unref()
  }

  readonly #hear = (line: string): void => {
    if (this.#broken) return
    const message = readMessage(line, this.#maxText)
    // Only a tool that writes to the channel itself can cause this.
    if (!message) return this.#break('sent something that is no message')
    switch (message.t) {
      case 'ready':
        return this.#hearReady(message)
      case 'loaded':
        if (this.#opening?.until === 'loaded') this.#opening.resolve(message)
        return
      case 'load-failed':
        return this.#opening?.reject({ why: 'load-failed', message: message.message, stack: message.stack })
      case 'pong':
        this.#pulse.felt(message.n)
        return this.onChange()
      case 'retire':
        return this.retire()
      case 'stray':
        return this.#hearStray(message)
      case 'log':
        return this.#hearLog(message)
      case 'print':
        return this.#hearPrint(message)
      case 'ask':
        return this.#hearQuestion(message)
      case 'progress': {
        const { done, total, message: text } = message
        return this.#calls.listener(message.id)?.progress({
          done,
          total: total ?? undefined,
          message: text == null ? undefined : cutText(text, maxProgressText),
        })
      }
      default:
        if (!this.#calls.listener(message.id)) return
        // What the call printed was written before its end. Its pipe may have been looked at before that, so one whole
        // turn of the event loop goes by, in which it is looked at again.
        if (this.#setup.printsCount) setImmediate(() => setImmediate(() => this.#end(message)))
        else this.#end(message)
    }
  }

  #end(end: CallEnd): void {
    const listener = this.#calls.get(end.id)
    if (!listener || this.#broken) return
    this.#finish(end.id)
    listener.done(end)
    if (this.isRetired && this.#calls.size === 0) void this.kill()
    this.onChange()
  }

  #hearReady(message: Ready): void {
    if (this.#isReady) return this.#break('said twice that it is ready')
    this.#isReady = true
    this.#maxCalls = Math.max(1, Math.min(message.calls, this.#setup.maxCalls ?? message.calls))
    this.#opening?.resolve(message)
    this.onChange()
  }

  #hearLog(message: Extract<WorkerMessage, { t: 'log' }>): void {
    if (message.id === 0) return this.#calls.logToAll(message.level, message.message)
    const listener = this.#calls.listener(message.id)
    if (!listener) return
    listener.line(message.level, message.message, message.data == null ? undefined : dataOf(message.data))
    this.#calls.count(message.id, message.message.length + (message.data?.length ?? 0))
  }

  #hearPrint({ id, fd, text, bytes }: Extract<WorkerMessage, { t: 'print' }>): void {
    const chunk = text == null ? Buffer.from(bytes ?? '', 'base64') : Buffer.from(text)
    this.#calls.listener(id)?.print?.(fd as 1 | 2, chunk)
  }

  #hearQuestion({ id, n, op, json }: Extract<WorkerMessage, { t: 'ask' }>): void {
    const args = isNestedDeeper(json, maxLevels) ? null : listOf(json)
    if (!args) return this.#break('sent arguments that are no list, or nested too deeply')
    const listener = this.#calls.listener(id)
    const reply = (answer: Answer) => this.#channel.send(JSON.stringify({ t: 'answer', n, ...answer }))
    if (!listener || this.#openQuestions >= maxOpenQuestions) return reply(listener ? tooMany : isOver)
    this.#openQuestions++
    const answer = async () => {
      // It may have ended while the question waited.
      const found = (await this.#calls.get(id)?.ask(op, args)) ?? isOver
      this.#openQuestions--
      reply(found)
    }
    // Another tool may take its time; it waits there, not here.
    if (listener.waits(op)) void answer()
    else this.#questions.add({ bytes: json.length, answer })
  }

  #hearStray({ id, kind, message, stack }: Extract<WorkerMessage, { t: 'stray' }>): void {
    if (this.#opening) return this.#opening.reject({ why: 'load-failed', message, stack })
    const owner = id === 0 ? this.#calls.onlyId : id
    const listener = owner === undefined ? undefined : this.#calls.get(owner)
    if (owner !== undefined && listener) {
      this.#finish(owner)
      listener.stray(kind, message, stack)
    } else {
      const what = kind === 'rejection' ? 'Unhandled rejection' : 'Uncaught error'
      this.#calls.logToAll('error', `${what} of a call that is over: ${message}`)
    }
    this.retire()
  }

  #finish(id: number): void {
    if (!this.#calls.delete(id)) return
    this.claimed--
    if (this.#calls.size > 0) return
    this.#pulse.end()
    this.#rest()
  }

  #break(detail: string, isFlood = false): void {
    this.#broken ??= { detail, isFlood }
    void this.kill()
  }

  async #untilGone(): Promise<WorkerEnd> {
    const { child } = this
    const exit = await child.exited
    // Standard error may still hold the announced exit, and both what the call printed last.
    await this.#output.drained()
    this.isGone = true
    this.#channel.close()
    this.#pulse.stop()
    const over = this.#over ?? (child.verdict()?.code === 'MEMORY_LIMIT' ? 'memory' : undefined)
    const { exitMark } = this.#setup
    const end = endOf({ exit, stderr: this.#output.stderrTail, exitMark, over, broken: this.#broken })
    const others = this.#calls.takeAll()
    for (const [id, listener] of others) listener.lost(end, { id, running: others.length })
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    this.onChange()
    return end
  }
}
