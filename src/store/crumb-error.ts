// A refused or failed store operation, with the HTTP status and problem document it becomes. Surfaces only
// translate it; they never decide a status themselves.
import { legacyCodeOf } from '../tool/error-codes.ts'
import type { Json } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'

/** RFC 9457 problem document. */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly hint?: string
  readonly errors?: readonly Json[]
  readonly [extension: string]: Json | undefined
}

export interface CrumbErrorOptions {
  readonly hint?: string
  /** Single faults: `{ pointer, message }`, problems of a tool, messages of a form. */
  readonly errors?: readonly Json[]
  /** The code that 0.1.0 gave, where it is another than that of all errors with this code. */
  readonly legacyCode?: string
  /** Further members of the problem document, such as the current version. */
  readonly extensions?: { readonly [name: string]: Json }
  readonly cause?: unknown
}

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}

export class CrumbError extends Error {
  override readonly name = 'CrumbError'
  readonly status: number
  readonly code: string
  readonly legacyCode?: string
  readonly hint?: string
  readonly errors?: readonly Json[]
  readonly extensions?: { readonly [name: string]: Json }

  constructor(status: number, code: string, message: string, options: CrumbErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = status
    this.code = code
    this.legacyCode = options.legacyCode ?? legacyCodeOf(code)
    if (options.hint !== undefined) this.hint = options.hint
    if (options.errors !== undefined) this.errors = options.errors
    if (options.extensions !== undefined) this.extensions = options.extensions
  }

  /** The body of the answer, `application/problem+json`. */
  toProblem(): ProblemDocument {
    return {
      type: 'about:blank',
      title: titles[this.status] ?? 'Error',
      status: this.status,
      detail: this.message,
      code: this.code,
      legacyCode: this.legacyCode,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.errors === undefined ? {} : { errors: this.errors }),
      ...this.extensions,
    }
  }
}

export function isCrumbError(value: unknown): value is CrumbError {
  return value instanceof Error && value.name === 'CrumbError' && 'status' in value
}

export function notFound(id: string): CrumbError {
  return new CrumbError(404, 'NOT_FOUND', `There is no breadcrumb ${id}.`, {
    hint: 'It may have been deleted or have expired, or you may not see it.',
  })
}

export function versionMismatch(id: string, given: number, current: number): CrumbError {
  return new CrumbError(
    412,
    'VERSION_MISMATCH',
    `Breadcrumb ${id} is at version ${current}, not ${given}: somebody changed it meanwhile.`,
    { hint: 'Read it again and repeat the change.', extensions: { current_version: current } },
  )
}

/** 422 with the problems of a definition. */
export function refusedBy(problems: readonly Problem[], what: string): CrumbError {
  const first = problems[0]
  return new CrumbError(422, 'TOOL_INVALID', `${what}: ${first?.message ?? 'invalid'}`, {
    legacyCode: first?.code,
    errors: problems.map((problem) => ({ ...problem }) as unknown as Json),
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
  })
}

export function secretExists(name: string): CrumbError {
  return new CrumbError(409, 'SECRET_EXISTS', `There is a secret ${name} in this scope already.`, {
    hint: 'Change its value with PUT /secrets/{id} or `toolcrib secrets set`.',
  })
}
