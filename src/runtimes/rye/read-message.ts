// What comes out of a worker's channel. The tool lives in the worker's process and can write there itself, so every
// line is only a claim: its shape is checked here, before anything is done with it.
import { isPlainObject } from '../../tool/json.ts'

/** What a worker says at the end of a call. */
export interface Reply {
  readonly value?: unknown
  /** The function returned nothing; what it printed counts. */
  readonly none?: true
  /** The value was too large to send. */
  readonly size?: number
  /** The function ended the program. */
  readonly exit?: number
  readonly message?: string
  readonly error?: { readonly type: string; readonly message: string; readonly trace: string }
  /** A file it had read changed; nothing was called. */
  readonly stale?: true
  /** A file is not what was checked before the call; its code did not run. */
  readonly sealed?: string
  /** The worker must not serve another call. */
  readonly retire?: true
}

/** A call of another tool, made by the one that runs. */
export interface Question {
  readonly call: string
  readonly params: unknown
  readonly detached: boolean
}

type Check = (value: unknown) => boolean

const isTrue: Check = (value) => value === true
const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'

const replyParts = new Map<string, Check>(
  Object.entries({
    value: () => true,
    none: isTrue,
    size: isNumber,
    exit: isNumber,
    message: isText,
    error: (value) =>
      isPlainObject(value) && isText(value['type']) && isText(value['message']) && isText(value['trace']),
    stale: isTrue,
    sealed: isText,
    retire: isTrue,
  }),
)

/** The message of a line; null when it is no JSON or nothing a worker says. */
export function readMessage(line: string): Reply | Question | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (!isPlainObject(value)) return null
  const { call, params, detached } = value
  if (call !== undefined)
    return typeof call === 'string' ? { call, params, detached: detached === true } : null
  for (const name in value) if (replyParts.get(name)?.(value[name]) !== true) return null
  return value
}
