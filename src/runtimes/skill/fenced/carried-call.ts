// What a skill behind the fence asks of its host while one call of it runs: the rest of the chain, other tools, parts of
// its context that are carried only when somebody looks (G13).
import type { Json } from '../../../tool/json.ts'
import { isPlainObject } from '../../../tool/json.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import type { Answer } from '../../../workers/protocol.ts'
import type { Context, Injection } from '../context.ts'
import { NextPromise } from '../next-promise.ts'
import type { Carrier, Packed } from './carrier.ts'
import type { ContextText, ToldContexts } from './told-contexts.ts'

/** Calls a function that a skill gave to its host. */
export type CallFunction = (fn: Packed, context: Context, args: unknown) => Promise<unknown>

export interface CarriedParts {
  readonly context: Context
  readonly carrier: Carrier
  readonly told: ToldContexts
  readonly callFunction: CallFunction
}

/** Promises of the rest of a chain that the skill may still say it looks at. */
const maxNexts = 1_000

export class CarriedCall {
  readonly #parts: CarriedParts
  readonly #own: Context
  readonly #target: Context
  readonly #contexts: readonly Context[]
  readonly #nexts = new Map<unknown, Promise<unknown>>()
  readonly #stoppers = new Map<unknown, AbortController>()
  #waiting = 0

  constructor(parts: CarriedParts) {
    this.#parts = parts
    this.#own = parts.context
    this.#target = parts.context.envelope.target
    this.#contexts = [...new Set([this.#own, this.#target])]
  }

  /** Whether it waits for another call. */
  get isWaiting(): boolean {
    return this.#waiting > 0
  }

  /** Its contexts, for the message of the call. */
  texts(): { readonly own: ContextText; readonly target?: ContextText } {
    const { told } = this.#parts
    return told.sending(this.#contexts, () =>
      this.#target === this.#own
        ? { own: told.textOf(this.#own, false) }
        : { own: told.textOf(this.#own, true), target: told.textOf(this.#target, false) },
    )
  }

  /** Takes over what the skill changed. */
  changed(list: unknown): void {
    this.#parts.told.apply(this.#contexts, list)
  }

  /** Answers a question of the skill; what it changed before comes with it and is taken over first. */
  async ask(op: string, args: readonly Json[]): Promise<Answer> {
    try {
      this.changed(args[0])
      const answer = this.#do(op, args)
      return answered(answer instanceof Promise ? await answer : answer)
    } catch (error) {
      const thrown = packThrown(this.#parts.carrier, error)
      try {
        return answered({ error: thrown, changes: this.#changes() })
      } catch {
        // What cannot be carried is told when a skill needs it.
        return answered({ error: thrown })
      }
    }
  }

  #do(op: string, args: readonly Json[]): object | Promise<object> {
    switch (op) {
      case 'change':
        return {}
      case 'watch': {
        const next = this.#nexts.get(args[1])
        if (next instanceof NextPromise) next.watch()
        return {}
      }
      case 'stop':
        this.#stoppers.get(args[1])?.abort(new DOMException(String(args[2]), 'AbortError'))
        return {}
      case 'history':
        return { value: { v: JSON.stringify(this.#ancestor(args[1]).locals.history) } }
      case 'context':
        return { context: this.#parts.told.textOf(this.#ancestor(args[1]), false) }
      case 'inject':
        this.#contextOf(args[1]).manager.inject(this.#injection(args[2]))
        return {}
      default:
        return this.#wait(op, args)
    }
  }

  async #wait(op: string, args: readonly Json[]): Promise<object> {
    const { carrier } = this.#parts
    const context = this.#contextOf(args[1])
    this.#waiting++
    try {
      switch (op) {
        case 'next': {
          const next = context.manager.next({ again: args[3] === true })
          if (typeof args[2] === 'number') this.#nexts.set(args[2], next)
          if (this.#nexts.size > maxNexts) this.#nexts.delete(this.#nexts.keys().next().value)
          const value = await (next instanceof NextPromise ? next.unwatched : next)
          return { value: carrier.pack(value, 'result'), changes: this.#changes() }
        }
        case 'invoke':
          return {
            value: carrier.pack(await this.#invoke(context, args), 'result'),
            changes: this.#changes(),
          }
        case 'refresh':
          await context.manager.refresh()
          return { changes: this.#changes() }
        default:
          throw new ToolError('TOOL_FAILED', `A context has no ${op}.`)
      }
    } finally {
      this.#waiting--
    }
  }

  #changes() {
    const { told } = this.#parts
    return told.sending(this.#contexts, () => this.#contexts.flatMap((context) => told.changesOf(context)))
  }

  /** `[changes, context, ref, arguments, { args: $context, options: context, stop }]` */
  async #invoke(context: Context, args: readonly Json[]): Promise<unknown> {
    const { carrier } = this.#parts
    const more = isPlainObject(args[4]) ? args[4] : {}
    const given = carrier.handOn(carrier.unpack(args[3]))
    const dollar = this.#overlay(more['$context'])
    const params = dollar === undefined ? given : { ...(given as object), $context: dollar }
    const overlay = this.#overlay(more['context'])
    const options: { context?: { [part: string]: unknown }; signal?: AbortSignal } = {}
    if (overlay !== undefined) options.context = overlay
    const { stop } = more
    if (typeof stop === 'number') {
      const controller = new AbortController()
      this.#stoppers.set(stop, controller)
      options.signal = controller.signal
    }
    try {
      return await context.manager.invoke(String(args[2]), params, options)
    } finally {
      this.#stoppers.delete(stop)
    }
  }

  /** Values for a context that were packed one by one. */
  #overlay(packed: unknown): { [part: string]: unknown } | undefined {
    if (!isPlainObject(packed)) return undefined
    const { carrier } = this.#parts
    return mapValues(packed, (part) =>
      isPlainObject(part) ? mapValues(part, (value) => carrier.handOn(carrier.unpack(value))) : undefined,
    )
  }

  #injection(given: Json | undefined): Injection {
    const { carrier, callFunction } = this.#parts
    const { name, fn, label, args, before, after } = isPlainObject(given) ? given : {}
    const entry: { -readonly [key in keyof Injection]: Injection[key] } = { args: carrier.unpack(args) }
    if (typeof name === 'string') entry.name = name
    if (before !== undefined) entry.before = before as string[]
    if (after !== undefined) entry.after = after as string[]
    if (isPlainObject(fn)) {
      const call = (context: Context, value: unknown) => callFunction({ n: Number(fn['n']) }, context, value)
      entry.fn = Object.defineProperty(call, 'name', { value: String(label) })
    }
    return entry
  }

  #contextOf(which: Json | undefined): Context {
    return which === 'target' ? this.#target : this.#own
  }

  /** Its own context, its target's, or one of those it was called from. */
  #ancestor(id: Json | undefined): Context {
    for (const start of [this.#own, this.#target])
      for (let at: Context | null = start; at; at = at.envelope.parent) if (at.envelope.id === id) return at
    throw new ToolError('TOOL_FAILED', 'The call has no such context.')
  }
}

/** Anything can be thrown; what cannot be carried is told in words. */
function packThrown(carrier: Carrier, thrown: unknown): Packed {
  try {
    return carrier.pack(thrown, 'error')
  } catch {
    return { v: JSON.stringify(String(thrown)) }
  }
}

function mapValues(map: object, change: (value: unknown) => unknown): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))
}

function answered(answer: object): Answer {
  return { ok: true, json: JSON.stringify(answer) }
}
