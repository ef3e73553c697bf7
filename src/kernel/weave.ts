// A tool's chain: the guards that apply to it, its metadata middleware sorted in between, its hooks around.

import { hasTemplate, interpolate } from '../runtimes/skill/interpolate.ts'
import type { Woven, WovenHook, WovenKey } from '../tool/cascade.ts'
import { isPlainObject } from '../tool/json.ts'
import { placeKeys } from '../tool/order.ts'
import type { Tool } from '../tool/tool.ts'
import { errorData, messageOf } from '../tool/tool-error.ts'
import type { Call } from './call.ts'
import { type ChainEntry, chainEntry, toolEntry } from './chain.ts'
import { type Place, takesPart } from './pipeline.ts'

/** What the entries of a chain need of the kernel. */
export interface Loom {
  /** Runs the tool of a metadata key as middleware of `call`: what it gives back, or a promise of it. */
  runKey(call: Call, key: WovenKey): unknown
  runHook(call: Call, hook: WovenHook, args: unknown): Promise<unknown>
}

export interface Composed {
  readonly chain: readonly ChainEntry[]
  readonly woven: Woven | null
  /** Keys whose values hold templates: interpolated anew in each call. */
  readonly templates: readonly string[]
}

/** Keys that describe the tool or belong to its schemas: never interpolated. */
const neverInterpolated = new Set(['role', 'tags', 'visibility', 'params', 'returns'])

export function weave(
  pipeline: readonly Place[],
  tool: Tool,
  asChainEntry: boolean,
  woven: Woven | null,
  loom: Loom,
): Composed {
  const keys = woven?.keys ?? []
  const places = placeKeys(
    pipeline.map((place) => place.name),
    keys,
  )
  const hooks = woven?.hooks ?? []
  const chain: ChainEntry[] = []
  for (const place of pipeline) {
    if (place.guard === null || takesPart(place, tool, asChainEntry))
      chain.push(asChainEntry ? place.inEntry : place.inCall)
    for (const key of places.get(place.name) ?? []) chain.push(keyEntry(key, loom))
    if (hooks.length === 0) continue
    if (place.name === 'trust') chain.push(aroundHooks(hooks, loom))
    if (place.name === '$pre-execute' && hooks.some((hook) => hook.when === 'before'))
      chain.push(beforeHooks(hooks, loom))
  }
  const metadata = woven?.metadata ?? {}
  const templates = Object.keys(metadata).filter(
    (key) => !neverInterpolated.has(key) && hasTemplate(metadata[key]),
  )
  return { chain, woven, templates }
}

/** The metadata of one call: `config` first, because other values may speak of it. */
export function metadataFor(call: Call, composed: Composed): { readonly [key: string]: unknown } {
  const metadata = composed.woven!.metadata
  if (composed.templates.length === 0) return metadata
  const values: Record<string, unknown> = { ...metadata }
  const { context } = call
  if (composed.templates.includes('config')) values['config'] = interpolate(values['config'], context)
  addConfig(call, values['config'])
  for (const key of composed.templates)
    if (key !== 'config') values[key] = interpolate(metadata[key], context)
  return values
}

/** Adds cascaded configuration to `locals.config`; what the crib itself states there stays. */
export function addConfig(call: Call, config: unknown): void {
  if (!isPlainObject(config)) return
  const { cwd, root, runtime } = call.context.locals.config
  Object.assign(call.locals.config, config, { cwd, root, runtime })
}

function keyEntry(key: WovenKey, loom: Loom): ChainEntry {
  return toolEntry(key.name, (call) => loom.runKey(call, key))
}

/** What the middleware of a key is given in a call. */
export function argsOfKey(call: Call, { name, fallback }: WovenKey): unknown {
  return withFallback(call.metadata[name], fallback)
}

function withFallback(value: unknown, fallback: unknown): unknown {
  if (fallback === undefined) return value
  if (value === null || value === undefined) return fallback
  return isPlainObject(value) && isPlainObject(fallback) ? { ...fallback, ...value } : value
}

function beforeHooks(hooks: readonly WovenHook[], loom: Loom): ChainEntry {
  const mine = hooks.filter((hook) => hook.when === 'before')
  return chainEntry('$hook-before', async (call) => {
    await fire(call, mine, {}, loom)
  })
}

function aroundHooks(hooks: readonly WovenHook[], loom: Loom): ChainEntry {
  const after = hooks.filter((hook) => hook.when === 'after')
  const failed = hooks.filter((hook) => hook.when === 'error')
  return chainEntry('$hook', async (call, next) => {
    try {
      await next()
    } catch (error) {
      const { code, message } = errorData(error)
      await fire(call, failed, { error: { code, message } }, loom)
      throw error
    }
    await fire(call, after, { result: call.result }, loom)
  })
}

async function fire(call: Call, hooks: readonly WovenHook[], facts: object, loom: Loom): Promise<void> {
  if (call.isHook || call.isDryRun) return
  for (const hook of hooks) {
    const config = hook.config === undefined ? {} : { config: hook.config }
    try {
      await loom.runHook(call, hook, { tool: call.tool.id, args: call.args, ...facts, ...config })
    } catch (error) {
      call.log('warn', `the ${hook.when} hook ${hook.ref} failed: ${messageOf(error)}`)
    }
  }
}
