// Errors as RFC 9457 problem documents, with the code and the hint a program or person goes on with.
import type { CrumbError } from '../../store/crumb-error.ts'
import { legacyCodeOf } from '../../tool/error-codes.ts'
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

/** What to do next where the refusal itself does not say: every problem carries a hint. */
const nextSteps: Record<number, string> = {
  403: 'Use a token that may, such as the one `toolcrib serve` prints.',
  404: 'See /openapi.json for what there is.',
  409: 'Look at what is there now, then try again.',
  412: 'Read it again and repeat the change with its version.',
  413: 'Send less at once.',
  429: 'Wait, then try again.',
  500: 'This is a fault of Toolcrib; its log says more.',
  502: 'Look at what the other side says, then try again.',
  503: 'Try again; `toolcrib doctor` says what is missing on the machine that serves.',
  504: 'Give it more time with timeoutMs.',
}

function nextStep(status: number): string {
  return nextSteps[status] ?? 'See /openapi.json for what a request looks like.'
}

export function problemResponse(problem: HttpProblem): Response {
  return new Response(
    JSON.stringify({
      type: 'about:blank',
      title: titles[problem.status] ?? 'Error',
      status: problem.status,
      code: problem.code,
      legacyCode: legacyCodeOf(problem.code),
      detail: problem.message,
      hint: problem.hint ?? nextStep(problem.status),
      ...(problem.details === undefined ? {} : { details: problem.details }),
    }),
    { status: problem.status, headers: { 'content-type': 'application/problem+json', ...problem.headers } },
  )
}

/** What the store refused, in its own words. */
export function crumbProblem(error: CrumbError): Response {
  return new Response(JSON.stringify({ hint: nextStep(error.status), ...error.toProblem() }), {
    status: error.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(error.code === 'STORE_BUSY' ? { 'retry-after': '1' } : {}),
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
