// The chain of a tool: checks and wrappers, its metadata middleware sorted in between, its hooks around.
import type { Call } from '../../kernel/call.ts'
import { type Entry, makeEntry } from '../../kernel/compose.ts'
import type { Composed } from '../../kernel/kernel.ts'
import { type Position, takesPart } from '../../kernel/stages.ts'
import { lookedUpIn } from '../../runtimes/skill/globals.ts'
import { hasTemplate, interpolate } from '../../runtimes/skill/interpolate.ts'
import type { Woven, WovenHook, WovenKey } from '../../tool/cascade.ts'
import { isPlainObject } from '../../tool/json.ts'
import { placeKeys } from '../../tool/order.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, messageOf } from '../../tool/tool-error.ts'
import { contextOf } from './context-of.ts'

/** What the entries of a chain need of those who make calls. */
export interface EntryCalls {
  /** Runs the tool of a metadata key as middleware of `call`: what it gives back, or a promise of it. */
  runKey(call: Call, key: WovenKey): unknown
  /** Throws what the middleware of a key would be refused with. */
  rehearseKey(call: Call, key: WovenKey): Promise<void>
  runHook(call: Call, hook: WovenHook, args: unknown): Promise<unknown>
}

/** A chain with what was woven into it. */
export interface WovenChain extends Composed {
  readonly woven: Woven
  /** Nothing in it depends on values of the call. */
  readonly isFixed: boolean
}

const keys = new WeakMap<Entry, WovenKey>()

/** The key that an entry runs the middleware of. */
export function keyOf(entry: Entry): WovenKey | undefined {
  return keys.get(entry)
}

/** Keys that describe the tool or belong to its schemas: never interpolated (S47). */
const neverInterpolated = new Set(['role', 'tags', 'visibility', 'params', 'returns'])

/** Whose chain it is. */
export interface ChainOwner {
  readonly tool: Tool
  readonly asEntry: boolean
  readonly woven: Woven
}

export function weave(positions: readonly Position[], owner: ChainOwner, calls: EntryCalls): WovenChain {
  const { tool, asEntry, woven } = owner
  const { hooks, metadata } = woven
  const states = (key: string) => Object.hasOwn(metadata, key)
  const slots = placeKeys(
    positions.map(({ entry }) => entry.name),
    woven.keys,
  )
  const chain: Entry[] = []
  for (const position of positions) {
    const { entry } = position
    if (takesPart(position, tool, asEntry, states)) chain.push(asEntry ? position.inEntry : entry)
    for (const key of slots.get(entry.name) ?? []) chain.push(keyEntry(key, calls))
    if (hooks.length === 0) continue
    if (entry.name === 'trust') chain.push(aroundHooks(hooks, calls))
    if (entry.name === '$pre-execute' && hooks.some((hook) => hook.when === 'before'))
      chain.push(beforeHooks(hooks, calls))
  }
  const templates = Object.keys(metadata).filter(
    (key) => !neverInterpolated.has(key) && hasTemplate(metadata[key]),
  )
  return {
    chain,
    woven,
    isFixed: templates.length === 0,
    prepare(call) {
      call.metadata = templates.length === 0 ? metadata : interpolated(call, metadata, templates)
    },
  }
}

/** The metadata of one call: `config` first, because other values may speak of it. */
function interpolated(
  call: Call,
  metadata: Woven['metadata'],
  templates: readonly string[],
): Call['metadata'] {
  const values: Record<string, unknown> = { ...metadata }
  const context = lookedUpIn(contextOf(call))
  if (templates.includes('config')) values['config'] = interpolate(values['config'], context)
  addConfig(call, values['config'])
  for (const key of templates) if (key !== 'config') values[key] = interpolate(metadata[key], context)
  return values
}

/** Adds cascaded configuration to `locals.config`; what the crib itself states there stays. */
export function addConfig(call: Call, config: unknown): void {
  if (!isPlainObject(config)) return
  const own = contextOf(call).locals.config
  const { cwd, root, runtime } = own
  Object.assign(own, config, { cwd, root, runtime })
}

function keyEntry(key: WovenKey, calls: EntryCalls): Entry {
  const entry = makeEntry({
    name: key.name,
    kind: 'middleware',
    runsTool: true,
    run: (call) => calls.runKey(call, key),
    rehearse: (call) => calls.rehearseKey(call, key),
  })
  keys.set(entry, key)
  return entry
}

/** What the middleware of a key is given in a call (S45). */
export function argsOfKey(call: Call, { name, fallback }: WovenKey): unknown {
  const value = call.metadata[name]
  if (fallback === undefined) return value
  if (value === null || value === undefined) return fallback
  return isPlainObject(value) && isPlainObject(fallback) ? { ...fallback, ...value } : value
}

function beforeHooks(hooks: readonly WovenHook[], calls: EntryCalls): Entry {
  const mine = hooks.filter((hook) => hook.when === 'before')
  const run = (call: Call) => fire(call, mine, {}, calls)
  return makeEntry({ name: '$hook-before', kind: 'hook', run })
}

function aroundHooks(hooks: readonly WovenHook[], calls: EntryCalls): Entry {
  const after = hooks.filter((hook) => hook.when === 'after')
  const failed = hooks.filter((hook) => hook.when === 'error')
  return makeEntry({
    name: '$hook',
    kind: 'hook',
    async run(call, next) {
      try {
        await next()
      } catch (error) {
        const { code, message } = errorData(error)
        await fire(call, failed, { error: { code, message } }, calls)
        throw error
      }
      await fire(call, after, { result: call.result }, calls)
    },
  })
}

/** Hooks observe: a failing one only adds a warning, and none fires inside a hook (S46). */
async function fire(
  call: Call,
  hooks: readonly WovenHook[],
  facts: object,
  calls: EntryCalls,
): Promise<void> {
  if (call.isHook) return
  for (const hook of hooks) {
    const config = hook.config === undefined ? {} : { config: hook.config }
    try {
      await calls.runHook(call, hook, { tool: call.tool.id, args: call.args, ...facts, ...config })
    } catch (error) {
      call.log('warn', `the ${hook.when} hook ${hook.ref} failed: ${messageOf(error)}`)
    }
  }
}
