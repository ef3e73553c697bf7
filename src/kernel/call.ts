// One call in progress: who asked for what, what is known so far, and how it can be stopped. Checks and wrappers read
// and write it; the runtime sees only the attempt made from it.
import type { CallChanges } from '../sandbox/changes/call-changes.ts'
import type { Profile } from '../sandbox/profile.ts'
import type { CallerAnswers } from '../tool/caller-answers.ts'
import type { Json } from '../tool/json.ts'
import { keepLine } from '../tool/log-lines.ts'
import {
  type Cost,
  type Effects,
  type Enforcement,
  inProcessEnforcement,
  type LogLevel,
  type LogLine,
  type Progress,
} from '../tool/outcome.ts'
import { asTool, isPublic, type Principal } from '../tool/principal.ts'
import { makeScrubber, nothingToScrub, type Scrubber } from '../tool/scrub.ts'
import { Stoppable, stopError } from '../tool/stoppable.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolError } from '../tool/tool-error.ts'
import type { Entry, Turn } from './compose.ts'

export interface CallOptions extends CallerAnswers {
  readonly principal: Principal
  readonly signal?: AbortSignal
  /** Time limit of the whole call, all attempts included. */
  readonly timeoutMs?: number
  /** Runs until it ends by itself or is stopped: no time limit applies and it takes no place of the pool. */
  readonly isService?: boolean
  /** Its place under the tool's limit over all nodes is already taken. */
  readonly hasSlot?: boolean
  /** Resolve and check everything, run nothing. */
  readonly dryRun?: boolean
  /** Nobody has said yet with which arguments: whether any could pass is asked. */
  readonly hasNoArgsYet?: boolean
  /** Asked for a list: the tool is judged by what the catalog knows of it. */
  readonly asListed?: boolean
  /** Its text is read and nothing is called: its kind does not matter. */
  readonly asText?: boolean
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
  /** What was passed for the call's context. */
  readonly context?: { readonly [part: string]: unknown }
  readonly onLog?: (line: LogLine) => void
  readonly onProgress?: (progress: Progress) => void
  /** Text as a model writes it. */
  readonly onText?: (text: string) => void
  /** W3C trace context the caller sent along. */
  readonly traceparent?: string
  /** The throw-away store that it and what it calls work on, in place of the crib's; made by the crib. */
  readonly rehearsal?: object
  /** What triggered the call, for tools that react to events. */
  readonly trigger?: Json
  /** What becomes of its file changes, in place of what the settings say. */
  readonly effects?: 'discard' | 'hold' | undefined
  /** The agent session or client connection it belongs to. */
  readonly session?: string
  /** The allow list of the tool that delegates to this one, for one that has none of its own. */
  readonly allowList?: string
  /** A call of a file that the declaring tool brings itself: its allow list is not asked. */
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

const maxSaid = 1_000_000
const noSecrets: { readonly [name: string]: string } = {}
const noMetadata: { readonly [key: string]: unknown } = {}
const nothingMissing: readonly ToolError[] = []
const nothingRefused: ReadonlySet<string> = new Set()

/** How a call came out so far; whoever makes contexts may keep more in it. */
export interface CallState {
  result: unknown
  error: unknown
  [key: string]: unknown
}

export interface CallParts {
  readonly id: string
  readonly tool: Tool
  readonly args: unknown
  readonly options: CallOptions
  /** Makes what in-process tools see of the call, when somebody first asks for it. */
  readonly makeContext?: ((call: Call) => unknown) | undefined
  readonly startedAt?: number
}

export class Call extends Stoppable {
  readonly id: string
  readonly tool: Tool
  /** What the caller passed, untouched. */
  readonly args: unknown
  readonly options: CallOptions
  readonly principal: Principal
  readonly parent: Call | null
  readonly depth: number
  readonly logs: LogLine[] = []
  /** What the runtime gets: validated, defaults filled. */
  params: unknown
  readonly state: CallState = { result: undefined, error: undefined }
  /** Settings that the tool's definition and those above it state for this call. */
  metadata: { readonly [key: string]: unknown } = noMetadata
  attempts = 0
  profile: Profile | null = null
  grants: readonly string[] = []
  enforcement: Enforcement = inProcessEnforcement
  meta: { [key: string]: Json } | undefined
  cost: Cost | undefined
  lastProgress: Progress | undefined
  /** What a model has written, as far as it is kept. */
  said = ''
  /** What it writes to the files, while it runs. */
  changes: CallChanges | undefined
  /** What it did to the files, once that is known. */
  effects: Effects | undefined
  /** Milliseconds spent running, waits between attempts excluded. */
  runningMs = 0
  /** The chain of this call; replaced, never changed, when an entry is added. */
  chain: readonly Entry[] = []
  /** Index of the innermost entry that was started. */
  cursor = -1
  /** The turn of the tool that is running now: whoever asks for the rest through it never gets past a check. */
  turn: Turn | undefined
  /** Called when the call is over, before anybody who waits for it hears. */
  atEnd: ((call: Call) => void) | undefined
  /** Checks that refused, where all of them are asked. */
  refused: ReadonlySet<string> = nothingRefused
  /** What a plan lacks on this machine: a dry run shows it, a call would end with it. */
  missing: readonly ToolError[] = nothingMissing
  readonly isHook: boolean
  readonly isDryRun: boolean
  /** The call this one serves: itself when it was called directly. */
  readonly target: Call
  /** The hold on the rest of the target's chain that this call has as its middleware. */
  readonly turnOfTarget: Turn | undefined
  #entries = 0
  #secrets: { readonly [name: string]: string } = noSecrets
  #scrubber: Scrubber | undefined
  readonly #makeContext: CallParts['makeContext']
  #context: unknown
  #asPrincipal: Principal | undefined

  constructor({ id, tool, args, options, makeContext, startedAt }: CallParts) {
    super(options.parent, options.signal, startedAt)
    this.id = id
    this.tool = tool
    // Absent arguments are an empty object where the tool takes an object or the caller is outside (S65).
    const isAbsent = args === undefined && options.target === undefined
    this.args = isAbsent && (tool.params !== null || isPublic(options.principal)) ? {} : args
    this.params = this.args
    this.isHook = options.isHook === true || options.parent?.isHook === true
    this.isDryRun = options.dryRun === true
    this.target = options.target ?? this
    this.turnOfTarget = options.target?.turn
    this.#makeContext = makeContext
    this.options = options
    this.principal = options.principal
    this.parent = options.parent ?? null
    this.depth = options.parent ? options.parent.depth + 1 : 0
  }

  get result(): unknown {
    return this.state.result
  }
  set result(value: unknown) {
    this.state.result = value
  }

  get error(): unknown {
    return this.state.error
  }
  set error(value: unknown) {
    this.state.error = value
  }

  /** What in-process tools see of this call. */
  get context(): unknown {
    this.#context ??= this.#makeContext?.(this)
    return this.#context
  }

  /** The list that binds what this tool calls: its own, or that of the tool it is the delegate of. */
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

  /** Who the tool is when it calls others. */
  get asPrincipal(): Principal {
    this.#asPrincipal ??= asTool(this.principal, this.tool.id, this.id, this.allowList)
    return this.#asPrincipal
  }

  /** An id for the next call made inside this one. */
  nextId(): string {
    this.#entries++
    return `${this.id}.${this.#entries}`
  }

  /** The end of `work`, or that of the call where it is stopped, even if `work` does not listen. `look` may throw. */
  orStopped(work: Promise<unknown>, look?: (call: Call, value: unknown) => void): Promise<unknown> {
    this.target.startClock()
    return new Promise((resolve, reject) => {
      this.onAbort((reason) => reject(stopError(reason)))
      work.then((value) => {
        try {
          look?.(this, value)
        } catch (error) {
          reject(error)
        }
        resolve(value)
      }, reject)
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
    keepLine(this.logs, line)
    this.options.onLog?.(line)
  }

  progress(progress: Progress): void {
    this.lastProgress = this.scrubber.value(progress)
    this.options.onProgress?.(this.lastProgress)
  }

  /** Text as a model writes it. */
  say(text: string): void {
    if (this.said.length < maxSaid) this.said += text
    this.options.onText?.(text)
  }

  addMeta(facts: { readonly [key: string]: Json }): void {
    this.meta = { ...this.meta, ...facts }
  }
}
