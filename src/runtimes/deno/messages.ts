// What a worker may say. Every message comes from the tool's own process and is only a claim: its shape is checked
// here, its size by the channel, its call and its rights by whoever acts on it.
import { isPlainObject, type Json } from '../../tool/json.ts'
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
      readonly data?: Json
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

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const whole: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const number: Check = (value) => typeof value === 'number'
const flag: Check = (value) => typeof value === 'boolean'
const anything: Check = () => true
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value)
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string)

const shapes: { readonly [type: string]: { readonly [key: string]: Check } } = {
  ready: { deniesRanges: flag },
  loaded: {},
  'load-failed': { message: text, stack: text },
  pong: { n: whole },
  result: { id: whole, json: text, isUndefined: maybe(flag) },
  'too-large': { id: whole, bytes: whole },
  unjson: { id: whole, path: text, what: text },
  error: { id: whole, message: text, stack: text, code: maybe(text), retryable: maybe(flag) },
  log: {
    id: whole,
    level: oneOf('debug', 'info', 'warn', 'error'),
    message: text,
    data: anything,
  },
  progress: { id: whole, done: number, total: maybe(number), message: maybe(text) },
  stray: { id: whole, kind: oneOf('rejection', 'error'), message: text, stack: text },
  api: { id: whole, n: whole, op: text, json: text },
}

const checks = new Map(Object.entries(shapes).map(([type, shape]) => [type, Object.entries(shape)]))

/** The message of a line; null when it is no JSON or none of the known shapes. */
export function readMessage(line: string): WorkerMessage | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (!isPlainObject(value) || typeof value['t'] !== 'string') return null
  const wanted = checks.get(value['t'])
  if (!wanted) return null
  for (const [key, check] of wanted) {
    if (!check(Object.hasOwn(value, key) ? value[key] : undefined)) return null
  }
  return value as unknown as WorkerMessage
}
