// What a skill can do with its call: call others, run the rest of its chain, refresh and extend it.
import type { Call } from '../../kernel/call.ts'
import { type Entry, makeEntry, type Turn } from '../../kernel/compose.ts'
import { Context, type Injection, type InvokeOptions, type Manager } from '../../runtimes/skill/context.ts'
import { NextPromise } from '../../runtimes/skill/next-promise.ts'
import { isPlainObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { contextOf } from './context-of.ts'

/** What the manager needs of those who make calls. */
export interface ManagerCalls {
  invoke(from: Call, ref: string, args: unknown, options: InvokeOptions): Promise<unknown>
  /** Reads the skill paths again; resolves to the new chain of the call's tool. */
  refresh(call: Call): Promise<readonly Entry[]>
  /** An entry that runs a tool, found by name now, as middleware. */
  entryFor(call: Call, name: string, args: unknown): Entry
}

/** Every entry more is one that each further one is put between (G22). */
const maxEntries = 1_000

export function managerOf(call: Call, calls: ManagerCalls): Manager {
  return {
    async invoke(ref, args, options) {
      const taken = takeOptions(args, options ?? {})
      return calls.invoke(call, ref, taken.args, taken.options)
    },
    next: (options) => nextOf(call, call.turn, options),
    async refresh() {
      const fresh = await calls.refresh(call)
      const ran = new Set(call.chain.slice(0, call.cursor + 1).map((entry) => entry.name))
      const last = fresh.findLastIndex((entry) => ran.has(entry.name))
      call.chain = [...call.chain.slice(0, call.cursor + 1), ...fresh.slice(last + 1)]
    },
    inject(entry) {
      call.chain = withInjection(call, entry, calls)
    },
  }
}

/** The context of a call as its middleware gets it: `next()` runs what comes after that very middleware. */
export function contextAt(call: Call, turn: Turn | undefined): Context {
  const { envelope, run, nonlocals, globals, manager } = contextOf(call)
  const { invoke, refresh, inject } = manager
  const next: Manager['next'] = (options) => nextOf(call, turn, options)
  return new Context(call, { envelope, run, nonlocals, globals, manager: { invoke, next, refresh, inject } })
}

/** Runs the rest of a chain for a tool: whether it looks at the promise decides whose a failure is (S29, S30). */
function nextOf(
  call: Call,
  turn: Turn | undefined,
  options: Parameters<Manager['next']>[0],
): Promise<unknown> {
  if (!turn) return Promise.resolve(call.result)
  let rest: unknown
  try {
    rest = turn.run(options)
  } catch (error) {
    const failed = Promise.reject(error)
    failed.catch(() => {})
    rest = failed
  }
  return new NextPromise(rest instanceof Promise ? rest : Promise.resolve(rest), turn)
}

/** Takes `$name` keys out of arguments and turns them into options; explicit options win. */
function takeOptions(
  args: unknown,
  explicit: InvokeOptions,
): { readonly args: unknown; readonly options: InvokeOptions } {
  if (!isPlainObject(args)) return { args, options: explicit }
  const taken = Object.keys(args).filter((key) => key.startsWith('$'))
  if (taken.length === 0) return { args, options: explicit }
  const rest: Record<string, unknown> = {}
  for (const key of Object.keys(args)) if (!key.startsWith('$')) rest[key] = args[key]
  const options: Record<string, unknown> = { ...explicit }
  for (const name of ['context', 'signal']) {
    const given = args[`$${name}`]
    if (given !== undefined) options[name] = fill(options[name], given, 2)
  }
  return { args: rest, options }
}

/** `value` with the fields it lacks taken from `filler`. */
function fill(value: unknown, filler: unknown, depth: number): unknown {
  if (value === undefined) return filler
  if (depth === 0 || !isPlainObject(value) || !isPlainObject(filler)) return value
  const filled: Record<string, unknown> = { ...value }
  for (const key of Object.keys(filler)) filled[key] = fill(value[key], filler[key], depth - 1)
  return filled
}

function withInjection(call: Call, injection: Injection, calls: ManagerCalls): readonly Entry[] {
  const { name, fn, args } = injection
  if ((name === undefined) === (fn === undefined))
    throw new TypeError('inject takes either a name or a function.')
  const label = name ?? fn!.name ?? 'injected'
  const indexes = (given: string | readonly string[] | undefined) =>
    [given ?? []]
      .flat()
      .map((wanted) => call.chain.findIndex((entry) => entry.name === wanted))
      .filter((index) => index !== -1)
  const isPlaced = injection.before !== undefined || injection.after !== undefined
  const place = Math.max(call.cursor, floorOf(call.chain, isPlaced), ...indexes(injection.after)) + 1
  if (indexes(injection.before).some((index) => index < place))
    throw new ToolError('INJECT_LATE', `${label} cannot be injected: its place in the chain has passed.`, {
      hint: 'Inject it earlier, or order it later.',
    })
  const entry = fn
    ? makeEntry({
        name: label,
        kind: 'middleware',
        runsTool: true,
        run: (target) => callFunction(fn, target, args),
      })
    : calls.entryFor(call, name!, args)
  if (call.chain.length >= maxEntries)
    throw new ToolError('CHAIN_INVALID', `The chain of ${call.tool.id} has ${maxEntries} entries already.`, {
      hint: 'Inject less, or call the tools one by one.',
    })
  return [...call.chain.slice(0, place), entry, ...call.chain.slice(place)]
}

/** No entry comes before the guards that decide whether the call may happen; an unplaced one not before `secrets`. */
function floorOf(chain: readonly Entry[], isPlaced: boolean): number {
  const behind = isPlaced ? '$configure' : '$post-configure'
  return chain.findIndex((entry) => entry.name === behind) - 1
}

/** A function entry gets the context of the call it was injected into. */
function callFunction(fn: NonNullable<Injection['fn']>, call: Call, args: unknown): unknown {
  const value = fn(contextOf(call), args)
  return value instanceof Promise ? call.orStopped(value) : value
}
