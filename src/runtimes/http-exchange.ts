// One request by the host itself on behalf of a tool, behind the net guard: redirects, secrets, sizes and time limits in
// one place, for every runtime that sends HTTP.
import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { carriesSecrets } from '../sandbox/network-access.ts'
import { revealSecrets } from '../sandbox/reveal-secrets.ts'
import type { JsonObject } from '../tool/json.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'
import { stopped, timeoutError } from '../workers/run-to-end.ts'
import type { NetGuard } from './net-guard.ts'
import type { Attempt } from './runtime.ts'
import { tooLarge } from './rye/run-process.ts'

export interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | undefined
  /** Header that carries a secret, besides the usual ones. */
  readonly secretHeader: string | null
  /** Headers in which the definition itself writes a placeholder of a secret. */
  readonly placeholderHeaders?: readonly string[]
}

export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** Where it came from, after redirects. */
  readonly url: URL
}

const maxRedirects = 5
/** Statuses that may pass by themselves. */
export const retriedStatuses: readonly number[] = [408, 429, 502, 503, 504]
export const netGuardEnforcement = { layers: ['net-guard'], dimensions: { network: 'enforced' } } as const

/** Ends the exchange when the request's or the call's time is up, or when the caller leaves. */
export async function withinTime<T>(
  attempt: Attempt,
  requestMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limitMs = Math.min(requestMs, attempt.timeoutMs)
  const controller = new AbortController()
  let isLate = false
  const timer = setTimeout(
    () => {
      isLate = true
      controller.abort()
    },
    Math.min(limitMs, 2_147_483_647),
  )
  const leave = () => controller.abort()
  attempt.signal.addEventListener('abort', leave, { once: true })
  if (attempt.signal.aborted) leave()
  try {
    return await work(controller.signal)
  } catch (error) {
    if (isLate) throw timeoutError(limitMs)
    if (attempt.signal.aborted) throw stopped(attempt.signal, attempt.timeoutMs)
    throw error
  } finally {
    clearTimeout(timer)
    attempt.signal.removeEventListener('abort', leave)
  }
}

export async function exchange(
  attempt: Attempt,
  request: OutgoingRequest,
  guard: NetGuard,
  signal: AbortSignal,
): Promise<Answer> {
  let { url } = request
  let headers: Record<string, string> = { 'accept-encoding': 'identity', ...request.headers }
  for (let hops = 0; ; hops++) {
    const answer = await guard.send(attempt.profile.network, {
      url,
      method: request.method,
      headers: withSecrets(headers, url, { ...request, attempt }),
      body: request.body,
      signal,
      tool: attempt.tool.id,
    })
    const next = redirectOf(answer, url, request.method)
    if (!next) return readAnswer(attempt, answer, url)
    answer.destroy()
    if (hops === maxRedirects) {
      throw new ToolError('TOOL_FAILED', `${request.url.origin} redirects more than ${maxRedirects} times.`, {
        details: { status: answer.statusCode! },
      })
    }
    if (next.origin !== url.origin) headers = withoutSecrets(headers, request.secretHeader)
    url = next
  }
}

/** True when the tool's grants name this very host, so that secrets may travel there (G21). */
export function mayCarrySecrets({ profile }: Pick<Attempt, 'profile'>, url: URL, method = 'GET'): boolean {
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port) || (isSecure ? 443 : 80)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return carriesSecrets(profile.network, { host, port, isSecure, method })
}

/** Placeholders become values only on the way to a host that the tool's grants list by name. */
function withSecrets(
  headers: Record<string, string>,
  url: URL,
  { attempt, method, secretHeader, placeholderHeaders = [] }: OutgoingRequest & { readonly attempt: Attempt },
): Record<string, string> {
  const { secrets } = attempt
  if (Object.keys(secrets).length === 0 || !mayCarrySecrets(attempt, url, method)) return headers
  // The definition says in which headers; what a caller writes into another one stays as it is.
  const allowed = [secretHeader ?? '', ...placeholderHeaders].join(',')
  const named = Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [`${name}:${allowed}`, value]),
  )
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, revealSecrets(name, value, named)]),
  )
}

function redirectOf(answer: IncomingMessage, from: URL, method: string): URL | null {
  const to = answer.headers.location
  if (![301, 302, 303, 307, 308].includes(answer.statusCode!) || !to) return null
  if (method !== 'GET' && method !== 'HEAD') return null
  try {
    return new URL(to, from)
  } catch {
    return null
  }
}

/** Another origin gets no credentials that were meant for the first. */
function withoutSecrets(
  headers: Record<string, string>,
  secretHeader: string | null,
): Record<string, string> {
  const secret = ['authorization', 'cookie', 'proxy-authorization', secretHeader]
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !secret.includes(name.toLowerCase())))
}

async function readAnswer(attempt: Attempt, answer: IncomingMessage, url: URL): Promise<Answer> {
  const body = await readBody(attempt, answer, url)
  const { statusCode, statusMessage, headers } = answer
  return { status: statusCode!, statusText: statusMessage ?? '', headers, body, url }
}

async function readBody(attempt: Attempt, answer: IncomingMessage, url: URL): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length
      if (bytes > attempt.profile.outputBytes) {
        answer.destroy()
        throw tooLarge(attempt)
      }
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    if (isToolError(error)) throw error
    throw new ToolError(
      'UPSTREAM_FAILED',
      `The answer of ${url.origin} broke off: ${(error as Error).message}.`,
      { retryable: true },
    )
  }
  return unpack(attempt, Buffer.concat(chunks), answer.headers['content-encoding'])
}

function unpack(attempt: Attempt, body: Buffer, encoding: string | undefined): Buffer {
  const ways: Record<string, typeof gunzipSync> = {
    gzip: gunzipSync,
    'x-gzip': gunzipSync,
    deflate: inflateSync,
    br: brotliDecompressSync as typeof gunzipSync,
  }
  const way = ways[encoding?.trim().toLowerCase() ?? '']
  if (!way || body.length === 0) return body
  try {
    return way(body, { maxOutputLength: attempt.profile.outputBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(attempt)
    throw new ToolError('UPSTREAM_FAILED', `The answer's ${encoding} encoding is broken.`, {
      retryable: true,
    })
  }
}

/** The body as text, in the character set that its type names. */
export function textOf({ body, headers }: Answer): string {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return body.toString('utf8')
  }
}

export function headersOf({ headers }: Answer): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}

export function isJsonType(type: string): boolean {
  return /^[^;]*\/(?:json|[^;\s]+\+json)\s*(?:;|$)/i.test(type)
}
