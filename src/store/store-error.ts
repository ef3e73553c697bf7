// What a store refuses or fails with. A refusal means that nothing was written; a fault says that the store or the
// bus could not be used, and may pass.
import { type ErrorCode, familyOf } from '../tool/error-codes.ts'
import { asJson } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'

/** The store or the bus cannot be used. */
export function storeFault(
  code: ErrorCode,
  message: string,
  options: { readonly hint?: string; readonly cause?: unknown } = {},
): ToolError {
  return new ToolError(code, message, { ...options, retryable: true })
}

/** True for what `storeFault` makes; STORE_UNAVAILABLE is what a call makes of it. */
export function isStoreFault(error: unknown): error is ToolError {
  if (!isToolError(error) || error.code === 'STORE_UNAVAILABLE') return false
  return /^(STORE|BUS)_/.test(error.code) && familyOf(error.code) === 'missing'
}

export function hasCode(error: unknown, code: ErrorCode): error is ToolError {
  return isToolError(error) && error.code === code
}

export function notFound(id: string): ToolError {
  return new ToolError('NOT_FOUND', `There is no breadcrumb ${id}.`, {
    hint: 'It may have been deleted or have expired, or you may not see it.',
  })
}

export function versionMismatch(id: string, given: number, current: number): ToolError {
  return new ToolError(
    'VERSION_MISMATCH',
    `Breadcrumb ${id} is at version ${current}, not ${given}: somebody changed it meanwhile.`,
    { hint: 'Read it again and repeat the change.', details: { current_version: current } },
  )
}

/** Refused for the problems of a definition. */
export function refusedBy(problems: readonly Problem[], what: string): ToolError {
  const first = problems[0]
  return new ToolError('TOOL_INVALID', `${what}: ${first?.message ?? 'invalid'}`, {
    details: problems.map((problem) => asJson({ ...problem })),
    hint: first?.hint,
  })
}

export function secretExists(name: string): ToolError {
  return new ToolError('SECRET_EXISTS', `There is a secret ${name} in this scope already.`, {
    hint: 'Change its value with PUT /secrets/{id} or `toolcrib secrets set`.',
  })
}

export function storeClosed(where: string): ToolError {
  return storeFault('STORE_CLOSED', `The store ${where} is closed.`)
}

/** `known`: the newest schema that this program knows. */
export function storeNewer(where: string, version: number, known: number): ToolError {
  return storeFault(
    'STORE_NEWER',
    `The store ${where} was written by a newer Toolcrib (schema ${version}, this one knows ${known}).`,
    { hint: 'Update Toolcrib. The store was left as it is.' },
  )
}
