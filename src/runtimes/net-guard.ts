// Outgoing HTTP of the host on behalf of a tool. Every connection is judged by the address it really goes to, so
// neither a redirect nor a name that changes its address leads past the profile.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { hostAndPort, type OnAccess } from '../sandbox/access/access.ts'
import { isHopeless, refusalOf } from '../sandbox/network-access.ts'
import type { NetworkRule } from '../sandbox/profile.ts'
import { type ResolveName, resolveName } from '../sandbox/resolve-name.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'

export interface GuardedRequest {
  readonly url: URL
  readonly method: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
  readonly signal: AbortSignal
  /** On whose behalf: what it reaches is told of. */
  readonly tool?: string
}

const maxRules = 16

/** Connections that are kept are kept per rule: one that a wider profile opened never serves a narrower one. */
export class NetGuard {
  readonly #agents = new Map<string, { readonly http: HttpAgent; readonly https: HttpsAgent }>()
  readonly #resolve: ResolveName
  readonly #onAccess: OnAccess | undefined

  constructor(resolve: ResolveName = resolveName, onAccess?: OnAccess) {
    this.#resolve = resolve
    this.#onAccess = onAccess
  }

  /** Sends one request and gives back the answer once its head is there; follows no redirect. */
  async send(rule: NetworkRule, request: GuardedRequest): Promise<IncomingMessage> {
    const { url } = request
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new ToolError(
        'PARAMS_INVALID',
        `${url.protocol} is no address for HTTP; only http and https are.`,
      )
    const early = isIP(host)
      ? refusalOf(rule, { host, port, address: host })
      : isHopeless(rule, host, port)
        ? rule.mode === 'none'
          ? 'it has no network access'
          : `${host} is not among the listed hosts`
        : null
    if (early) throw refused(host, port, early)
    const agents = this.#agentsFor(rule)
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    return new Promise((resolve, reject) => {
      const outgoing = send(url, {
        method: request.method,
        // Node says the length of a body for some methods only, and sends it all the same.
        headers: { ...request.headers, ...lengthOf(request) },
        agent: url.protocol === 'https:' ? agents.https : agents.http,
        lookup: guardedLookup(rule, port, this.#resolve),
        signal: request.signal,
      })
      outgoing.once('response', (answer) => {
        if (request.tool !== undefined)
          this.#onAccess?.(request.tool, { kind: 'host', what: hostAndPort(host, port), isDenied: false })
        resolve(answer)
      })
      outgoing.once('error', (error) => reject(isToolError(error) ? error : networkError(url, error)))
      outgoing.end(request.body)
    })
  }

  /** The same as a `fetch`, for libraries that take one; redirects are given back, not followed. */
  fetch(rule: NetworkRule): typeof fetch {
    return async (input, init) => {
      const asked = new Request(input, init)
      const body = asked.body ? new Uint8Array(await asked.arrayBuffer()) : undefined
      const answer = await this.send(rule, {
        url: new URL(asked.url),
        method: asked.method,
        headers: Object.fromEntries(asked.headers),
        body: body || undefined,
        signal: asked.signal,
      })
      const headers = new Headers()
      for (const [name, value] of Object.entries(answer.headers))
        for (const item of [value].flat()) if (item !== undefined) headers.append(name, item)
      const isEmpty = [101, 204, 205, 304].includes(answer.statusCode!) || asked.method === 'HEAD'
      if (isEmpty) answer.resume()
      return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), {
        status: answer.statusCode!,
        statusText: answer.statusMessage ?? '',
        headers,
      })
    }
  }

  /** Closes kept connections. */
  close(): void {
    for (const { http, https } of this.#agents.values()) {
      http.destroy()
      https.destroy()
    }
    this.#agents.clear()
  }

  #agentsFor(rule: NetworkRule) {
    const key = JSON.stringify(rule)
    let agents = this.#agents.get(key)
    if (!agents) {
      const options = { keepAlive: true, maxFreeSockets: 4, timeout: 60_000 }
      agents = { http: new HttpAgent(options), https: new HttpsAgent(options) }
    } else this.#agents.delete(key)
    this.#agents.set(key, agents)
    for (const [oldest, { http, https }] of this.#agents) {
      if (this.#agents.size <= maxRules) break
      http.destroy()
      https.destroy()
      this.#agents.delete(oldest)
    }
    return agents
  }
}

function lengthOf({ body }: GuardedRequest): { 'content-length'?: number } {
  return body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
}

/** Resolves a name and keeps only the addresses the rule allows. */
export function guardedLookup(
  rule: NetworkRule,
  port: number,
  resolve: ResolveName = resolveName,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        let refusal: string | null = null
        const allowed = addresses.flatMap((address) => {
          const why = refusalOf(rule, { host, port, address })
          refusal ??= why
          return why === null ? [{ address, family: isIP(address) }] : []
        })
        const first = allowed[0]
        if (!first) return callback(refused(host, port, refusal ?? `${host} has no address`), [])
        if (options.all) callback(null, allowed)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}

function refused(host: string, port: number, why: string): ToolError {
  const place = hostAndPort(host, port)
  return new ToolError('CAPABILITY_DENIED', `No connection to ${place}: ${why}.`, {
    hint: `If the tool should reach it, grant net.http:${place} in toolcrib.yaml (for a name that leads to a private address, grant the address). \`toolcrib grants\` shows the change.`,
    details: { host, port, grants: [`net.http:${place}`] },
  })
}

function networkError(url: URL, error: NodeJS.ErrnoException): unknown {
  if (error.name === 'AbortError') return error
  const reason = error.message || error.code || 'the connection failed'
  return new ToolError('UPSTREAM_FAILED', `${url.origin} could not be reached: ${reason}.`, {
    hint: 'Check the address, and that the service runs.',
    retryable: true,
    details: { code: error.code ?? '' },
  })
}
