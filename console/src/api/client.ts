// Requests to the crib that serves this page. Every refusal becomes an ApiError with the words of the server.

import { say } from '../words/say.ts'
import { sessionEnded, token } from './session.ts'

export interface FieldError {
  /** JSON pointer into what was sent. */
  readonly pointer: string
  readonly message: string
}

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  readonly body: Record<string, unknown>

  constructor(status: number, body: Record<string, unknown>) {
    super(
      String(
        body['detail'] ??
          body['message'] ??
          body['title'] ??
          say('The server answered {status}.', { status: String(status) }),
      ),
    )
    this.status = status
    this.code = String(body['code'] ?? status)
    this.hint = typeof body['hint'] === 'string' ? body['hint'] : undefined
    this.body = body
  }

  /** Faults of single fields, as the breadcrumb routes report them. */
  get fields(): readonly FieldError[] {
    return Array.isArray(this.body['errors']) ? (this.body['errors'] as FieldError[]) : []
  }
}

export interface AskOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** The bare answer, with the token sent along. A refused token ends the session. */
export async function ask(path: string, options: AskOptions = {}): Promise<Response> {
  const headers: Record<string, string> = { ...options.headers }
  if (token.value) headers['authorization'] = `Bearer ${token.value}`
  if (options.body !== undefined) headers['content-type'] = 'application/json'
  let response: Response
  try {
    response = await fetch(path, {
      method: options.method ?? 'GET',
      headers,
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal ? { signal: options.signal } : {}),
    })
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error
    throw new ApiError(0, {
      code: 'UNREACHABLE',
      detail: say('The server does not answer.'),
      hint: say('Is `toolcrib serve` still running?'),
    })
  }
  if (response.status === 401 && token.value) sessionEnded()
  return response
}

export async function problemOf(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => ({}))
  return new ApiError(response.status, typeof body === 'object' && body !== null ? body : {})
}

/** The JSON of an answer; throws ApiError when it is a refusal. */
export async function askJson<T>(path: string, options: AskOptions = {}): Promise<T> {
  const response = await ask(path, options)
  if (!response.ok) throw await problemOf(response)
  return (await response.json()) as T
}

/** An id as part of a path: its slashes stay, everything else is encoded. */
export function idPath(id: string): string {
  return id.split('/').map(encodeURIComponent).join('/')
}
