// One call in progress: who asked for what, what is known so far, and how it can be stopped. Guards read and
// write it; the runtime sees only the attempt made from it.
import type { Profile } from '../sandbox/profile.ts'
import type { Caller } from '../tool/caller.ts'
import type { Json } from '../tool/json.ts'
import {
  type Cost,
  type Enforcement,
  inProcessEnforcement,
  type LogLevel,
  type LogLine,
  type Progress,
  type Span,
} from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import type { ChainEntry } from './chain.ts'

export interface CallOptions {
  readonly caller: Caller
  readonly signal?: AbortSignal
  /** Time limit of the whole call, all attempts included. */
  readonly timeoutMs?: number
  /** Resolve and check everything, run nothing. */
  readonly dryRun?: boolean
  /** Treat warnings about results as failures. */
  readonly strict?: boolean
  /** A person approved this call beforehand. */
  readonly approved?: boolean
  /** The call this one is made from. */
  readonly parent?: Call
  /** The call this one serves as middleware. */
  readonly target?: Call
  /** Laid over the new call's context: `run`, `locals`, `nonlocals`. */
  readonly context?: { readonly [part: string]: unknown }
  readonly onLog?: (line: LogLine) => void
  readonly onProgress?: (progress: Progress) => void
  /** What triggered the call, for tools that react to events. */
  readonly trigger?: Json
  /** Id of the run, when it must be the same on every retry of one unit of work. */
  readonly runId?: string
}

export interface HistoryFrame {
  readonly tool: string
  readonly args: unknown
  readonly timestamp: number
}

const maxLogLines = 10_000

export class Call {
  readonly id: string
  readonly tool: Tool
  /** What the caller passed, untouched. */
  readonly args: unknown
  readonly options: CallOptions
  readonly caller: Caller
  readonly parent: Call | null
  readonly depth: number
  readonly startedAt: number
  readonly #started: number
  readonly logs: LogLine[] = []
  readonly spans: Span[] = []
  /** What the runtime gets: validated, defaults filled. */
  params: unknown
  result: unknown
  error: unknown
  attempts = 0
  profile: Profile | null = null
  grants: readonly string[] = []
  secrets: { readonly [name: string]: string } = {}
  enforcement: Enforcement = inProcessEnforcement
  meta: { [key: string]: Json } | undefined
  cost: Cost | undefined
  /** Milliseconds spent running, waits between attempts excluded. */
  runningMs = 0
  /** The chain of this call; replaced, never changed, when an entry is injected. */
  chain: readonly ChainEntry[] = []
  /** The `next` of the entry that is running now. */
  next: ((options?: { readonly again?: boolean }) => Promise<unknown>) | null = null
  /** In-process tools hang their context object here, made on first use. */
  context: unknown
  #controller: AbortController | null = null
  #abortReason: unknown
  #aborted = false
  readonly #onAbort: ((reason: unknown) => void)[] = []

  constructor(id: string, tool: Tool, args: unknown, options: CallOptions) {
    this.id = id
    this.tool = tool
    this.args = args
    this.params = args
    this.options = options
    this.caller = options.caller
    this.parent = options.parent ?? null
    this.depth = options.parent ? options.parent.depth + 1 : 0
    this.startedAt = Date.now()
    this.#started = performance.now()
    const outer = options.signal
    if (outer) {
      if (outer.aborted) this.abort(outer.reason)
      else outer.addEventListener('abort', this.#followOuter, { once: true })
    }
  }

  readonly #followOuter = (): void => this.abort(this.options.signal?.reason)

  /** The call this one serves: itself when it was called directly. */
  get target(): Call {
    return this.options.target ?? this
  }

  get isDryRun(): boolean {
    return this.options.dryRun === true
  }

  /** Milliseconds since the call began. */
  elapsedMs(): number {
    return performance.now() - this.#started
  }

  get isAborted(): boolean {
    return this.#aborted
  }

  get abortReason(): unknown {
    return this.#abortReason
  }

  /** The signal handed to runtimes and tools; made only when somebody asks for it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  /** Stops the call; the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#abortReason = reason
    this.#controller?.abort(reason)
    for (const listener of this.#onAbort) listener(reason)
  }

  onAbort(listener: (reason: unknown) => void): void {
    if (this.#aborted) listener(this.#abortReason)
    else this.#onAbort.push(listener)
  }

  log(level: LogLevel, message: string, data?: Json): void {
    const line: LogLine = {
      level,
      message,
      atMs: Math.round(this.elapsedMs()),
      ...(data === undefined ? {} : { data }),
    }
    if (this.logs.length < maxLogLines) this.logs.push(line)
    else if (this.logs.length === maxLogLines)
      this.logs.push({
        level: 'warn',
        message: `[more than ${maxLogLines} log lines, the rest is dropped]`,
        atMs: line.atMs,
      })
    this.options.onLog?.(line)
  }

  progress(progress: Progress): void {
    this.options.onProgress?.(progress)
  }

  addMeta(facts: { readonly [key: string]: Json }): void {
    this.meta = { ...this.meta, ...facts }
  }

  /** Lets go of the caller's signal; called once when the call is over. */
  finish(): void {
    this.options.signal?.removeEventListener('abort', this.#followOuter)
  }
}
