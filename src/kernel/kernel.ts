// A call is the same call whoever asks and whatever format the tool is written in: find, compose, run through
// the onion, give back an outcome. The kernel knows no format and no runtime by name.
import type { Resolve } from '../catalog/resolver.ts'
import { failureOf } from '../tool/failure-of.ts'
import type { Outcome } from '../tool/outcome.ts'
import { timeId } from '../tool/time-id.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { Call, type CallOptions } from './call.ts'
import { type Entry, makeEntry, runFrom } from './compose.ts'
import { outcomeOf } from './outcome.ts'
import { type Refusal, refusals, rehearse } from './refusals.ts'
import { type Check, type Position, positionsOf, takesPart, type Wrapper } from './stages.ts'

const maxDepth = 64

/** What the calls of a tool pass, made once per tool. */
export interface Composed {
  readonly chain: readonly Entry[]
  /** Fills in what differs from call to call; may throw. */
  prepare?(call: Call): void
}

/** Adds to the chains of tools what stands beside checks and wrappers, and makes the contexts of calls. */
export interface Weaver {
  /** The chain of a tool; `asEntry`: where it serves as middleware. Throws where its definition contradicts itself. */
  weave(positions: readonly Position[], tool: Tool, asEntry: boolean): Composed
  context(call: Call): unknown
}

export interface KernelOptions {
  /** In the order a call passes them inside each stage. */
  readonly parts: readonly (Check | Wrapper)[]
  /** Which tool is meant: the catalog's answer. */
  readonly resolve: Resolve
  /** Absent: tools have only checks and wrappers. */
  weaver?(kernel: Kernel): Weaver
}

export class Kernel {
  readonly #resolve: Resolve
  readonly #positions: readonly Position[]
  readonly #weaver: Weaver | undefined
  readonly #makeContext: ((call: Call) => unknown) | undefined
  readonly #running = new Map<string, Call>()
  #composed = { direct: new WeakMap<Tool, Composed>(), entry: new WeakMap<Tool, Composed>() }

  constructor({ parts, resolve, weaver }: KernelOptions) {
    this.#positions = positionsOf(parts)
    this.#resolve = resolve
    const made = weaver?.(this)
    this.#weaver = made
    this.#makeContext = made && ((call) => made.context(call))
  }

  /** Calls in progress, oldest first. */
  get running(): readonly Call[] {
    return [...this.#running.values()]
  }

  /** Forgets composed chains; called when the catalog or the configuration changed. */
  recompose(): void {
    this.#composed = { direct: new WeakMap(), entry: new WeakMap() }
  }

  /** Stops a running call; false when there is none of that id. */
  cancel(runId: string): boolean {
    const call = this.#running.get(runId)
    call?.abort(new ToolError('CANCELLED', 'The call was cancelled.'))
    return call !== undefined
  }

  /** The composed chain of a tool, made once. */
  compose(tool: Tool, asEntry = false): Composed {
    const cache = asEntry ? this.#composed.entry : this.#composed.direct
    let composed = cache.get(tool)
    if (!composed) {
      composed = this.#weave(tool, asEntry)
      cache.set(tool, composed)
    }
    return composed
  }

  #weave(tool: Tool, asEntry: boolean): Composed {
    try {
      if (this.#weaver) return this.#weaver.weave(this.#positions, tool, asEntry)
      const mine = this.#positions.filter((position) => takesPart(position, tool, asEntry))
      return { chain: mine.map(({ entry, inEntry }) => (asEntry ? inEntry : entry)) }
    } catch (error) {
      return { chain: this.#refusal(tool, asEntry, error) }
    }
  }

  /** A refusal is a run like any other: it passes what stands at the start, so it is recorded. */
  #refusal(tool: Tool, asEntry: boolean, error: unknown): readonly Entry[] {
    const start = this.#positions.filter(
      (position) => position.part?.stage === '$start' && takesPart(position, tool, asEntry),
    )
    const refuse = () => {
      throw error
    }
    return [
      ...start.map(({ entry }) => entry),
      makeEntry({ name: 'compose', kind: 'check', run: refuse, rehearse: refuse }),
    ]
  }

  /** The tool a call means; waits only where finding it does. A dry run imports nothing to know it in full. */
  resolve(ref: string | Tool, { principal: as, signal, dryRun }: CallOptions): Tool | Promise<Tool> {
    return this.#resolve(ref, { as, signal, load: dryRun ? 'static' : 'full' })
  }

  /** Makes a call of a tool, not yet started. */
  make(tool: Tool, args: unknown, options: CallOptions): Call {
    const startedAt = Date.now()
    const id = options.runId ?? timeId(startedAt)
    return new Call({ id, tool, args, options, makeContext: this.#makeContext, startedAt })
  }

  /** Makes a call inside another one, not yet started; what holds for that one holds for it. */
  makeChild(tool: Tool, args: unknown, options: CallOptions & { readonly parent: Call }): Call {
    const { parent } = options
    const { strict, onLog, dryRun } = parent.options
    // Not spread where nothing is inherited: every middleware of every call comes by here.
    const given = strict || onLog || dryRun ? ({ strict, onLog, dryRun, ...options } as CallOptions) : options
    return new Call({ id: parent.nextId(), tool, args, options: given, makeContext: this.#makeContext })
  }

  /** Calls a tool. Never rejects: a failure is an outcome. */
  async invoke(ref: string | Tool, args: unknown, options: CallOptions): Promise<Outcome> {
    let call: Call
    try {
      const found = this.resolve(ref, options)
      call = this.make(found instanceof Promise ? await found : found, args, options)
      options.onPrepared?.(call)
    } catch (error) {
      return failureOf(error, options.runId)
    }
    try {
      const pending = this.#begin(call)
      if (pending instanceof Promise) await pending
    } catch (error) {
      call.error = thrown(call, error)
    }
    try {
      this.#end(call)
    } catch {
      // Whoever hears of the end may throw; the outcome stands.
    }
    return outcomeOf(call)
  }

  /** Everything that would refuse a call; runs nothing and records nothing. */
  async refusals(call: Call): Promise<Refusal[]> {
    this.#prepare(call)
    try {
      return await refusals(call)
    } finally {
      call.finish()
    }
  }

  /** What a call would do: the plan of its runtime. Rejects with the first refusal, which is recorded. */
  async rehearse(call: Call): Promise<unknown> {
    this.#prepare(call)
    return this.#settle(call, rehearse(call))
  }

  /**
   * Runs a call through its chain: its result, or a promise of it. Throws or rejects with whatever was thrown, as the
   * same object.
   */
  run(call: Call): unknown {
    let value: unknown
    try {
      value = this.#begin(call)
    } catch (error) {
      throw this.#fail(call, error)
    }
    if (value instanceof Promise) return this.#settle(call, value)
    this.#end(call)
    return value
  }

  #begin(call: Call): unknown {
    if (call.target === call) this.#running.set(call.id, call)
    this.#prepare(call)
    return runFrom(call, 0)
  }

  #prepare(call: Call): void {
    const asEntry = call.target !== call
    try {
      if (call.depth > maxDepth)
        throw new ToolError('DEPTH_EXCEEDED', `${call.tool.id}: more than ${maxDepth} nested calls.`, {
          hint: 'Break the circle in which tools call or trigger each other.',
        })
      const composed = this.compose(call.tool, asEntry)
      call.chain = composed.chain
      composed.prepare?.(call)
    } catch (error) {
      call.chain = this.#refusal(call.tool, asEntry, error)
    }
  }

  async #settle(call: Call, pending: Promise<unknown>): Promise<unknown> {
    let value: unknown
    try {
      value = await pending
    } catch (error) {
      throw this.#fail(call, error)
    }
    this.#end(call)
    return value
  }

  #fail(call: Call, error: unknown): unknown {
    call.error = thrown(call, error)
    this.#end(call)
    return error
  }

  /** Called once when a call is through, before its promise settles. */
  #end(call: Call): void {
    call.stopClock()
    this.#running.delete(call.id)
    try {
      call.atEnd?.(call)
    } finally {
      call.finish()
    }
  }
}

/** What a call ends with that threw this. */
const thrown = ({ tool }: Call, error: unknown): unknown =>
  error ?? new ToolError('TOOL_FAILED', `${tool.id} threw nothing.`)
