// A call is the same call whoever asks and whatever format the tool is written in: find, compose, run through
// the onion, give back an outcome. The kernel knows no format and no runtime by name.
import { randomUUID } from 'node:crypto'
import type { Caller } from '../tool/caller.ts'
import { type Failure, inProcessEnforcement, type Outcome } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import { errorData, ToolError } from '../tool/tool-error.ts'
import { Call, type CallOptions } from './call.ts'
import { type ChainEntry, runChain } from './chain.ts'
import { type Guard, guardChain } from './pipeline.ts'

const maxDepth = 64

export interface KernelOptions {
  readonly guards: readonly Guard[]
  /** Finds a tool by ref on behalf of a caller; throws TOOL_NOT_FOUND. */
  find(ref: string, caller: Caller): Tool | Promise<Tool>
  /** Sorts a tool's metadata middleware in between its guards; asked once per tool. */
  weave?(tool: Tool, guards: readonly ChainEntry[], asChainEntry: boolean): readonly ChainEntry[]
}

export class Kernel {
  readonly #options: KernelOptions
  #chains = {
    direct: new WeakMap<Tool, readonly ChainEntry[]>(),
    entry: new WeakMap<Tool, readonly ChainEntry[]>(),
  }
  readonly #running = new Map<string, Call>()

  constructor(options: KernelOptions) {
    this.#options = options
  }

  /** Calls in progress, oldest first. */
  get running(): readonly Call[] {
    return [...this.#running.values()]
  }

  /** Forgets composed chains; called when the catalog or the configuration changed. */
  recompose(): void {
    this.#chains = { direct: new WeakMap(), entry: new WeakMap() }
  }

  /** Stops a running call; false when there is none of that id. */
  cancel(runId: string): boolean {
    const call = this.#running.get(runId)
    call?.abort(new ToolError('CANCELLED', 'The call was cancelled.'))
    return call !== undefined
  }

  /** The composed chain of a tool, made once. */
  chainOf(tool: Tool, asChainEntry = false): readonly ChainEntry[] {
    const cache = asChainEntry ? this.#chains.entry : this.#chains.direct
    let chain = cache.get(tool)
    if (!chain) {
      const guards = guardChain(this.#options.guards, tool, asChainEntry)
      chain = this.#options.weave?.(tool, guards, asChainEntry) ?? guards
      cache.set(tool, chain)
    }
    return chain
  }

  /** Calls a tool. Never rejects: a failure is an outcome. */
  async invoke(ref: string | Tool, args: unknown, options: CallOptions): Promise<Outcome> {
    let call: Call
    try {
      call = await this.prepare(ref, args, options)
    } catch (error) {
      return failureOf(error, options.runId)
    }
    try {
      await this.run(call)
    } catch {
      // The call carries its error; the outcome tells it.
    }
    return outcomeOf(call)
  }

  /** Finds the tool and makes the call, not yet started. */
  async prepare(ref: string | Tool, args: unknown, options: CallOptions): Promise<Call> {
    const tool = typeof ref === 'string' ? await this.#options.find(ref, options.caller) : ref
    return new Call(options.runId ?? randomUUID(), tool, args, options)
  }

  /** Runs a prepared call through its chain; rejects with whatever was thrown, as the same object. */
  async run(call: Call): Promise<unknown> {
    this.#running.set(call.id, call)
    try {
      if (call.depth > maxDepth) {
        throw new ToolError('DEPTH_EXCEEDED', `${call.tool.id}: more than ${maxDepth} nested calls.`, {
          hint: 'A tool probably calls itself in a circle.',
        })
      }
      call.chain = this.chainOf(call.tool, call.options.target !== undefined)
      await runChain(call)
      return call.result
    } catch (error) {
      call.error = error ?? new ToolError('TOOL_FAILED', `${call.tool.id} threw nothing.`)
      throw error
    } finally {
      this.#running.delete(call.id)
      call.finish()
    }
  }
}

/** The outcome of a call that never came about: no such tool, a broken configuration. */
export function failureOf(error: unknown, runId: string = randomUUID()): Failure {
  return { ok: false, error: errorData(error), logs: [], ms: 0, runId, enforcement: inProcessEnforcement }
}

/** What a finished call comes to. */
export function outcomeOf(call: Call): Outcome {
  const base = {
    logs: call.logs,
    ms: round(call.elapsedMs()),
    runId: call.id,
    enforcement: call.enforcement,
    ...(call.meta ? { meta: call.meta } : {}),
    ...(call.cost ? { cost: call.cost } : {}),
  }
  if (call.error === undefined) return { ok: true, value: call.result, ...base }
  return {
    ok: false,
    error: errorData(call.error),
    ...(call.result === undefined ? {} : { value: call.result }),
    ...base,
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
