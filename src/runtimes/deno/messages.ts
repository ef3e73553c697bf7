// What a worker may say. Every message comes from the tool's own process and is only a claim: its shape is checked
// here, its size by the channel, its call and its rights by whoever acts on it.
import { isPlainObject } from '../../tool/json.ts'
import type { LogLevel } from '../../tool/outcome.ts'

export type WorkerMessage =
  | { readonly t: 'ready'; readonly deniesRanges: boolean }
  | { readonly t: 'loaded' }
  | { readonly t: 'load-failed'; readonly message: string; readonly stack: string }
  | { readonly t: 'pong'; readonly n: number }
  | { readonly t: 'result'; readonly id: number; readonly json: string; readonly isUndefined?: boolean }
  | { readonly t: 'too-large'; readonly id: number; readonly bytes: number }
  | { readonly t: 'unjson'; readonly id: number; readonly path: string; readonly what: string }
  | {
      readonly t: 'error'
      readonly id: number
      readonly message: string
      readonly stack: string
      readonly code?: string
      readonly retryable?: boolean
    }
  | {
      readonly t: 'log'
      readonly id: number
      readonly level: LogLevel
      readonly message: string
      /** JSON text, as `json` of a question is. */
      readonly data?: string
    }
  | {
      readonly t: 'progress'
      readonly id: number
      readonly done: number
      readonly total?: number
      readonly message?: string
    }
  | {
      readonly t: 'stray'
      readonly id: number
      readonly kind: 'rejection' | 'error'
      readonly message: string
      readonly stack: string
    }
  | {
      readonly t: 'api'
      readonly id: number
      readonly n: number
      readonly op: string
      /** A list as JSON text: nested values of any depth pass the channel as one string. */
      readonly json: string
    }

/** `maxText`: length of the longest text that a worker has reason to send, values apart. */
type Check = (value: unknown, maxText: number) => boolean

const json: Check = (value) => typeof value === 'string'
const text: Check = (value, maxText) => typeof value === 'string' && value.length <= maxText
const whole: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const number: Check = (value) => typeof value === 'number'
const flag: Check = (value) => typeof value === 'boolean'
const maybe =
  (check: Check): Check =>
  (value, maxText) =>
    value === undefined || value === null || check(value, maxText)
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string)

const shapes: { readonly [type: string]: { readonly [key: string]: Check } } = {
  ready: { deniesRanges: flag },
  loaded: {},
  'load-failed': { message: text, stack: text },
  pong: { n: whole },
  result: { id: whole, json, isUndefined: maybe(flag) },
  'too-large': { id: whole, bytes: whole },
  unjson: { id: whole, path: text, what: text },
  error: { id: whole, message: text, stack: text, code: maybe(text), retryable: maybe(flag) },
  log: {
    id: whole,
    level: oneOf('debug', 'info', 'warn', 'error'),
    message: text,
    data: maybe(json),
  },
  progress: { id: whole, done: number, total: maybe(number), message: maybe(text) },
  stray: { id: whole, kind: oneOf('rejection', 'error'), message: text, stack: text },
  api: { id: whole, n: whole, op: text, json },
}

const checks = new Map(Object.entries(shapes).map(([type, shape]) => [type, Object.entries(shape)]))

/** The message of a line; null when it is no JSON, none of the known shapes, or holds a longer text than it may. */
export function readMessage(line: string, maxText: number): WorkerMessage | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (!isPlainObject(value) || typeof value['t'] !== 'string') return null
  // What nearly every call comes to needs no table.
  const { t, id, json: text, isUndefined } = value
  if (t === 'result' && isUndefined === undefined && whole(id, maxText) && typeof text === 'string')
    return value as unknown as WorkerMessage
  const wanted = checks.get(value['t'])
  if (!wanted) return null
  for (const [key, check] of wanted) {
    if (!check(Object.hasOwn(value, key) ? value[key] : undefined, maxText)) return null
  }
  return value as unknown as WorkerMessage
}
