// `TOOLCRIB_*` variables as a configuration layer: TOOLCRIB_LIMITS_TIMEOUTMS, TOOLCRIB_TRUST, and the short
// TOOLCRIB_HOST and TOOLCRIB_PORT. Lists are parted by commas; other values are read as JSON where they are.
import { isPlainObject } from '../tool/json.ts'
import { defaultConfig } from './config.ts'
import type { ConfigLayer } from './merge-config.ts'

const shortNames: Record<string, string> = { HOST: 'serve.host', PORT: 'serve.port', SANDBOX: 'sandbox.mode' }

/** One layer per variable, so that `config explain` can name it. */
export function configFromEnv(env: NodeJS.ProcessEnv): ConfigLayer[] {
  const layers: ConfigLayer[] = []
  for (const key of Object.keys(env).sort()) {
    const text = env[key]
    if (!key.startsWith('TOOLCRIB_') || text === undefined || text === '') continue
    const path = shortNames[key.slice(9)] ?? leaves().get(key.slice(9))
    if (path)
      layers.push({ from: `environment ${key}`, values: nest(path.split('.'), readValue(path, text)) })
  }
  return layers
}

/** The variable that sets a dotted key. */
export function envNameOf(path: string): string {
  const short = Object.entries(shortNames).find(([, target]) => target === path)
  return `TOOLCRIB_${short ? short[0] : path.replaceAll('.', '_').toUpperCase()}`
}

let known: Map<string, string> | undefined

function leaves(): Map<string, string> {
  if (known) return known
  known = new Map()
  const visit = (value: unknown, path: string): void => {
    if (isPlainObject(value) && Object.keys(value).length > 0)
      for (const [key, item] of Object.entries(value)) visit(item, path ? `${path}.${key}` : key)
    else known!.set(path.replaceAll('.', '_').toUpperCase(), path)
  }
  visit(defaultConfig, '')
  return known
}

function readValue(path: string, text: string): unknown {
  const standard = path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], defaultConfig)
  if (typeof standard === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return Array.isArray(standard) ? text.split(',').map((item) => item.trim()) : text
  }
}

function nest(path: readonly string[], value: unknown): { [key: string]: unknown } {
  return path.length === 1 ? { [path[0]!]: value } : { [path[0]!]: nest(path.slice(1), value) }
}
