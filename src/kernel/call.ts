// One call in progress: who asked for what, what is known so far, and how it can be stopped. Guards read and
// write it; the runtime sees only the attempt made from it.
import type { Profile } from '../sandbox/profile.ts'
import type { Caller } from '../tool/caller.ts'
import type { Woven } from '../tool/cascade.ts'
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
import { makeScrubber, nothingToScrub, type Scrubber } from '../tool/scrub.ts'
import type { Tool } from '../tool/tool.ts'
import { type ChainEntry, Turn } from './chain.ts'
import type { Context, Locals } from './context.ts'

export interface CallOptions {
  readonly caller: Caller
  readonly signal?: AbortSignal
  /** Time limit of the whole call, all attempts included. */
  readonly timeoutMs?: number
  /** Runs until it ends by itself or is stopped: no time limit applies and it takes no place of the pool. */
  readonly isService?: boolean
  /** Its place under the tool's limit over all nodes is already taken. */
  readonly hasPlace?: boolean
  /** Resolve and check everything, run nothing. */
  readonly dryRun?: boolean
  /** Treat warnings about results as failures. */
  readonly strict?: boolean
  /** A person approved this call beforehand. */
  readonly approved?: boolean
  /** A person was asked beforehand and said no: who. */
  readonly refused?: string
  /** The call this one is made from. */
  readonly parent?: Call
  /** The call this one serves as middleware. */
  readonly target?: Call
  /** Laid over the new call's context: `run`, `locals`, `nonlocals`. */
  readonly context?: { readonly [part: string]: unknown }
  readonly onLog?: (line: LogLine) => void
  readonly onProgress?: (progress: Progress) => void
  /** Text as a model writes it. */
  readonly onText?: (text: string) => void
  /** Puts a question of a foreign server to whoever made the call, in the shape MCP gives it. */
  readonly onElicit?: (params: never) => Promise<{ readonly action: string; readonly content?: unknown }>
  /** Asks the model of whoever made the call, in the shape MCP gives it. */
  readonly onSample?: (params: never) => Promise<unknown>
  /** W3C trace context the caller sent along. */
  readonly traceparent?: string
  /** What triggered the call, for tools that react to events. */
  readonly trigger?: Json
  /** The allow list of the skill that delegates, for a tool that has none of its own. */
  readonly allowList?: string
  /** A call of a file the declaring skill brings itself: its allow list is not asked. */
  readonly isOwnCode?: boolean
  /** The call is made by a hook, so no hooks fire in it. */
  readonly isHook?: boolean
  /** Given the call before it runs, to stop it by: costs less than a signal. */
  readonly onPrepared?: (call: Call) => void
  /** Id of the run, when it must be the same on every retry of one unit of work. */
  readonly runId?: string
}

export interface HistoryFrame {
  readonly tool: string
  readonly args: unknown
  readonly timestamp: number
}

const noNames: readonly string[] = []
const noSecrets: { readonly [name: string]: string } = {}
const maxLogLines = 10_000
const noMetadata: { readonly [key: string]: unknown } = {}

type AbortListener = (reason: unknown) => void

/** Makes the context of a call when somebody first asks for it. */
export type MakeContext = (call: Call) => Context

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
  /** What the context shows as `locals`, and adds a history to; result and error live here. */
  readonly locals: Locals
  /** Cascaded and interpolated metadata: settings of the guards and values of the keys. */
  metadata: { readonly [key: string]: unknown } = noMetadata
  woven: Woven | null = null
  attempts = 0
  profile: Profile | null = null
  grants: readonly string[] = []
  enforcement: Enforcement = inProcessEnforcement
  meta: { [key: string]: Json } | undefined
  cost: Cost | undefined
  /** Milliseconds spent running, waits between attempts excluded. */
  runningMs = 0
  /** The chain of this call; replaced, never changed, when an entry is injected. */
  chain: readonly ChainEntry[] = []
  /** Index of the innermost entry that was started. */
  cursor = -1
  /** What a guard does when the call is over, where it need not stand around the rest of the chain. */
  atEnd: ((call: Call) => void) | undefined
  readonly isHook: boolean
  #entries = 0
  #secrets: { readonly [name: string]: string } = noSecrets
  #scrubber: Scrubber | undefined
  readonly #makeContext: MakeContext | undefined
  #context: Context | undefined
  #timer: NodeJS.Timeout | undefined
  #limitMs: number | undefined
  #followOuter: (() => void) | undefined
  #controller: AbortController | null = null
  #abortReason: unknown
  #aborted = false
  /** Told when the call is stopped: nearly always one, so that a set is made only for more. */
  #onAbort: AbortListener | Set<AbortListener> | undefined
  /** Calls made in this one, stopped with it: the latest, and its neighbours in the list. */
  #child: Call | undefined
  #later: Call | undefined
  #earlier: Call | undefined
  /** The innermost turn that was made; the others follow outwards. */
  #turn: Turn | undefined
  #turnIndex = -1
  #asCaller: Caller | undefined

  constructor(id: string, tool: Tool, args: unknown, options: CallOptions, makeContext?: MakeContext) {
    this.id = id
    this.tool = tool
    // Absent arguments are an empty object where the tool takes an object or the caller is outside.
    const isAbsent = args === undefined && options.target === undefined
    this.args = isAbsent && (tool.params !== null || options.caller.isPublic) ? {} : args
    this.params = this.args
    this.locals = { result: undefined, error: undefined, config: {}, prompt: undefined } as Locals
    this.isHook = options.isHook === true || options.parent?.isHook === true
    this.#makeContext = makeContext
    this.options = options
    this.caller = options.caller
    this.parent = options.parent ?? null
    this.depth = options.parent ? options.parent.depth + 1 : 0
    this.startedAt = Date.now()
    this.#started = performance.now()
    const outer = options.signal
    if (outer) {
      if (outer.aborted) this.abort(outer.reason)
      else {
        this.#followOuter = () => this.abort(outer.reason)
        outer.addEventListener('abort', this.#followOuter, { once: true })
      }
    }
    if (options.parent) options.parent.#adopt(this)
  }

  #adopt(child: Call): void {
    if (this.#aborted) {
      child.abort(this.#abortReason)
      return
    }
    child.#earlier = this.#child
    if (this.#child) this.#child.#later = child
    this.#child = child
  }

  #letGo(child: Call): void {
    if (child.#later) child.#later.#earlier = child.#earlier
    else if (this.#child === child) this.#child = child.#earlier
    if (child.#earlier) child.#earlier.#later = child.#later
    child.#later = undefined
    child.#earlier = undefined
  }

  /** The turn of the entry that is running now; made when somebody asks for it. */
  get turn(): Turn | null {
    if (this.#turnIndex < 0) return null
    return this.turnOf(this.#turnIndex) ?? (this.#turn = new Turn(this, this.#turnIndex, this.#turn))
  }

  /** Says which entry is running; what was known of a former run of it and of the rest is forgotten. */
  beginTurn(index: number): void {
    this.#turnIndex = index
    while (this.#turn && this.#turn.index >= index) this.#turn = this.#turn.outer
  }

  /** Says that the rest is through and the entry of this turn runs on. */
  resumeTurn(turn: Turn): void {
    this.#turnIndex = turn.index
    this.#turn = turn
  }

  /** The turn of an entry that was begun, if somebody asked for it. */
  turnOf(index: number): Turn | undefined {
    let turn = this.#turn
    while (turn && turn.index > index) turn = turn.outer
    return turn?.index === index ? turn : undefined
  }

  get result(): unknown {
    return this.locals.result
  }

  set result(value: unknown) {
    this.locals.result = value
  }

  get error(): unknown {
    return this.locals.error
  }

  set error(value: unknown) {
    this.locals.error = value
  }

  /** What in-process tools and metadata see of this call. */
  get context(): Context {
    if (!this.#context) {
      if (!this.#makeContext) throw new Error('This call was made without a kernel and has no context.')
      this.#context = this.#makeContext(this)
    }
    return this.#context
  }

  /** The list that binds what this tool calls: its own, or that of the skill it is the delegate of. */
  get allowList(): string | undefined {
    const own = this.tool.extra?.['allowedTools']
    return typeof own === 'string' ? own : this.options.allowList
  }

  /** Values released to this call, by name. */
  get secrets(): { readonly [name: string]: string } {
    return this.#secrets
  }

  set secrets(values: { readonly [name: string]: string }) {
    this.#secrets = values
    this.#scrubber = undefined
  }

  /** Takes the values of this call and of those above it out of whatever leaves it: a caller may have passed one on. */
  get scrubber(): Scrubber {
    if (!this.#scrubber) {
      let values = noSecrets
      for (let at: Call | null = this; at; at = at.parent)
        if (at.#secrets !== noSecrets) values = { ...at.#secrets, ...values }
      this.#scrubber = values === noSecrets ? nothingToScrub : makeScrubber(values)
    }
    return this.#scrubber
  }

  /** Who the tool is when it calls others: its own allow list binds it, the grants of its caller stay. */
  get asCaller(): Caller {
    if (!this.#asCaller) {
      const { allowList, caller } = this
      this.#asCaller = {
        surface: 'tool',
        tool: this.tool.id,
        isPublic: false,
        ...(caller.name === undefined ? {} : { name: caller.name }),
        ...(caller.grants === undefined ? {} : { grants: caller.grants }),
        ...(allowList === undefined ? {} : { allowedTools: allowList }),
      }
    }
    return this.#asCaller
  }

  /** Secrets the tool and its cascade name. */
  get secretNames(): readonly string[] {
    const own = this.tool.secrets ?? noNames
    const stated = this.metadata['secrets']
    if (stated === undefined || stated === null) return own
    return [...new Set([...own, ...[stated].flat().filter((name) => typeof name === 'string')])]
  }

  /** An id for the next call made inside this one. */
  nextId(): string {
    this.#entries++
    return `${this.id}.${this.#entries}`
  }

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
    for (const listener of all(this.#onAbort)) listener(reason)
    const children: Call[] = []
    for (let child = this.#child; child; child = child.#earlier) children.push(child)
    for (const child of children.reverse()) child.abort(reason)
  }

  onAbort(listener: AbortListener): void {
    if (this.#aborted) listener(this.#abortReason)
    else this.#onAbort = added(this.#onAbort, listener)
  }

  offAbort(listener: AbortListener): void {
    this.#onAbort = removed(this.#onAbort, listener)
  }

  /** Ends the call when its time is up; a second deadline replaces the first. */
  setDeadline(limitMs: number, late: () => unknown): void {
    clearTimeout(this.#timer)
    this.#limitMs = limitMs
    this.#timer = setTimeout(() => this.abort(late()), limitMs)
  }

  /** The time it has, from when its deadline was set. */
  get limitMs(): number | undefined {
    return this.#limitMs
  }

  get hasDeadline(): boolean {
    return this.#timer !== undefined
  }

  /**
   * Settles when `work` does, or rejects when the call is stopped, even if the work does not listen. `check` may
   * refuse what came of it.
   */
  orStopped(
    work: Promise<unknown>,
    toError: (reason: unknown) => unknown,
    check: (call: Call) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop: AbortListener = (reason) => reject(toError(reason))
      this.onAbort(stop)
      work.then(
        () => {
          this.offAbort(stop)
          try {
            resolve(check(this))
          } catch (error) {
            reject(error)
          }
        },
        (error) => {
          this.offAbort(stop)
          reject(error)
        },
      )
    })
  }

  log(level: LogLevel, message: string, data?: Json): void {
    const { scrubber } = this
    const line: LogLine = {
      level,
      message: scrubber.text(message),
      atMs: Math.round(this.elapsedMs()),
      ...(data === undefined ? {} : { data: scrubber.value(data) }),
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
    this.options.onProgress?.(this.scrubber.value(progress))
  }

  addMeta(facts: { readonly [key: string]: Json }): void {
    this.meta = { ...this.meta, ...facts }
  }

  /** Lets go of timers, the caller's signal and the parent; called once when the call is over. */
  finish(): void {
    clearTimeout(this.#timer)
    if (this.parent) this.parent.#letGo(this)
    if (this.#followOuter) this.options.signal?.removeEventListener('abort', this.#followOuter)
  }
}

/** One or several of something, as a set only where it must be one. */
function added<T extends object>(known: T | Set<T> | undefined, item: T): T | Set<T> {
  if (known === undefined) return item
  return known instanceof Set ? known.add(item) : new Set([known, item])
}

function removed<T extends object>(known: T | Set<T> | undefined, item: T): T | Set<T> | undefined {
  if (known instanceof Set) known.delete(item)
  return known === item ? undefined : known
}

function all<T extends object>(known: T | Set<T> | undefined): Iterable<T> {
  if (known === undefined) return []
  return known instanceof Set ? [...known] : [known]
}
