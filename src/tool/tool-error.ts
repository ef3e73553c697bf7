// The one error a call can end with. It is recognised by a marker, not by `instanceof`, so that an
// error made in a worker, a skill or another copy of this package is still the same kind of thing.
import type { ErrorCode } from './error-codes.ts'
import type { Json } from './json.ts'
import type { toolErrorShape } from './outcome-shape.ts'
import type { Static } from './shape.ts'

const marker = Symbol.for('toolcrib.error')

export interface ToolErrorOptions {
  readonly hint?: string | undefined
  readonly details?: Json | undefined
  readonly retryable?: boolean
  readonly cause?: unknown
}

/** What surfaces send: the error as plain data. */
export interface ToolErrorData extends Static<typeof toolErrorShape> {}

export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code: ErrorCode
  readonly hint?: string
  readonly details?: Json
  readonly retryable: boolean

  constructor(code: ErrorCode, message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    if (options.hint !== undefined) this.hint = options.hint
    if (options.details !== undefined) this.details = options.details
    this.retryable = options.retryable ?? false
    Object.defineProperty(this, marker, { value: true })
  }
}

/** True for a ToolError, whichever copy of this module made it. */
export function isToolError(value: unknown): value is ToolError {
  return typeof value === 'object' && value !== null && marker in value
}

/** Any thrown thing as plain error data; what carries no code is TOOL_FAILED with its message. Never throws. */
export function errorData(thrown: unknown): ToolErrorData {
  try {
    return readError(thrown)
  } catch {
    return { code: 'TOOL_FAILED', message: 'What was thrown cannot be read.', retryable: false }
  }
}

function readError(thrown: unknown): ToolErrorData {
  // Code of a tool can set the marker on anything.
  if (isToolError(thrown) && typeof thrown.code === 'string') {
    return {
      code: thrown.code,
      message: String(thrown.message),
      hint: thrown.hint,
      details: thrown.details,
      retryable: thrown.retryable === true,
    }
  }
  return { code: 'TOOL_FAILED', message: messageOf(thrown), retryable: false }
}

/** The message of any thrown thing, in words. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return String(thrown.message || thrown.name)
  if (typeof thrown === 'string') return thrown
  try {
    return JSON.stringify(thrown) ?? String(thrown)
  } catch {
    return String(thrown)
  }
}
