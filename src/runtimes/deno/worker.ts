// One Deno process with one tool in it. It starts, loads, serves calls side by side, and ends; whatever ends it,
// every call still in it gets its reason and its throw-away folders go with it.
import { randomBytes } from 'node:crypto'
import { isTooDeep, type Json } from '../../tool/json.ts'
import type { Enforcement, LogLevel } from '../../tool/outcome.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'
import type { Child } from '../../workers/supervisor.ts'
import { type ApiAnswer, apiFailures } from './api.ts'
import { cutText, readableStack } from './call-log.ts'
import { LineChannel } from './line-channel.ts'
import { endedWhileLoading, loadFailed, loadTimeout } from './load-errors.ts'
import { residentBytes } from './memory-watch.ts'
import { readMessage, type WorkerMessage } from './messages.ts'
import { drained, onLines } from './output-lines.ts'
import { Pulse } from './pulse.ts'
import { Questions } from './questions.ts'
import { watchScratch } from './scratch-watch.ts'
import {
  removeScratch,
  type StartedDeno,
  startDeno,
  type WorkerParts,
  type WorkerSpec,
} from './start-deno.ts'
import type { CallListener, CallStart } from './worker-call.ts'
import { endOf, type WorkerEnd, whyLost } from './worker-end.ts'

interface Opening {
  readonly resolve: () => void
  readonly reject: (error: ToolError) => void
  isReady: boolean
  timer: NodeJS.Timeout | undefined
}

const lookEveryMs = 50
const graceForOthersMs = 2_000
const spareMb = 32
const startTimeoutMs = 15_000
const closedGraceMs = 500
const maxLateMessages = 10_000
const maxOpenQuestions = 1_000
const tooMany = refusal(`More than ${maxOpenQuestions} api requests are open.`, 429)
const isOver = refusal('The call is over; its api is closed.', 409)
/** The harness cuts stacks here, and other texts at the length of a log line; what it cut it marks. */
const longestStack = 16_384
const cutMarkLength = 64

export class DenoWorker {
  readonly #parts: WorkerParts
  readonly #spec: WorkerSpec
  readonly #child: Child
  readonly #channel: LineChannel
  readonly #questions: Questions
  readonly #maxText: number
  readonly #calls = new Map<number, CallListener>()
  readonly #exitMark = randomBytes(12).toString('hex')
  readonly #early: { level: LogLevel; message: string }[] = []
  readonly enforcement: Enforcement
  /** Resident bytes once Deno was up, before the tool was loaded. */
  idleBytes = 0
  /** Deno understood the denied ranges, asked in this very process. */
  deniesRanges = false
  served = 0
  /** Kept by the pool: since when it has had no call; null while it works. */
  restsSince: number | null = null
  #lastCall = 0
  #openQuestions = 0
  #lateMessages = 0
  #retired = false
  #gone = false
  #isOverMemory = false
  #isOverDisk = false
  #broken: string | undefined
  readonly #pulse: Pulse
  #stderrTail = ''
  #opening: Opening | null = null
  /** Called whenever it takes calls again, refuses them, or is gone. */
  onChange: () => void = () => {}
  readonly ended: Promise<WorkerEnd>

  private constructor(parts: WorkerParts, spec: WorkerSpec, { child, enforcement, scratch }: StartedDeno) {
    this.#parts = parts
    this.#spec = spec
    this.#child = child
    this.enforcement = enforcement
    this.#maxText = Math.max(parts.settings.logLineBytes, longestStack) + cutMarkLength
    // JSON text within JSON text: each of its quotes and backslashes is escaped once more.
    const maxBytes = Math.max(parts.settings.apiBytes, parts.outputBytes) * 2 + 65_536
    this.#channel = new LineChannel(child.channel!, maxBytes, {
      onLine: (line) => this.#hear(line),
      onOverflow: () => this.#break(`sent a message larger than ${maxBytes} bytes`),
      // A process that ends closes it as well, and says itself why.
      onEnd: () => setTimeout(() => this.#gone || this.#break('closed it'), closedGraceMs).unref(),
    })
    this.#questions = new Questions(this.#channel)
    this.#pulse = new Pulse(child.pid, {
      ask: (n) => this.#channel.send({ t: 'ping', n }),
      onLate: (forMs) => {
        // What is left of a call that is over has no claim on a process.
        if (this.#calls.size === 0 && forMs > graceForOthersMs) this.retire()
        this.onChange()
      },
    })
    child.stdin.end()
    // Raw writes belong to whatever runs at that moment.
    const { logLineBytes } = parts.settings
    const tell = (level: LogLevel) => (line: string) => {
      if (!line.includes(this.#exitMark)) this.#logToAll(level, line)
    }
    onLines(child.stdout, logLineBytes, tell('info'))
    onLines(child.stderr, logLineBytes, tell('warn'))
    child.stderr.on('data', (chunk: string) => {
      this.#stderrTail = (this.#stderrTail + chunk).slice(-4_096)
    })
    const unwatch = parts.watch.watch({
      pid: child.pid,
      limitBytes: () =>
        this.idleBytes === 0 ? null : this.idleBytes + (spec.memoryMb + spareMb) * 1_048_576,
      onOverLimit: () => {
        this.#isOverMemory = true
        void this.kill()
      },
    })
    const unwatchScratch = watchScratch(scratch, () => {
      this.#isOverDisk = true
      void this.kill()
    })
    this.ended = this.#untilGone(child).finally(() => {
      unwatch()
      unwatchScratch()
      removeScratch(scratch)
    })
  }

  /** Starts Deno and loads the tool; throws LOAD_FAILED, LOAD_TIMEOUT, MEMORY_LIMIT or WORKER_LOST. */
  static async start(parts: WorkerParts, spec: WorkerSpec): Promise<DenoWorker> {
    const worker = new DenoWorker(parts, spec, await startDeno(parts, spec))
    await worker.#open()
    return worker
  }

  get running(): number {
    return this.#calls.size
  }

  get isGone(): boolean {
    return this.#gone
  }

  get isRetired(): boolean {
    return this.#retired
  }

  /** Its event loop has not answered for over 200 ms. */
  get isLate(): boolean {
    return this.#pulse.isLate
  }

  get takesCalls(): boolean {
    return !this.#retired && !this.#gone && !this.isLate
  }

  /** Hands a call to the tool and gives its number. */
  call(start: CallStart, listener: CallListener): number {
    // As text within the text: Deno refuses messages that are nested deeply, and values may be.
    const json = textOf(start, this.#spec.toolName)
    const id = ++this.#lastCall
    this.served++
    this.#calls.set(id, listener)
    if (this.#early.length > 0)
      for (const line of this.#early.splice(0)) listener.log.line(line.level, line.message)
    this.#channel.send({ t: 'call', id, json })
    this.#pulse.begin()
    return id
  }

  /** Fires the call's `signal`; the call stays until it ends or is dropped. */
  abort(id: number, reason: string): void {
    this.#channel.send({ t: 'abort', id, reason })
  }

  /** Forgets a call that ran out of time or was cancelled: its process ends, other calls get a short grace. */
  async dropCall(id: number): Promise<void> {
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
    if (this.#retired) return
    this.#retired = true
    this.onChange()
    if (this.#calls.size === 0 && !this.#opening) void this.kill()
  }

  /** SIGKILL to the whole group; resolves when it is gone, its folders included. */
  async kill(): Promise<void> {
    this.#retired = true
    await this.#child.kill(0)
    await this.ended
  }

  async #open(): Promise<void> {
    const { toolName } = this.#spec
    try {
      await new Promise<void>((resolve, reject) => {
        this.#opening = { resolve, reject, isReady: false, timer: undefined }
        this.#expect(startTimeoutMs, () =>
          whyLost({ kind: 'signal', detail: 'Deno did not start in time' }, toolName),
        )
        void this.ended.then((end) => reject(endedWhileLoading(end, toolName)))
      })
    } catch (error) {
      await this.kill()
      throw error
    } finally {
      clearTimeout(this.#opening?.timer)
      this.#opening = null
    }
  }

  /** The next step of opening must come within this time. */
  #expect(withinMs: number, late: () => ToolError): void {
    const opening = this.#opening!
    clearTimeout(opening.timer)
    opening.timer = setTimeout(() => opening.reject(late()), withinMs)
  }

  #load(): void {
    const { plan, rights } = this.#spec
    const hasNetwork = rights.network.public || rights.network.hosts.length > 0
    const type = plan.language === 'typescript' ? 'application/typescript' : 'text/javascript'
    const { logBytes, logLineBytes, apiBytes, loadTimeoutMs } = this.#parts.settings
    this.#expect(loadTimeoutMs, () => loadTimeout(this.#spec.toolName, loadTimeoutMs))
    this.#channel.send({
      t: 'load',
      url: `data:${type};base64,${Buffer.from(plan.source).toString('base64')}`,
      settings: {
        exitMark: this.#exitMark,
        outputBytes: this.#parts.outputBytes,
        logBytes,
        logLineBytes,
        apiBytes,
        failures: apiFailures,
        hasNetwork,
        checkIpv6: hasNetwork && this.enforcement.dimensions['network'] !== 'enforced',
        listedIpv6: rights.network.hosts
          .filter((host) => host.startsWith('['))
          .map((host) => host.replace(/:\d+$/, '')),
      },
    })
  }

  #hear(line: string): void {
    const message = readMessage(line, this.#maxText)
    if (!message) return this.#break('sent something that is no message')
    switch (message.t) {
      case 'ready':
        if (!this.#opening || this.#opening.isReady) return this.#break('said twice that it is ready')
        this.#opening.isReady = true
        this.deniesRanges = message.deniesRanges
        this.idleBytes = residentBytes(this.#child.pid)
        return this.#load()
      case 'loaded':
        return this.#opening?.resolve()
      case 'load-failed':
        return this.#opening?.reject(loadFailed(message.message, message.stack, this.#spec.toolName))
      case 'pong':
        this.#pulse.felt(message.n)
        return this.onChange()
      case 'stray':
        return this.#hearStray(message)
      case 'log':
        return this.#hearLog(message)
      case 'api':
        return this.#hearQuestion(message)
      case 'progress': {
        const { done, total, message: text } = message
        return this.#listener(message.id)?.progress({
          done,
          ...(total == null ? {} : { total }),
          ...(text == null ? {} : { message: cutText(text, 1_000) }),
        })
      }
      default: {
        const listener = this.#listener(message.id)
        if (!listener) return
        this.#finish(message.id)
        listener.done(message)
        this.#settle()
      }
    }
  }

  #hearLog(message: Extract<WorkerMessage, { t: 'log' }>): void {
    const text = readableStack(message.message, this.#spec.toolName)
    if (message.id === 0) return this.#logToAll(message.level, text)
    const listener = this.#listener(message.id)
    if (!listener) return
    listener.log.line(message.level, text, message.data == null ? undefined : dataOf(message.data))
    // The harness stops at the cap; a log that goes on is forged.
    listener.log.heard += message.message.length + (message.data?.length ?? 0)
    if (listener.log.heard > this.#parts.settings.logBytes * 8) this.#break('flooded its log')
  }

  #hearQuestion({ id, n, op, json }: Extract<WorkerMessage, { t: 'api' }>): void {
    const args = listOf(json)
    if (!args) return this.#break('sent arguments that are no list')
    const listener = this.#listener(id)
    if (!listener || this.#openQuestions >= maxOpenQuestions) {
      this.#channel.send({ t: 'api', n, ...(listener ? tooMany : isOver) })
      return
    }
    this.#openQuestions++
    const answer = async () => {
      // It may have ended while the question waited.
      const found = (await this.#calls.get(id)?.api(op, args)) ?? isOver
      this.#openQuestions--
      this.#channel.send({ t: 'api', n, ...found })
    }
    // Another tool may take its time; it waits there, not here.
    if (op === 'callTool') void answer()
    else this.#questions.add({ bytes: json.length, answer })
  }

  #hearStray({ id, kind, message, stack }: Extract<WorkerMessage, { t: 'stray' }>): void {
    if (this.#opening) return this.#opening.reject(loadFailed(message, stack, this.#spec.toolName))
    const only = this.#calls.size === 1 ? this.#calls.keys().next().value : undefined
    const owner = id === 0 ? only : this.#calls.has(id) ? id : undefined
    const listener = owner === undefined ? undefined : this.#calls.get(owner)
    if (listener) {
      this.#finish(owner!)
      if (stack !== '') listener.log.line('error', readableStack(stack, this.#spec.toolName))
      listener.failed(
        new ToolError(kind === 'rejection' ? 'UNHANDLED_REJECTION' : 'UNCAUGHT_ERROR', message, {
          hint:
            kind === 'rejection'
              ? 'A promise was rejected and nobody awaited or caught it.'
              : 'An error was thrown outside of execute, in a timer or an event.',
        }),
      )
    } else {
      this.#logToAll(
        'error',
        `${kind === 'rejection' ? 'Unhandled rejection' : 'Uncaught error'} of a call that is over: ${message}`,
      )
    }
    this.retire()
  }

  /** The listener of a call; a message for one that is over is dropped, one for a call that never was breaks the worker. */
  #listener(id: number): CallListener | undefined {
    const listener = this.#calls.get(id)
    if (listener) return listener
    if (id === 0 || id > this.#lastCall) this.#break('spoke of a call it never got')
    else if (++this.#lateMessages > maxLateMessages) this.#break('keeps talking about calls that are over')
    return undefined
  }

  #logToAll(level: LogLevel, message: string): void {
    for (const listener of this.#calls.values()) listener.log.line(level, message)
    if (this.#calls.size === 0 && this.#early.length < 100)
      this.#early.push({ level, message: cutText(message, this.#parts.settings.logLineBytes) })
  }

  #finish(id: number): void {
    this.#calls.delete(id)
    if (this.#calls.size === 0) this.#pulse.end()
  }

  #settle(): void {
    if (this.#retired && this.#calls.size === 0) void this.kill()
    this.onChange()
  }

  #break(what: string): void {
    this.#broken ??= what
    void this.kill()
  }

  async #untilGone(child: Child): Promise<WorkerEnd> {
    const exit = await child.exited
    await drained(child.stderr)
    this.#gone = true
    this.#channel.close()
    this.#pulse.stop()
    const end = endOf({
      exit,
      stderr: this.#stderrTail,
      exitMark: this.#exitMark,
      isOverMemory: this.#isOverMemory || child.verdict()?.code === 'MEMORY_LIMIT',
      isOverDisk: this.#isOverDisk,
      broken: this.#broken,
    })
    const others = [...this.#calls]
    this.#calls.clear()
    for (const [id, listener] of others)
      listener.failed(
        whyLost(end, this.#spec.toolName, { id, running: others.length, memoryMb: this.#spec.memoryMb }),
      )
    this.onChange()
    return end
  }
}

function refusal(message: string, status: number): ApiAnswer {
  return { ok: false, error: { message, code: 'BUSY', status } }
}

function textOf(start: CallStart, toolName: string): string {
  try {
    return JSON.stringify(start)
  } catch (error) {
    throw new ToolError('PARAMS_INVALID', `The input of ${toolName} is not JSON: ${messageOf(error)}.`, {
      hint: 'Give it without BigInt and circles, and nested less deeply.',
    })
  }
}

/** What a log line carries; kept as text where it is nested too deeply to be gone through. */
function dataOf(json: string): Json {
  try {
    const value = JSON.parse(json) as Json
    return isTooDeep(value) ? json : value
  } catch {
    return json
  }
}

function listOf(json: string): readonly Json[] | null {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
