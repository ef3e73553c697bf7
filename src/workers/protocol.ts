// What a worker and its host say to each other: one JSON object per line, in every language. Whatever comes from a
// worker is only a claim, for the tool lives in the same process: its shape, its depth and the length of its texts are
// checked here, its size and rate by the channel, its call and its rights by whoever acts on it.
import { isNestedDeeper, isPlainObject, isTooDeep, type Json } from '../tool/json.ts'
import type { LogLevel } from '../tool/outcome.ts'

/** How a call ended, as its worker says. */
export type CallEnd =
  | {
      readonly t: 'result'
      readonly id: number
      /** The value, or its JSON text where the channel of a language takes no deep values. */
      readonly value?: unknown
      readonly json?: string
      readonly isUndefined?: boolean
      /** The value as one that may come back to the worker as the same thing; JSON text. */
      readonly kept?: string
      /** What the call changed in its context; JSON text. */
      readonly changes?: string
      /** What became of the middleware that ran in the same hop; JSON text. */
      readonly group?: string
    }
  | { readonly t: 'too-large'; readonly id: number; readonly bytes: number }
  | { readonly t: 'unjson'; readonly id: number; readonly path: string; readonly what: string }
  | {
      readonly t: 'error'
      readonly id: number
      readonly message: string
      readonly stack: string
      readonly type?: string
      readonly code?: string
      readonly retryable?: boolean
      /** What was thrown as `kept` is, and `changes`. */
      readonly thrown?: string
      readonly changes?: string
      readonly group?: string
    }
  /** The function asked for the end of the program. */
  | { readonly t: 'exit'; readonly id: number; readonly code: number; readonly message: string }
  /** A file it had read changed; nothing was called. */
  | { readonly t: 'stale'; readonly id: number }
  /** A file is not what was checked before the call; its code did not run. */
  | { readonly t: 'sealed'; readonly id: number; readonly file: string }

export type WorkerMessage =
  | CallEnd
  /** `calls`: how many it takes side by side. */
  | { readonly t: 'ready'; readonly calls: number; readonly deniesRanges?: boolean }
  | { readonly t: 'loaded' }
  | { readonly t: 'load-failed'; readonly message: string; readonly stack: string }
  | { readonly t: 'pong'; readonly n: number }
  /** It must not serve another call: this one left something behind. */
  | { readonly t: 'retire' }
  | {
      readonly t: 'log'
      readonly id: number
      readonly level: LogLevel
      readonly message: string
      /** JSON text, as `json` of a question is. */
      readonly data?: string
    }
  /** What a call printed; `fd` 1 or 2, `bytes` in base64 where it is no text. */
  | {
      readonly t: 'print'
      readonly id: number
      readonly fd: number
      readonly text?: string
      readonly bytes?: string
    }
  | {
      readonly t: 'progress'
      readonly id: number
      readonly done: number
      readonly total?: number
      readonly message?: string
    }
  /** An error outside of every function: in a timer, in a promise nobody waits for. */
  | {
      readonly t: 'stray'
      readonly id: number
      readonly kind: 'rejection' | 'error'
      readonly message: string
      readonly stack: string
    }
  | {
      readonly t: 'ask'
      readonly id: number
      readonly n: number
      readonly op: string
      /** A list as JSON text: nested values of any depth pass the channel as one string. */
      readonly json: string
    }

/** What the host answers to `ask`; `json` and `details` are JSON text. */
export type Answer =
  | { readonly ok: true; readonly json?: string }
  | { readonly ok: false; readonly error: AnswerError }

export interface AnswerError {
  readonly message: string
  readonly code: string
  readonly status: number
  readonly details?: string
}

/** `maxText`: length of the longest text that a worker has reason to send, values apart. */
type Check = (value: unknown, maxText: number) => boolean

const json: Check = (value) => typeof value === 'string'
const text: Check = (value, maxText) => typeof value === 'string' && value.length <= maxText
const whole: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const number: Check = (value) => typeof value === 'number'
const flag: Check = (value) => typeof value === 'boolean'
const any: Check = () => true
/** A member that may be left out, or be null. */
interface Maybe {
  readonly maybe: Check
}
const maybe = (check: Check): Maybe => ({ maybe: check })
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)

const shapes: { readonly [type: string]: { readonly [key: string]: Check | Maybe } } = {
  ready: { calls: whole, deniesRanges: maybe(flag) },
  loaded: {},
  'load-failed': { message: text, stack: text },
  pong: { n: whole },
  retire: {},
  result: {
    id: whole,
    value: any,
    json: maybe(json),
    isUndefined: maybe(flag),
    kept: maybe(json),
    changes: maybe(json),
    group: maybe(json),
  },
  'too-large': { id: whole, bytes: whole },
  unjson: { id: whole, path: text, what: text },
  error: {
    id: whole,
    message: text,
    stack: text,
    type: maybe(text),
    code: maybe(text),
    retryable: maybe(flag),
    thrown: maybe(json),
    changes: maybe(json),
    group: maybe(json),
  },
  exit: { id: whole, code: number, message: text },
  stale: { id: whole },
  sealed: { id: whole, file: text },
  print: { id: whole, fd: oneOf(1, 2), text: maybe(json), bytes: maybe(json) },
  log: {
    id: whole,
    level: oneOf('debug', 'info', 'warn', 'error'),
    message: text,
    data: maybe(json),
  },
  progress: { id: whole, done: number, total: maybe(number), message: maybe(text) },
  stray: { id: whole, kind: oneOf('rejection', 'error'), message: text, stack: text },
  ask: { id: whole, n: whole, op: text, json },
}

const checks = new Map(
  Object.entries(shapes).map(([type, shape]) => [
    type,
    Object.entries(shape).map(([key, member]) =>
      'maybe' in member
        ? { key, check: member.maybe, isOptional: true }
        : { key, check: member, isOptional: false },
    ),
  ]),
)

/** Whoever goes through a value, to check, to scrub or to write it, does so by calling itself. */
export const maxLevels = 1_000

/** The message of a line; null when it is no JSON, none of the known shapes, too deep, or holds too long a text. */
export function readMessage(line: string, maxText: number): WorkerMessage | null {
  if (isNestedDeeper(line, maxLevels)) return null
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (!isPlainObject(value) || typeof value['t'] !== 'string') return null
  const wanted = checks.get(value['t'])
  if (!wanted) return null
  for (const { key, check, isOptional } of wanted) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    if (isOptional && (given === undefined || given === null)) continue
    if (!check(given, maxText)) return null
  }
  return value as unknown as WorkerMessage
}

/** What a log line carries; kept as text where it is nested too deeply to be gone through. */
export function dataOf(json: string): Json {
  try {
    const value = JSON.parse(json) as Json
    return isTooDeep(value) ? json : value
  } catch {
    return json
  }
}

/** The arguments of a question; null where the text is no list. */
export function listOf(json: string): readonly Json[] | null {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
