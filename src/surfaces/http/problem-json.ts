// Errors as RFC 9457 problem documents, with the code and the hint a program or person goes on with.
import type { CrumbError } from '../../crumbs/crumb-error.ts'
import type { ToolErrorData } from '../../tool/tool-error.ts'

/** What a request is refused with; thrown inside a route, answered in one place. */
export class HttpProblem extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  readonly details: unknown
  readonly headers: { readonly [name: string]: string }

  constructor(
    status: number,
    code: string,
    message: string,
    options: { hint?: string; details?: unknown; headers?: { readonly [name: string]: string } } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.hint = options.hint
    this.details = options.details
    this.headers = options.headers ?? {}
  }
}

const titles: Record<number, string> = {
  400: 'Bad request',
  401: 'Not authenticated',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Body too large',
  415: 'Wrong media type',
  421: 'Wrong host',
  422: 'Invalid',
  429: 'Too many requests',
  500: 'Internal error',
  502: 'Upstream failed',
  503: 'Not available',
  504: 'Out of time',
}

export function problemResponse(problem: HttpProblem): Response {
  return new Response(
    JSON.stringify({
      type: 'about:blank',
      title: titles[problem.status] ?? 'Error',
      status: problem.status,
      code: problem.code,
      detail: problem.message,
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
      ...(problem.details === undefined ? {} : { details: problem.details }),
    }),
    { status: problem.status, headers: { 'content-type': 'application/problem+json', ...problem.headers } },
  )
}

/** What the store refused, in its own words. */
export function crumbProblem(error: CrumbError): Response {
  return new Response(JSON.stringify(error.toProblem()), {
    status: error.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(error.code === 'store_busy' ? { 'retry-after': '1' } : {}),
    },
  })
}

/** A tool's error where the answer is not an outcome. */
export function problemOf(status: number, error: ToolErrorData): HttpProblem {
  return new HttpProblem(status, error.code, error.message, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.details === undefined ? {} : { details: error.details }),
  })
}
