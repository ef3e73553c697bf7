// Lays what users wrote over the defaults, layer by layer, and remembers where each value came from.
import { isPlainObject } from '../tool/json.ts'
import { type Config, defaultConfig } from './config.ts'

/** One layer: a partial configuration as written, and where it was written. */
export interface ConfigLayer {
  readonly from: string
  readonly values: { readonly [key: string]: unknown }
}

export interface MergedConfig {
  readonly config: Config
  /** Dotted key → the layer that set it; keys no layer set are defaults. */
  readonly origins: { readonly [key: string]: string }
}

// Maps whose keys are the user's own: merged key by key, and each entry is replaced as a whole.
const openMaps = new Set([
  'grants.tools',
  'fleet.tools',
  'effects.tools',
  'tools',
  'models',
  'mcp.servers',
  'skills.nonlocals',
])

/** Layers from lowest to highest precedence; lists and scalars replace, maps merge. */
export function mergeConfig(layers: readonly ConfigLayer[]): MergedConfig {
  const origins: Record<string, string> = {}
  let config: Record<string, unknown> = structuredClone(defaultConfig) as unknown as Record<string, unknown>
  for (const layer of layers)
    config = overlay(config, normalise(layer.values), { path: '', from: layer.from, origins })
  return { config: config as unknown as Config, origins }
}

function overlay(
  base: Record<string, unknown>,
  over: { readonly [key: string]: unknown },
  {
    path,
    from,
    origins,
  }: { readonly path: string; readonly from: string; readonly origins: Record<string, string> },
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue
    const dotted = path ? `${path}.${key}` : key
    if (isPlainObject(value) && isPlainObject(merged[key]) && !openMaps.has(path)) {
      merged[key] = overlay(merged[key], value, { path: dotted, from, origins })
    } else {
      merged[key] = value
      origins[dotted] = from
    }
  }
  return merged
}

/** Short forms to full ones: `sandbox: required` is `sandbox: { mode: required }`. */
function normalise(values: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  const { $schema: _, ...rest } = values
  return typeof rest['sandbox'] === 'string' ? { ...rest, sandbox: { mode: rest['sandbox'] } } : rest
}
