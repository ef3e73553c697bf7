// The context of a call as it is carried to a skill that runs behind the fence: a snapshot one way, changes and
// questions the other (G13). What cannot be carried is refused by its name.
import type { Json } from '../../tool/json.ts'
import { errorData, isToolError, ToolError } from '../../tool/tool-error.ts'
import type { Answer } from '../../workers/protocol.ts'
import { NextPromise } from './next-promise.ts'

/** The part of a call's context that is carried. */
export interface SkillContext {
  readonly envelope: {
    readonly id: string
    readonly parent: SkillContext | null
    readonly target: SkillContext
  }
  readonly args: unknown
  readonly run: object
  readonly locals: object
  readonly nonlocals: object
  readonly globals: { [key: string]: unknown }
  readonly manager: {
    invoke(ref: string, args?: unknown, options?: object): Promise<unknown>
    next(options?: { readonly again?: boolean }): Promise<unknown>
    refresh(): Promise<void>
    inject(entry: object): void
  }
}

/** Errors that a worker was told of, by the numbers it knows them by. */
export interface KnownErrors {
  /** A number for what was thrown. */
  tell(error: unknown): number
  /** The number the worker itself gave to what was thrown in it. */
  ownOf(error: unknown): number | undefined
}

const parts = ['run', 'locals', 'nonlocals'] as const
const changeable = [...parts, 'globals'] as const
type PartName = (typeof changeable)[number]
/** Parts of `globals` that every process has of its own. */
const ownGlobals = ['tools', 'cache']
type Which = 'own' | 'target'

export class CarriedContext {
  readonly #contexts: { readonly own: SkillContext; readonly target: SkillContext }
  readonly #errors: KnownErrors
  readonly #nexts = new Map<unknown, Promise<unknown>>()
  #waiting = 0

  constructor(context: SkillContext, errors: KnownErrors) {
    this.#contexts = { own: context, target: context.envelope.target }
    this.#errors = errors
  }

  /** Whether it waits for another call. */
  get isWaiting(): boolean {
    return this.#waiting > 0
  }

  /** As JSON text, for the message of the call. */
  snapshot(): string {
    const { own, target } = this.#contexts
    return JSON.stringify({
      own: snapshotOf(own),
      ...(target === own ? {} : { target: snapshotOf(target) }),
      globals: globalsText(own.globals),
    })
  }

  /** Answers a question of the skill; changes are taken over at once, in their order. */
  async ask(op: string, args: readonly Json[]): Promise<Answer> {
    try {
      return told(await this.#do(op, args))
    } catch (error) {
      const own = this.#errors.ownOf(error)
      const { code, message, hint, details } = errorData(error)
      const name = error instanceof Error && !isToolError(error) ? error.name : undefined
      return told({
        error: { message, ...(isToolError(error) ? { code, hint, details } : { name }) },
        ref: this.#errors.tell(error),
        own,
        state: this.#state(),
      })
    }
  }

  async #do(op: string, args: readonly Json[]): Promise<object> {
    if (op === 'change') return this.#change(args[0])
    if (op === 'watch') {
      const next = this.#nexts.get(args[0])
      if (next instanceof NextPromise) next.watch()
      return {}
    }
    const { manager } = this.#contexts[args[0] === 'target' ? 'target' : 'own']
    this.#waiting++
    try {
      switch (op) {
        case 'next': {
          const next = manager.next({ again: args[2] === true })
          this.#nexts.set(args[1], next)
          const value = await (next instanceof NextPromise ? next.unwatched : next)
          return { value, state: this.#state() }
        }
        case 'invoke':
          return { value: await manager.invoke(String(args[1]), parsed(args[2]), parsed(args[3]) as object) }
        case 'refresh':
          await manager.refresh()
          return {}
        case 'inject':
          manager.inject(parsed(args[1]) as object)
          return {}
        default:
          throw new ToolError('TOOL_FAILED', `A context has no ${op}.`)
      }
    } finally {
      this.#waiting--
    }
  }

  #change(list: Json | undefined): object {
    for (const change of Array.isArray(list) ? list : []) {
      const [which, part, key, text] = change as readonly Json[]
      if (!changeable.includes(part as PartName) || typeof key !== 'string' || key === '__proto__') continue
      if (part === 'locals' && key === 'history') continue
      if (part === 'globals' && (key === 'config' || ownGlobals.includes(key))) continue
      const target = this.#contexts[which === 'target' ? 'target' : 'own'][part as PartName]
      if (text === null) Reflect.deleteProperty(target, key)
      else Reflect.set(target, key, parsed(text))
    }
    return {}
  }

  #state(): object {
    const { own, target } = this.#contexts
    const stateOf = (context: SkillContext) =>
      Object.fromEntries(parts.map((part) => [part, textOf(context[part], part)]))
    const globals = globalsText(own.globals)
    return { own: { ...stateOf(own), globals }, ...(target === own ? {} : { target: stateOf(target) }) }
  }
}

function snapshotOf(context: SkillContext): { readonly [key in Which | string]: string | null } {
  const { id, parent } = context.envelope
  return {
    id,
    parent: parent?.envelope.id ?? null,
    args: context.args === undefined ? null : textOf(context.args, 'args'),
    run: textOf(context.run, 'run'),
    locals: textOf(context.locals, 'locals'),
    nonlocals: textOf(context.nonlocals, 'nonlocals'),
  }
}

/** JSON text of what another skill put there; errors as data, functions and live objects refused. */
function textOf(value: unknown, path: string): string {
  return JSON.stringify(value, function (this: { [key: string]: unknown }, key, item: unknown) {
    const raw = this[key]
    if (raw instanceof Error) return { code: errorData(raw).code, message: raw.message }
    if (typeof raw === 'function' || typeof raw === 'symbol' || typeof raw === 'bigint')
      throw new ToolError(
        'TOOL_FAILED',
        `${key === '' ? path : `${path}.${key}`} holds a ${typeof raw}, which cannot be carried to a skill behind the fence.`,
        {
          hint: 'Put plain data there, or let the skill run inside the host: sign it (skills.host: vouched).',
        },
      )
    return item
  })
}

/** What a skill of the host put there and cannot be carried is not there for the others. */
function globalsText(globals: SkillContext['globals']): string {
  const texts: string[] = []
  for (const [key, value] of Object.entries(globals)) {
    if (ownGlobals.includes(key) || value === undefined) continue
    try {
      texts.push(`${JSON.stringify(key)}:${textOf(value, key)}`)
    } catch {
      // Not plain data.
    }
  }
  return `{${texts.join(',')}}`
}

function parsed(text: Json | undefined): unknown {
  return typeof text === 'string' ? JSON.parse(text) : undefined
}

function told(answer: object): Answer {
  return { ok: true, json: JSON.stringify(answer) }
}
