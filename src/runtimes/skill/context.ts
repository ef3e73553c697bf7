// What a skill sees of its call: seven keys and nothing else. Made when somebody first looks, because tools
// that run elsewhere never do.
import type { LogLevel, Progress } from '../../tool/outcome.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import { errorData } from '../../tool/tool-error.ts'

/** The part of a call that its context shows. */
export interface SkillCall {
  readonly id: string
  readonly tool: Tool
  readonly args: unknown
  readonly parent: SkillCall | null
  /** The call this one serves as middleware: itself when it was called directly. */
  readonly target: SkillCall
  readonly signal: AbortSignal
  /** Milliseconds of the clock on the wall. */
  readonly startedAt: number
  /** Shown as `locals`; result and error live here. */
  readonly state: object
  /** Its `Context`. */
  readonly context: unknown
  log(level: LogLevel, message: string): void
  progress(progress: Progress): void
}

export interface HistoryFrame {
  readonly tool: string
  readonly args: unknown
  readonly timestamp: number
}

export interface NextOptions {
  /** Clears result and error and runs the rest once more. */
  readonly again?: boolean
}

/** How a tool is named: an id, `format:id`, a path, `file://`, `mcp://server/tool` or `inline://`. */
export type ToolRef = string

export interface ToolFrontmatter {
  readonly name: string
  readonly description?: string
  readonly 'allowed-tools'?: string | readonly string[]
  readonly license?: string
  readonly compatibility?: string
  readonly metadata?: { readonly [key: string]: unknown }
  readonly role?: string
  readonly params?: object
  readonly returns?: object
  readonly visibility?: string
  readonly tags?: readonly string[]
}

/** A loaded tool. */
export interface ToolDef {
  readonly fn: ((ctx: Context, args?: unknown) => unknown) | null
  readonly frontmatter: ToolFrontmatter
  /** `file://…`, `mcp://…` or null. */
  readonly src: string | null
  /** Set once a code skill is imported. */
  readonly module?: object
  /** Markdown skills: the text after the frontmatter. */
  readonly content?: string
}

export interface Envelope {
  readonly id: string
  readonly parent: Context | null
  readonly target: Context
  readonly signal: AbortSignal
}

export interface ToolView {
  name: string
  description: string
  params: JsonSchema | null
  returns: JsonSchema | null
  tags: readonly string[]
  role: string | undefined
  visibility: string | undefined
  'allowed-tools': string | undefined
}

export interface Run {
  origin: { readonly uri: string | null; readonly frontmatter: ToolFrontmatter }
  tool: ToolView
  [key: string]: unknown
}

export interface Locals {
  result: unknown
  error: unknown
  readonly history: readonly HistoryFrame[]
  config: { [key: string]: unknown }
  prompt: { readonly raw: string; expanded: string | undefined } | undefined
  [key: string]: unknown
}

export interface InvokeOptions {
  readonly context?: { readonly [part: string]: unknown }
  readonly signal?: AbortSignal
}

export interface Injection {
  /** A tool to run as middleware … */
  readonly name?: string
  /** … or a function, called directly. */
  readonly fn?: (ctx: Context, args?: unknown) => unknown
  readonly args?: unknown
  readonly before?: string | readonly string[]
  readonly after?: string | readonly string[]
}

export interface Manager {
  /** Calls a tool: its result, or what it threw. */
  invoke(ref: ToolRef, args?: unknown, options?: InvokeOptions): Promise<unknown>
  /** Runs the rest of this call's chain. */
  next(options?: NextOptions): Promise<unknown>
  /** Reads the skill paths again and rebuilds the part of the chain that has not run. */
  refresh(): Promise<void>
  /** Adds an entry to the part of the chain that has not run. */
  inject(entry: Injection): void
}

interface ContextParts extends Pick<Context, 'run' | 'nonlocals' | 'globals' | 'manager'> {
  readonly envelope?: Envelope
}

const logLevels: ReadonlySet<unknown> = new Set<LogLevel>(['debug', 'info', 'warn', 'error'])

export class Context {
  readonly envelope: Envelope
  readonly args: unknown
  readonly run: Run
  readonly locals: Locals
  readonly nonlocals: { [key: string]: unknown }
  readonly globals: { [key: string]: unknown }
  readonly manager: Manager
  readonly #call: SkillCall

  /** `target`: the context of the call that this one serves, as this one sees it. */
  constructor(call: SkillCall, parts: ContextParts, target?: Context) {
    this.#call = call
    this.envelope = parts.envelope ?? new CallEnvelope(call, target ?? this)
    this.args = call.args
    this.run = parts.run
    this.locals = call.state as Locals
    this.nonlocals = parts.nonlocals
    this.globals = parts.globals
    this.manager = parts.manager
    Object.freeze(this)
  }

  /** Tells whoever asked how far the work is. */
  progress(done: number, total?: number, message?: string): void {
    this.#call.progress({
      done,
      total,
      message,
    })
  }

  /** Adds a line to the record of the run. */
  log(level: LogLevel, message: string): void {
    this.#call.log(logLevels.has(level) ? level : 'info', String(message))
  }

  toJSON(): object {
    const { id, parent, target } = this.envelope
    return {
      envelope: { id, parent: parent?.envelope.id ?? null, target: target.envelope.id },
      args: jsonSafe(this.args),
      run: jsonSafe(this.run),
      locals: jsonSafe(this.locals),
      nonlocals: jsonSafe(this.nonlocals),
    }
  }
}

/** The context a middleware serves; the context itself in a direct call. */
export function ctxTarget(ctx: Context): Context {
  return ctx.envelope.target
}

/** Its signal is made when somebody looks, by one getter for all of them: with one each they would share no shape. */
class CallEnvelope implements Envelope {
  readonly id: string
  readonly parent: Context | null
  readonly target: Context
  declare readonly signal: AbortSignal
  readonly #call: SkillCall

  constructor(call: SkillCall, target: Context) {
    this.#call = call
    this.id = call.id
    this.parent =
      call.parent === call.target ? target : ((call.parent?.context as Context | undefined) ?? null)
    this.target = target
    Object.defineProperty(this, 'signal', CallEnvelope.#signal)
    Object.freeze(this)
  }

  static readonly #signal: PropertyDescriptor = {
    enumerable: true,
    get(this: CallEnvelope) {
      return this.#call.signal
    },
  }
}

/** What JSON can hold of a value: no functions, no circles, errors as data. */
function jsonSafe(value: unknown, path: readonly object[] = []): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value
  if (path.includes(value)) return undefined
  if (value instanceof Context) return { id: value.envelope.id }
  if (value instanceof Error) return { code: errorData(value).code, message: value.message }
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function')
    return jsonSafe((value as { toJSON(): unknown }).toJSON(), [...path, value])
  const way = [...path, value]
  if (Array.isArray(value)) return value.map((item) => jsonSafe(item, way) ?? null)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonSafe(item, way)]))
}
