// A call is the same call whoever asks and whatever format the tool is written in: find, compose, run through
// the onion, give back an outcome. The kernel knows no format and no runtime by name.
import type { RefBase, Resolve } from '../catalog/resolver.ts'
import { interpolate } from '../runtimes/skill/interpolate.ts'
import type { Cascade, WovenHook, WovenKey } from '../tool/cascade.ts'
import { type Failure, inProcessEnforcement, type Outcome } from '../tool/outcome.ts'
import type { Principal } from '../tool/principal.ts'
import { timeId } from '../tool/time-id.ts'
import type { Tool } from '../tool/tool.ts'
import { errorData, ToolError } from '../tool/tool-error.ts'
import { Call, type CallOptions } from './call.ts'
import { type ChainEnd, type ChainEntry, chainEntry, runChain, toolEntry } from './chain.ts'
import type { Context, InvokeOptions } from './context.ts'
import { ContextMaker } from './make-context.ts'
import { type Guard, type Place, pipelineOf, takesPart } from './pipeline.ts'
import { addConfig, argsOfKey, type Composed, metadataFor, weave } from './weave.ts'

const maxDepth = 64

export interface KernelOptions {
  readonly guards: readonly Guard[]
  /** Which tool is meant: the catalog's answer. */
  readonly resolve: Resolve
  /** What the levels above a tool come to; absent: tools have only their guards. */
  cascade?(): Cascade
  /** Facts every context starts with. */
  surroundings?(): Surroundings
  /** Reads the files again. */
  refresh?(): Promise<void>
}

export interface Surroundings {
  readonly root: string
  readonly version: string
  /** Values every root call starts with. */
  readonly nonlocals: { readonly [key: string]: unknown }
}

const nowhere: Surroundings = { root: '', version: '0.0.0', nonlocals: {} }

export class Kernel {
  readonly #options: KernelOptions
  readonly #pipeline: readonly Place[]
  #composed = { direct: new WeakMap<Tool, Composed>(), entry: new WeakMap<Tool, Composed>() }
  readonly #running = new Map<string, Call>()
  readonly #contexts: ContextMaker

  constructor(options: KernelOptions) {
    this.#options = options
    this.#pipeline = pipelineOf(options.guards)
    this.#contexts = new ContextMaker(this, () => options.surroundings?.() ?? nowhere)
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
  compose(tool: Tool, asChainEntry = false): Composed {
    const cache = asChainEntry ? this.#composed.entry : this.#composed.direct
    let composed = cache.get(tool)
    if (!composed) {
      composed = this.#weave(tool, asChainEntry)
      cache.set(tool, composed)
    }
    return composed
  }

  #weave(tool: Tool, asChainEntry: boolean): Composed {
    try {
      const woven = this.#options.cascade?.().of(tool, asChainEntry) ?? null
      return weave(this.#pipeline, tool, asChainEntry, woven, this)
    } catch (error) {
      return { chain: this.#refusal(tool, asChainEntry, error), woven: null, templates: [] }
    }
  }

  /** A refusal is a run like any other: it passes the guards of the start, so it is recorded. */
  #refusal(tool: Tool, asChainEntry: boolean, error: unknown): readonly ChainEntry[] {
    const start = this.#pipeline
      .filter((place) => place.guard?.after === '$start' && takesPart(place, tool, asChainEntry))
      .map((place) => (asChainEntry ? place.inEntry : place.inCall))
    const refusal = chainEntry('cascade', () => {
      throw error
    })
    return [...start, refusal]
  }

  /** A blank context that belongs to no running call: what lists and descriptions resolve schemas against. */
  blankContext(tool: Tool, principal: Principal, args?: unknown, parent?: Call): Context {
    const call = new Call(
      timeId(),
      tool,
      args,
      { principal, ...(parent ? { parent } : {}) },
      this.#contexts.make,
    )
    const { context } = call
    const config = this.compose(tool).woven?.metadata['config']
    if (config !== undefined) addConfig(call, interpolate(config, context))
    call.finish()
    return context
  }

  /** A tool's call of another tool, with the principal's rights; rejects with what was thrown, as the same object. */
  async invokeFrom(from: Call, ref: string, args: unknown, options: InvokeOptions): Promise<unknown> {
    const principal = from.asPrincipal
    const tool = await this.#namedBy(from, ref)
    return await this.run(this.#childOf(from, tool, args, { principal, ...options }))
  }

  /** Calls what a skill's metadata names: the skill is the principal, its own files need no permission. */
  async runRef(from: Call, ref: string, args: unknown, declaredBy: Tool, isHook: boolean): Promise<unknown> {
    const list = declaredBy.details?.allowedTools ?? from.options.allowList
    const principal: Principal = {
      ...from.asPrincipal,
      tool: declaredBy.id,
      ...(list === undefined ? {} : { allowedTools: list }),
    }
    const tool = await this.#options.resolve(ref, {
      as: principal,
      from: { tool: declaredBy, isMetadata: true },
      load: loadOf(from.isDryRun),
    })
    const isOwnCode = tool.details?.ownCodeOf === declaredBy.id
    return await this.run(
      this.#childOf(from, tool, args, {
        principal,
        isOwnCode,
        isHook,
        // A delegate answers for the tool, so its text is the tool's.
        ...(isHook || !from.options.onText ? {} : { onText: from.options.onText }),
        ...(list === undefined ? {} : { allowList: list }),
      }),
    )
  }

  runHook(call: Call, hook: WovenHook, args: unknown): Promise<unknown> {
    return this.runRef(call, hook.ref, args, hook.declaredBy, true)
  }

  /**
   * Runs the tool of a metadata key. One whose frontmatter is computed is known in full before its first run, so that
   * its own list, keys and defaults bind that run; where it stands in the chain was settled before and is no more
   * changed in this call.
   */
  runKey(target: Call, key: WovenKey): unknown {
    const { tool, name } = key
    const found = this.#options.resolve(tool, {
      as: target.asPrincipal,
      from: { tool: target.tool, isMetadata: true },
      load: loadOf(target.isDryRun),
    })
    if (!(found instanceof Promise)) return this.runEntry(target, tool, argsOfKey(target, key))
    return found.then((full) => {
      const { woven } = this.compose(target.tool, target.options.target !== undefined)
      const now = woven?.keys.find((each) => each.name === name) ?? key
      return this.runEntry(target, full, argsOfKey(target, now))
    })
  }

  /** Runs a tool as middleware of a call: what it gives back, or a promise of it. */
  runEntry(target: Call, tool: Tool, args: unknown): unknown {
    const own = { principal: target.asPrincipal, target, parent: target }
    const inherited = inheritedBy(target)
    const options = inherited === nothing ? own : { ...inherited, ...own }
    return this.run(new Call(target.nextId(), tool, args, options, this.#contexts.make))
  }

  entryFor(call: Call, name: string, args: unknown): ChainEntry {
    const found = this.#namedBy(call, name)
    if (found instanceof Promise) found.catch(() => {})
    return toolEntry(name, async (target) => this.runEntry(target, await found, args))
  }

  async refresh(call: Call): Promise<readonly ChainEntry[]> {
    await this.#options.refresh?.()
    const from: RefBase = { tool: call.tool, isMetadata: false }
    const tool = await this.#options.resolve(call.tool.id, { as: call.principal, from, load: 'full' })
    return this.compose(tool, call.options.target !== undefined).chain
  }

  /** What the code of a tool means by a name. */
  #namedBy(from: Call, name: string): Tool | Promise<Tool> {
    const base: RefBase = { tool: from.tool, isMetadata: false }
    return this.#options.resolve(name, { as: from.asPrincipal, from: base, load: 'full' })
  }

  #childOf(parent: Call, tool: Tool, args: unknown, options: CallOptions): Call {
    return new Call(
      parent.nextId(),
      tool,
      args,
      { ...inheritedBy(parent), ...options, parent },
      this.#contexts.make,
    )
  }

  /** Calls a tool. Never rejects: a failure is an outcome. */
  async invoke(ref: string | Tool, args: unknown, options: CallOptions): Promise<Outcome> {
    let call: Call
    try {
      const prepared = this.prepare(ref, args, options)
      call = prepared instanceof Promise ? await prepared : prepared
    } catch (error) {
      return failureOf(error, options.runId)
    }
    try {
      const pending = this.run(call)
      if (pending instanceof Promise) await pending
    } catch {
      // The call carries its error; the outcome tells it.
    }
    try {
      return outcomeOf(call)
    } catch (error) {
      // What cannot be looked through for secrets is not given away.
      call.result = undefined
      call.error = new ToolError(
        'RESULT_INVALID',
        `The result of ${call.tool.id} cannot be read: ${errorData(error).message}.`,
      )
      return outcomeOf(call)
    }
  }

  /** Finds the tool and makes the call, not yet started; waits only where finding the tool does. */
  prepare(ref: string | Tool, args: unknown, options: CallOptions): Call | Promise<Call> {
    const { principal: as, signal, dryRun } = options
    const found = this.#options.resolve(ref, { as, signal, load: loadOf(dryRun === true) })
    return found instanceof Promise
      ? found.then((tool) => this.#prepared(tool, args, options))
      : this.#prepared(found, args, options)
  }

  #prepared(tool: Tool, args: unknown, options: CallOptions): Call {
    const now = Date.now()
    const call = new Call(options.runId ?? timeId(now), tool, args, options, this.#contexts.make, now)
    options.onPrepared?.(call)
    return call
  }

  /**
   * Runs a prepared call through its chain: its result, or a promise of it. Throws or rejects with whatever was
   * thrown, as the same object.
   */
  run(call: Call): unknown {
    const isEntry = call.options.target !== undefined
    if (!isEntry) this.#running.set(call.id, call)
    try {
      if (call.depth > maxDepth) {
        throw new ToolError('DEPTH_EXCEEDED', `${call.tool.id}: more than ${maxDepth} nested calls.`, {
          hint: 'A tool probably calls itself in a circle.',
        })
      }
      const composed = this.compose(call.tool, isEntry)
      call.chain = composed.chain
      if (composed.woven) {
        call.woven = composed.woven
        call.metadata = metadataFor(call, composed)
      }
    } catch (error) {
      call.chain = this.#refusal(call.tool, isEntry, error)
    }
    return runChain(call, 0, this.#end)
  }

  /** What happens to a call when its chain is through. */
  readonly #end: ChainEnd = {
    done: (call) => {
      call.stopClock()
      if (call.options.target === undefined) this.#running.delete(call.id)
      try {
        call.atEnd?.(call)
      } finally {
        call.finish()
      }
    },
    failed: (call, error) => {
      call.error = error ?? new ToolError('TOOL_FAILED', `${call.tool.id} threw nothing.`)
      this.#end.done(call)
    },
  }
}

const nothing: Partial<CallOptions> = {}

/** A dry run imports nothing to know a tool in full. */
function loadOf(isDryRun: boolean): 'static' | 'full' {
  return isDryRun ? 'static' : 'full'
}

/** What holds for the calls made in a call as it does for itself. */
function inheritedBy({ options: { strict, onLog }, isDryRun }: Call): Partial<CallOptions> {
  if (!strict && !onLog && !isDryRun) return nothing
  return {
    ...(strict ? { strict } : {}),
    ...(isDryRun ? { dryRun: true } : {}),
    ...(onLog ? { onLog } : {}),
  }
}

/** The outcome of a call that never came about: no such tool, a broken configuration. */
export function failureOf(error: unknown, runId: string = timeId()): Failure {
  return { ok: false, error: errorData(error), logs: [], ms: 0, runId, enforcement: inProcessEnforcement }
}

/** What a finished call comes to. */
function outcomeOf(call: Call): Outcome {
  const { scrubber, logs, id: runId, enforcement } = call
  const ms = round(call.elapsedMs())
  // Written out and not spread: this is what nearly every call comes to.
  if (call.error === undefined && !call.meta && !call.cost)
    return { ok: true, value: scrubber.value(call.result), logs, ms, runId, enforcement }
  const base = {
    logs,
    ms,
    runId,
    enforcement,
    ...(call.meta ? { meta: scrubber.value(call.meta) } : {}),
    ...(call.cost ? { cost: call.cost } : {}),
  }
  if (call.error === undefined) return { ok: true, value: scrubber.value(call.result), ...base }
  return {
    ok: false,
    error: scrubber.value(errorData(call.error)),
    ...(call.result === undefined ? {} : { value: scrubber.value(call.result) }),
    ...base,
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
