// The HTTP server of a crib: binds, answers, drains. Loopback with the crib's own token by default; any other
// interface only with tokens somebody chose.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Expose } from '../../config/config.ts'
import type { Crib } from '../../crib/crib.ts'
import { isLoopback } from '../../sandbox/addresses.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { ClientCatalogs } from '../mcp/client-catalogs.ts'
import type { McpExtras } from '../mcp/extras.ts'
import type { McpHttp } from '../mcp/serve-http.ts'
import { tasksOf } from '../mcp/tasks.ts'
import type { AppListener, appListener } from './app-listener.ts'
import { readerLimits } from './event-stream.ts'
import { Idempotency } from './idempotency.ts'
import { IssuedTokens } from './issued-tokens.ts'
import { LongStreams } from './long-streams.ts'
import { openMetrics } from './metrics.ts'
import { portHolder } from './port-holder.ts'
import { Readiness } from './readiness.ts'
import { RecentRuns } from './recent-runs.ts'
import { RequestDenials } from './request-denials.ts'
import { startEngines } from './start-engines.ts'
import { TokenStore } from './token-store.ts'
import { openTokens, ownToken } from './tokens.ts'

export interface ServeOptions {
  /** Interface; default `serve.host`. */
  readonly host?: string
  /** Port, 0 for a free one; default `serve.port`. */
  readonly port?: number
  /** The operator's token, in place of the one kept in `.toolcrib/token`. */
  readonly token?: string
  /** What MCP clients are offered: every tool, or three tools to find and call them. */
  readonly expose?: Expose
  /** Prompts and resources that MCP clients are offered besides those of the crib's skills. */
  readonly extras?: McpExtras
  /** False does not follow the files. */
  readonly watch?: boolean
  /** False starts no tool with the crib; requests, subscriptions and schedules work all the same. */
  readonly bootstrap?: boolean
  /** Admins may change files of the crib from the console; on loopback only. */
  readonly edit?: boolean
  readonly env?: NodeJS.ProcessEnv
}

/** A server that answers. */
export interface Served {
  /** Address of the console and the API. */
  readonly url: string
  readonly mcp: string
  readonly port: number
  /** The operator's token; undefined when only configured tokens are accepted. */
  readonly token: string | undefined
  /** Takes no more requests, gives running calls `graceMs` to finish, then stops them. */
  close(graceMs?: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const defaultGraceMs = 3_000

export async function serveCrib(crib: Crib, options: ServeOptions = {}): Promise<Served> {
  const { serve } = crib.config
  const host = options.host ?? serve.host
  const token = options.token ?? (isLoopback(host) ? ownToken(crib.spaces) : undefined)
  const store = new TokenStore(crib.spaces)
  const isOpen = token === undefined && serve.tokens.length === 0
  if (isOpen && store.tokens.length === 0 && serve.issuer === null)
    throw new ToolError(
      'CONFIG_INVALID',
      `${host} can be reached from other machines, so a token must be chosen.`,
      {
        hint: 'Give one with --token, make one with `toolcrib tokens new <name>`, or list serve.tokens in toolcrib.yaml.',
      },
    )
  if (options.edit && !isLoopback(host))
    throw new ToolError(
      'CONFIG_INVALID',
      `${host} can be reached from other machines, so --edit is refused.`,
      {
        hint: 'Files are changed from the console on loopback only: leave --edit or --host away.',
      },
    )
  let address = ''
  const issued =
    serve.issuer === null
      ? undefined
      : new IssuedTokens(serve.issuer, () =>
          [serve.publicUrl ?? address].flatMap((base) => [base, `${base}/mcp`, `${base}/api`]),
        )
  const tokens = await openTokens(
    token,
    serve.tokens,
    {
      env: options.env ?? process.env,
      readSecret: (name) => crib.crumbs.secretNamed(name, 'serve.tokens'),
    },
    { store, issued, offers: () => crib.config.offers },
  )
  const metrics = openMetrics(crib)
  const clientCatalogs = new ClientCatalogs(crib, options.expose, options.extras)
  let mcp: Promise<McpHttp> | undefined
  const openMcp = (): Promise<McpHttp> => {
    mcp ??= import('../mcp/serve-http.ts').then(({ serveMcpHttp }) => serveMcpHttp(crib, clientCatalogs))
    return mcp
  }
  const hosts = { bound: host, allowed: serve.allowedHosts }
  const denials = new RequestDenials((denial) => crib.crumbs.runs.recordDenial(denial))
  let isDraining = false
  const routes = lateRoutes({
    crib,
    clientCatalogs,
    tokens,
    tokenStore: store,
    canEdit: options.edit === true,
    hosts,
    metrics,
    history: crib.crumbs.runs,
    denials,
    oauth: { issuer: serve.issuer, baseUrl: (request) => serve.publicUrl ?? new URL(request.url).origin },
    readiness: new Readiness(crib, () => isDraining),
    kept: new Idempotency<Outcome>(),
    started: new Idempotency(),
    recent: new RecentRuns(),
    streams: { open: 0, openOf: new Map(), limits: readerLimits },
    longStreams: new LongStreams(),
    mcp: async (request, identity) => (await openMcp()).handle(request, identity),
  })
  const server = createServer(
    // A client that sends slowly holds a socket, so the head and the body have their time.
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 2_000,
    },
    routes.answer,
  )
  await listen(server, host, options.port ?? serve.port)
  const { port } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  address = url
  // Nobody waits for foreign servers (U9): what they offered before is known, and clients hear when a list changes.
  void crib.discover({ isPatient: true }).catch(() => {})
  const leave = crib.approvals.attend()
  if (options.watch !== false) await crib.watch()
  tasksOf(crib)
  const engines = await startEngines(crib, tokens, { ...options, url })
  // Large libraries, and what calls need, are loaded once the start is over, unless an answer needed them before.
  setImmediate(() => {
    // What fails here fails again, and is told, where it is needed.
    if (!isDraining) Promise.all([routes.load(), openMcp(), metrics.warmUp(), crib.formats()]).catch(() => {})
  })

  let closing: Promise<void> | undefined
  const close = (graceMs = defaultGraceMs) => {
    isDraining = true
    // Work that came over the bus goes back to it, while the answers that clients wait for are finished.
    closing ??= Promise.all([engines.stop(), drain(server, crib, graceMs)]).then(async () => {
      leave()
      denials.flush()
      metrics.close()
      await (await mcp)?.close()
      server.closeAllConnections()
    })
    return closing
  }
  return { url, mcp: `${url}/mcp`, port, token, close, [Symbol.asyncDispose]: () => close() }
}

/** A listener that loads the routes when the first request needs them, or when it is told to. */
function lateRoutes(parts: Parameters<typeof appListener>[0]) {
  let listener: AppListener | undefined
  const load = async (): Promise<AppListener> => {
    const { appListener } = await import('./app-listener.ts')
    listener ??= appListener(parts)
    return listener
  }
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (listener) listener(incoming, outgoing)
    else
      load().then(
        (loaded) => loaded(incoming, outgoing),
        (error) => outgoing.destroy(error),
      )
  }
  return { load, answer }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen({ host, port }, resolve)
  })
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ToolError {
  if (error.code === 'EADDRINUSE') {
    const holder = portHolder(port)
    return new ToolError('CONFLICT', `Port ${port} of ${host} is in use${holder ? ` by ${holder}` : ''}.`, {
      hint: 'Take another with --port or TOOLCRIB_PORT, or any free one with --port 0.',
    })
  }
  return new ToolError('CONFIG_INVALID', `${host}:${port} cannot be served: ${error.message}.`, {
    hint: 'Check serve.host and serve.port.',
  })
}

/** Stops listening and waits for running calls, but not for long. */
async function drain(server: Server, crib: Crib, graceMs: number): Promise<void> {
  server.close()
  server.closeIdleConnections()
  const isIdle = () => crib.kernel.running.length === 0
  if (isIdle()) return
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  const idle = new Promise<void>((resolve) => {
    // The record is written before the kernel lets go of the call, hence the turn of the loop.
    const onRun = () =>
      setImmediate(() => {
        if (!isIdle()) return
        crib.off('run', onRun)
        resolve()
      })
    crib.on('run', onRun)
  })
  await Promise.race([idle, late])
  clearTimeout(timer)
  for (const call of crib.kernel.running) call.abort(new ToolError('CANCELLED', 'The server is closing.'))
}
