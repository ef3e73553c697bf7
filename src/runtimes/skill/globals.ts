// What every context of one crib shares: its configuration, the skills that were loaded, a cache, and whatever skills
// add. Two cribs in one process share nothing.

import type { Context } from './context.ts'

export interface Globals {
  config: unknown
  tools: { [name: string]: unknown }
  cache: { [key: string]: unknown }
  [key: string]: unknown
}

export function makeGlobals(config: unknown): Globals {
  return { config, tools: {}, cache: {} }
}

/** Settings that open something, or say where what opens it lies, are not for definitions that nobody vouches for. */
const hiddenSettings = new Set(['serve', 'secrets', 'store', 'bus', 'mcp', 'models', 'tools', 'env'])
const shown = new WeakMap<object, object>()

/** The settings without those. */
export function shownConfig(config: unknown): object {
  const all = (config ?? {}) as object
  let kept = shown.get(all)
  if (!kept) {
    kept = Object.fromEntries(Object.entries(all).filter(([key]) => !hiddenSettings.has(key)))
    shown.set(all, kept)
  }
  return kept
}

const asData = new WeakMap<object, () => object>()

/** What is put in where a text names a whole context, or its envelope: the data of it. */
export function dataOf(value: unknown): unknown {
  return (typeof value === 'object' && value !== null && asData.get(value)?.()) || value
}

/**
 * A context as metadata and schemas name its values: their text must not reach what the code is not shown. Contexts
 * around it are looked into in the same way, each made once, because they lead to one another.
 */
export function lookedUpIn(context: Context, made = new Map<Context, object>()): object {
  const known = made.get(context)
  if (known) return known
  const { globals, envelope } = context
  const { id, parent, target } = envelope
  const around: { id: string; parent: object | null; target?: object } = { id, parent: null }
  const view = {
    ...context,
    globals: { ...globals, config: shownConfig(globals['config']) },
    envelope: around,
  }
  made.set(context, view)
  asData.set(view, () => context.toJSON())
  asData.set(around, () => ({ id, parent: parent?.envelope.id ?? null, target: target.envelope.id }))
  around.parent = parent && lookedUpIn(parent, made)
  around.target = lookedUpIn(target, made)
  return view
}
