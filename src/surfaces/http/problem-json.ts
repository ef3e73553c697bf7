// Errors as RFC 9457 problem documents, with the code and the hint a program or person goes on with.
import { legacyCodeOf, statusOfCode } from '../../tool/error-codes.ts'
import type { ToolErrorData } from '../../tool/tool-error.ts'

/** What a request is refused with; thrown inside a route, answered in one place. */
export class HttpProblem extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  readonly details: unknown
  readonly headers: { readonly [name: string]: string }

  /** Its status is that of the code. */
  constructor(
    code: string,
    message: string,
    options: {
      hint?: string | undefined
      details?: unknown
      headers?: { readonly [name: string]: string } | undefined
    } = {},
  ) {
    super(message)
    this.status = statusOfCode(code)
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
  412: 'Precondition failed',
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
      legacyCode: legacyCodeOf(problem),
      detail: problem.message,
      hint: problem.hint ?? nextStep(problem.status),
      ...detailMembers(problem),
    }),
    { status: problem.status, headers: { 'content-type': 'application/problem+json', ...problem.headers } },
  )
}

/** A list of faults is `errors` (C113); the version a breadcrumb has now is a member of its own. */
function detailMembers({ code, details }: HttpProblem): object {
  if (Array.isArray(details)) return { errors: details }
  return code === 'VERSION_MISMATCH' ? (details as object) : { details }
}

/** A tool's error where the answer is not an outcome. */
export function problemOf({ code, message, hint, details }: ToolErrorData): HttpProblem {
  const headers = code === 'STORE_BUSY' ? { 'retry-after': '1' } : undefined
  return new HttpProblem(code, message, { hint, details, headers })
}
