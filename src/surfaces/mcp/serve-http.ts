// MCP over HTTP. Requests of the 2026 specification are served one by one; those of 2025 belong to sessions,
// which are given up when nobody uses them, so that clients that leave without a goodbye cost nothing.
import { randomUUID } from 'node:crypto'
import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { ToolChange } from '../../catalog/tool-changes.ts'
import type { Crib } from '../../crib/crib.ts'
import { headerMismatch } from '../../runtimes/mcp/param-headers.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { Principal } from '../../tool/principal.ts'
import { asLong } from '../http/long-streams.ts'
import { HttpProblem } from '../http/problem-json.ts'
import { isJsonType, readText, refuseCostly } from '../http/read-body.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { type ClientCatalogs, rightsOf } from './client-catalogs.ts'
import { followChanges, onCatalogChange } from './follow-changes.ts'
import { isListen } from './listen-filter.ts'
import { ListenStreams } from './listen-streams.ts'
import { mcpServer } from './mcp-server.ts'
import { urisOf } from './subscriptions.ts'

interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Name and rights of the token that opened it; nobody else may use it, nor the same one with other rights. */
  readonly owner: string
  readonly stop: () => void
  usedAt: number
  /** Answers being written, the listening stream included. */
  open: number
}

export interface McpHttp {
  handle(request: Request, principal: Principal): Promise<Response>
  readonly sessions: number
  close(): Promise<void>
}

/** Those that `server/discover` tells. */
const modernVersions = ['2026-07-28']
/** Newest first. */
const versions = [...new Set([...modernVersions, ...SUPPORTED_PROTOCOL_VERSIONS])]
/** HeaderMismatch of 2026-07-28. */
const headerMismatchCode = -32_020
const idleMs = 15 * 60 * 1000
/** Of one token, which must leave some to the others (G22), and of all. */
const maxIdleOf = 256
const maxIdle = 1_024

export function serveMcpHttp(crib: Crib, clientCatalogs: ClientCatalogs): McpHttp {
  const sessions = new Map<string, Session>()
  const streams = new ListenStreams()
  const modern = createMcpHandler((context) => mcpServer(clientCatalogs.of(identityFrom(context.authInfo))), {
    legacy: 'reject',
    bus: streams,
  })
  const stopFollowing = onCatalogChange(crib, () => {
    modern.notify.toolsChanged()
    modern.notify.promptsChanged()
    modern.notify.resourcesChanged()
  })
  const onToolChange = (change: ToolChange) => {
    for (const uri of urisOf(change)) modern.notify.resourceUpdated(uri)
  }
  crib.on('tool-changed', onToolChange)

  const sweep = setInterval(() => {
    for (const [id, session] of sessions)
      if (session.open === 0 && Date.now() - session.usedAt > idleMs) drop(id)
  }, 60_000)
  sweep.unref()

  function drop(id: string): void {
    const session = sessions.get(id)
    if (!session) return
    sessions.delete(id)
    session.stop()
    session.server.close().catch(() => {})
  }

  function dropOldestIdle(owner: string): void {
    // A used session moves to the end, so the first idle one is the oldest.
    const idle = [...sessions].filter(([, session]) => session.open === 0)
    const own = idle.filter(([, session]) => session.owner === owner)
    if (own.length > maxIdleOf) drop(own[0]![0])
    else if (idle.length > maxIdle) drop(idle[0]![0])
  }

  async function openSession(request: Request, parsedBody: unknown, principal: Principal): Promise<Response> {
    const clientCatalog = clientCatalogs.of(principal)
    const server = mcpServer(clientCatalog)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, {
          server,
          transport,
          owner: rightsOf(principal),
          stop: followChanges(clientCatalog, server),
          usedAt: Date.now(),
          open: 0,
        })
        dropOldestIdle(rightsOf(principal))
      },
      onsessionclosed: (id) => drop(id),
    })
    await server.connect(transport)
    return transport.handleRequest(request, { parsedBody, authInfo: authInfoOf(principal) })
  }

  async function legacy(request: Request, parsedBody: unknown, principal: Principal): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) {
      if (request.method === 'POST' && [parsedBody].flat().some((message) => isInitializeRequest(message)))
        return openSession(request, parsedBody, principal)
      return rpcError(400, -32000, 'A session is needed: send initialize first, then its Mcp-Session-Id.')
    }
    const session = sessions.get(id)
    if (!session || session.owner !== rightsOf(principal))
      return rpcError(404, -32001, 'There is no such session; send initialize again.')
    session.usedAt = Date.now()
    sessions.delete(id)
    sessions.set(id, session)
    session.open++
    const response = await session.transport.handleRequest(request, {
      parsedBody,
      authInfo: authInfoOf(principal),
    })
    return whenDone(response, request.signal, () => {
      session.open--
      session.usedAt = Date.now()
    })
  }

  return {
    get sessions() {
      return sessions.size
    },
    async handle(request, principal) {
      let parsedBody: unknown
      if (request.method === 'POST') {
        if (!isJsonType(request.headers.get('content-type')))
          return rpcError(415, -32000, 'Unsupported Media Type: Content-Type must be application/json')
        try {
          const text = await readText(request)
          refuseCostly(text)
          parsedBody = JSON.parse(text)
        } catch (error) {
          if (error instanceof HttpProblem)
            return rpcError(error.status, error.status === 400 ? -32700 : -32000, error.message)
          return rpcError(400, -32700, 'Parse error: the body is not valid JSON')
        }
      }
      const requested = request.headers.get('mcp-protocol-version')
      if (requested !== null && !versions.includes(requested)) return unsupported(requested, parsedBody)
      if (await isLegacyRequest(request, parsedBody)) return legacy(request, parsedBody, principal)
      const clientCatalog = clientCatalogs.of(principal)
      const mismatch = headersOf(request, parsedBody, clientCatalog)
      if (mismatch) return mismatch
      const authInfo = authInfoOf(principal)
      const response = await streams.answer(clientCatalog, parsedBody, (body) =>
        modern.fetch(request, { parsedBody: body, authInfo }),
      )
      return isListen(parsedBody) ? asLong(response) : response
    },
    async close() {
      clearInterval(sweep)
      stopFollowing()
      crib.off('tool-changed', onToolChange)
      for (const id of [...sessions.keys()]) drop(id)
      await modern.close()
    },
  }
}

/** Who asks travels with the request; the token itself does not. */
function authInfoOf(principal: Principal): AuthInfo {
  return { token: '', clientId: principal.name, scopes: [], extra: { principal } }
}

function identityFrom(authInfo: AuthInfo | undefined): Principal {
  return authInfo?.extra?.['principal'] as Principal
}

/** The refusal of a call whose headers say something else than its arguments do (SEP-2243). */
function headersOf({ headers }: Request, body: unknown, clientCatalog: ClientCatalog): Response | undefined {
  if (!isPlainObject(body) || body['method'] !== 'tools/call') return undefined
  const params = isPlainObject(body['params']) ? body['params'] : {}
  const tool = clientCatalog.toolNamed(String(params['name']))
  if (!tool) return undefined
  const call = { params: tool.params, args: params['arguments'] }
  const mismatch = headerMismatch(call, (name) => headers.get(name))
  if (mismatch === undefined) return undefined
  return rpcError(400, headerMismatchCode, mismatch, { id: idOf(body) })
}

function idOf(body: unknown): string | number | null {
  const id = isPlainObject(body) ? body['id'] : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Whether a message says its version itself, as those of the newer era do. */
function isModernMessage(body: unknown): boolean {
  const params = isPlainObject(body) ? body['params'] : undefined
  const meta = isPlainObject(params) ? params['_meta'] : undefined
  return isPlainObject(meta) && meta[PROTOCOL_VERSION_META_KEY] !== undefined
}

/** The client can go on with one of the versions it is told. */
function unsupported(requested: string, body: unknown): Response {
  const supported = isModernMessage(body) ? modernVersions : versions
  return rpcError(
    400,
    ProtocolErrorCode.UnsupportedProtocolVersion,
    `Unsupported protocol version: ${requested}. This server speaks ${supported.join(', ')}.`,
    { id: idOf(body), data: { supported, requested } },
  )
}

function rpcError(
  status: number,
  code: number,
  message: string,
  { id = null, data }: { readonly id?: string | number | null; readonly data?: object } = {},
): Response {
  const error = { code, message, data }
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, error }), {
    status,
    headers: { 'content-type': 'application/json' },
  })
}

/** Tells when a response has been sent or its client is gone. */
function whenDone(response: Response, signal: AbortSignal, done: () => void): Response {
  if (!response.body || !/event-stream/.test(response.headers.get('content-type') ?? '')) {
    done()
    return response
  }
  let isDone = false
  const once = () => {
    if (!isDone) done()
    isDone = true
  }
  signal.addEventListener('abort', once, { once: true })
  const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: once }))
  return new Response(body, { status: response.status, headers: response.headers })
}
