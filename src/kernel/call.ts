// One call in progress: who asked for what, what is known so far, and how it can be stopped. Guards read and
// write it; the runtime sees only the attempt made from it.
import type { Profile } from '../sandbox/profile.ts'
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
import { isPublic, type Principal } from '../tool/principal.ts'
import { makeScrubber, nothingToScrub, type Scrubber } from '../tool/scrub.ts'
import type { Tool } from '../tool/tool.ts'
import { type ChainEntry, Turn } from './chain.ts'
import type { Context, Locals } from './context.ts'
import { Stoppable } from './stoppable.ts'

export interface CallOptions {
  readonly principal: Principal
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
  /** The throw-away store that it and what it calls work on, in place of the crib's; made by the crib's room. */
  readonly rehearsal?: object
  /** What triggered the call, for tools that react to events. */
  readonly trigger?: Json
  /** The allow list of the skill that delegates, for a tool that has none of its own. */
  readonly allowList?: string
  /** A call of a file the declaring skill brings itself: its allow list is not asked. */
  readonly isOwnCode?: boolean
  /** The call is made by a hook, so no hooks fire in it. */
  readonly isHook?: boolean
  /** Told when all that comes before the tool itself is done: its process stands, its code is loaded. */
  readonly onBegun?: () => void
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

/** A look at what the rest of a chain came to, and the one further out. */
export interface RestCheck {
  readonly index: number
  readonly check: (call: Call) => void
  readonly outer: RestCheck | undefined
}

/** One run of an entry of a chain. */
export interface EntryPlace {
  readonly index: number
  /** How many entries had begun by then. */
  readonly begun: number
}

/** Makes the context of a call when somebody first asks for it. */
export type MakeContext = (call: Call) => Context

export class Call extends Stoppable {
  readonly id: string
  readonly tool: Tool
  /** What the caller passed, untouched. */
  readonly args: unknown
  readonly options: CallOptions
  readonly principal: Principal
  readonly parent: Call | null
  readonly depth: number
  readonly #started: number
  #startedAt: number | undefined
  #clockMs = 0
  #isOver = false
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
  readonly isDryRun: boolean
  /** The call this one serves: itself when it was called directly. */
  readonly target: Call
  /** The entry of the target's chain that this call is. */
  readonly place: EntryPlace | undefined
  #entries = 0
  #secrets: { readonly [name: string]: string } = noSecrets
  #scrubber: Scrubber | undefined
  readonly #makeContext: MakeContext | undefined
  #context: Context | undefined
  #toStopError: ((reason: unknown) => unknown) | undefined
  #stopsFrom = -1
  #check: RestCheck | undefined
  /** The innermost turn that was made; the others follow outwards. */
  #turn: Turn | undefined
  #turnIndex = -1
  /** How many turns were begun: tells the entry that is running from an earlier run of the same one. */
  #begun = 0
  #asPrincipal: Principal | undefined

  constructor(
    id: string,
    tool: Tool,
    args: unknown,
    options: CallOptions,
    makeContext?: MakeContext,
    startedAt?: number,
  ) {
    super(options.parent, options.signal)
    this.id = id
    this.tool = tool
    // Absent arguments are an empty object where the tool takes an object or the caller is outside.
    const isAbsent = args === undefined && options.target === undefined
    this.args = isAbsent && (tool.params !== null || isPublic(options.principal)) ? {} : args
    this.params = this.args
    this.locals = { result: undefined, error: undefined, config: {}, prompt: undefined } as Locals
    this.isHook = options.isHook === true || options.parent?.isHook === true
    this.isDryRun = options.dryRun === true
    this.target = options.target ?? this
    this.#makeContext = makeContext
    this.options = options
    this.principal = options.principal
    this.parent = options.parent ?? null
    this.depth = options.parent ? options.parent.depth + 1 : 0
    const { target } = options
    this.place = target?.entryNow
    this.#started = target ? target.#started + target.#clockMs : performance.now()
    this.#startedAt = startedAt
  }

  /** The turn of the entry that is running now; made when somebody asks for it. */
  get turn(): Turn | null {
    if (this.#turnIndex < 0) return null
    const known = this.turnOf(this.#turnIndex)
    if (known) return known
    this.#turn = new Turn(this, this.#turnIndex, this.#begun, this.#turn)
    return this.#turn
  }

  /** The entry that is running now. */
  get entryNow(): EntryPlace {
    return { index: this.#turnIndex, begun: this.#begun }
  }

  /** The turn of an entry that was running then; null once it is over without having asked for the rest. */
  turnAt({ index, begun }: EntryPlace): Turn | null {
    const turn = this.turnOf(index) ?? (index === this.#turnIndex ? this.turn : null)
    return turn?.begun === begun ? turn : null
  }

  /**
   * The turn of the innermost tool that was begun. A guard that takes its time inside it belongs to its rest: whoever
   * asks for that rest again waits for the guard, and never gets past it.
   */
  get turnOfTool(): Turn | null {
    let index = this.#turnIndex
    while (index >= 0 && !this.chain[index]?.runsTool) index--
    return index === this.#turnIndex ? this.turn : (this.turnOf(index) ?? null)
  }

  /** Says which entry is running; what was known of a former run of it and of the rest is forgotten. */
  beginTurn(index: number): void {
    this.#turnIndex = index
    this.#begun++
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
    return this.tool.details?.allowedTools ?? this.options.allowList
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
  get asPrincipal(): Principal {
    this.#asPrincipal ??= {
      ...this.principal,
      surface: 'tool',
      tool: this.tool.id,
      run: this.id,
      isAdmin: false,
      allowedTools: this.allowList,
    }
    return this.#asPrincipal
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

  /** Milliseconds since the call began; when it is over, what it took. */
  elapsedMs(): number {
    return this.#isOver ? this.#clockMs : performance.now() - this.#started
  }

  /** The call is over: its record and its outcome tell the same time, that of the last look at the clock. */
  stopClock(): void {
    this.#isOver = true
  }

  /** The same, remembered: a middleware that is called next began then. */
  readClock(): number {
    this.#clockMs = performance.now() - this.#started
    return this.#clockMs
  }

  /** Ends the call `limitMs` after the entry that is running now began. */
  limitTime(limitMs: number, late: () => unknown): void {
    this.setDeadline(limitMs, this.#started + this.#clockMs, late)
  }

  /** When the call began, by the clock on the wall. */
  get startedAt(): number {
    this.#startedAt ??= Math.round(Date.now() - this.elapsedMs())
    return this.#startedAt
  }

  /** Has `check` look at what the rest of the chain came to, from the entry that is running now on; it may throw. */
  afterRest(check: (call: Call) => void): void {
    this.#check = { index: this.#turnIndex, check, outer: this.#check }
  }

  /** The innermost look that an entry from `from` on asked for; each is given once. */
  takeCheck(from: number): RestCheck | undefined {
    const check = this.#check
    if (!check || check.index < from) return undefined
    this.#check = check.outer
    return check
  }

  /**
   * From the entry that is running now on, nothing that takes its time holds the call up once it is stopped, even if
   * it does not listen. `toError` makes the error of the call from the reason.
   */
  stopAtOnce(toError: (reason: unknown) => unknown): void {
    this.#toStopError = toError
    this.#stopsFrom = this.#turnIndex
  }

  /** The end of `work`, or of the call where it is stopped at once; in the part of the chain from entry `from` on. */
  orStopped(work: PromiseLike<unknown>, from: number): PromiseLike<unknown> {
    this.target.startClock()
    const toError = this.#toStopError
    if (!toError || from > this.#stopsFrom) return work
    return new Promise((resolve, reject) => {
      this.onAbort((reason) => reject(toError(reason)))
      work.then(resolve, reject)
    })
  }

  log(level: LogLevel, message: string, data?: Json): void {
    const { scrubber } = this
    const text = scrubber.text(message)
    const atMs = Math.round(this.elapsedMs())
    const line: LogLine =
      data === undefined
        ? { level, message: text, atMs }
        : { level, message: text, atMs, data: scrubber.value(data) }
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
}
