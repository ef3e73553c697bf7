// The runtime `rye-http`: one request by the host itself, behind the net guard, and its answer as a result.
import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { isListed } from '../../sandbox/network-access.ts'
import { revealSecrets } from '../../sandbox/reveal-secrets.ts'
import type { Json, JsonObject } from '../../tool/json.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import { stopped, timeoutError } from '../../workers/run-to-end.ts'
import { NetGuard } from '../net-guard.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { buildRequest, type HttpRequest } from './http-request.ts'
import { Interpreters } from './interpreter.ts'
import { tooLarge } from './run-process.ts'
import { settingOf } from './setting.ts'

const maxRedirects = 5
const maxErrorChars = 2_000
const retriedStatuses = [408, 429, 502, 503, 504]
const enforcement = { layers: ['net-guard'], dimensions: { network: 'enforced' } } as const

export function ryeHttp(env: RuntimeEnv): Runtime {
  const interpreters = new Interpreters(env)
  const guard = new NetGuard()
  return {
    name: 'rye-http',
    async run(attempt) {
      attempt.enforced(enforcement)
      const request = buildRequest(await settingOf(attempt, env, interpreters))
      return withinTime(attempt, request.timeoutMs, (signal) => exchange(attempt, request, guard, signal))
    },
    async plan(attempt) {
      const request = buildRequest(await settingOf(attempt, env, interpreters))
      return {
        method: request.method,
        url: request.url.href,
        headers: Object.keys(request.headers),
        ...(request.body === undefined ? {} : { body: request.body }),
      }
    },
    close: async () => guard.close(),
  }
}

/** Ends the exchange when the request's or the call's time is up, or when the caller leaves. */
async function withinTime<T>(
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

async function exchange(
  attempt: Attempt,
  request: HttpRequest,
  guard: NetGuard,
  signal: AbortSignal,
): Promise<JsonObject> {
  let { url } = request
  let headers: Record<string, string> = { 'accept-encoding': 'identity', ...request.headers }
  for (let hops = 0; ; hops++) {
    const answer = await guard.send(attempt.profile.network, {
      url,
      method: request.method,
      headers: withSecrets(headers, url, attempt),
      ...(request.body === undefined ? {} : { body: request.body }),
      signal,
    })
    const next = redirectOf(answer, url, request.method)
    if (!next) return resultOf(attempt, answer, url)
    answer.destroy()
    if (hops === maxRedirects) {
      throw new ToolError('TOOL_FAILED', `${request.url.href} redirects more than ${maxRedirects} times.`, {
        details: { status: answer.statusCode! },
      })
    }
    if (next.origin !== url.origin) headers = withoutSecrets(headers, request.secretHeader)
    url = next
  }
}

/** Placeholders become values only on the way to a host that the tool's grants list by name. */
function withSecrets(
  headers: Record<string, string>,
  url: URL,
  { profile, secrets }: Attempt,
): Record<string, string> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const isNamed = isListed(profile.network, url.hostname.replace(/^\[(.*)\]$/, '$1'), port)
  if (!isNamed || Object.keys(secrets).length === 0) return headers
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, revealSecrets(value, secrets)]),
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

async function resultOf(attempt: Attempt, answer: IncomingMessage, url: URL): Promise<JsonObject> {
  const status = answer.statusCode!
  const body = await readBody(attempt, answer, url)
  const type = answer.headers['content-type'] ?? ''
  const text = decode(body, type)
  attempt.meta({ status })
  if (status < 200 || status > 299) {
    const start = text.slice(0, maxErrorChars)
    throw new ToolError(
      'TOOL_FAILED',
      `${url.origin} answered ${status} ${answer.statusMessage ?? ''}`.trimEnd(),
      {
        hint: start.trim() === '' ? 'The answer had no text.' : `It says: ${start.slice(0, 300)}`,
        details: { status, body: start },
        retryable: retriedStatuses.includes(status),
      },
    )
  }
  const head = { success: true, status, headers: headersOf(answer) }
  if (!/^[^;]*\/(?:json|[^;\s]+\+json)\s*(?:;|$)/i.test(type)) return { ...head, output: text }
  if (text.trim() === '') return { ...head, data: null }
  try {
    return { ...head, data: JSON.parse(text) as Json }
  } catch (error) {
    throw new ToolError(
      'TOOL_FAILED',
      `${url.origin} answered ${type} that is no JSON: ${(error as Error).message}.`,
      {
        details: { status, body: text.slice(0, maxErrorChars) },
      },
    )
  }
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
      {
        retryable: true,
      },
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

function decode(body: Buffer, type: string): string {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return body.toString('utf8')
  }
}

function headersOf(answer: IncomingMessage): JsonObject {
  return Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}
