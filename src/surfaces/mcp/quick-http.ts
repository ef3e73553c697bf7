// Plain calls of the 2026 specification over HTTP, answered before the routes: same checks of host, origin and
// token, same result. Whatever is not plain goes the long way, its body with it.
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientCapabilities, InputRequests } from '@modelcontextprotocol/server'
import { version } from '../../config/version.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { checkHost, type HostRules } from '../http/check-host.ts'
import type { Metrics } from '../http/metrics.ts'
import { isJsonType } from '../http/read-body.ts'
import type { Tokens } from '../http/tokens.ts'
import { AskedCall, type Start } from './asked-call.ts'
import { answersOf } from './client-answers.ts'
import type { ClientCatalog } from './client-catalog.ts'
import type { ClientCatalogs } from './client-catalogs.ts'
import { lackingIn } from './protocol-failure.ts'
import { type QuickCall, quickText, readQuickCall } from './quick-call.ts'

export interface QuickHttpParts {
  readonly hosts: HostRules
  readonly tokens: Tokens
  readonly metrics: Metrics
  readonly clientCatalogs: ClientCatalogs
}

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

const protocol = '2026-07-28'
const maxBytes = 1_048_576
const prefix = 'io.modelcontextprotocol/'
const capabilitiesKey = `${prefix}clientCapabilities`
const serverInfo = { name: 'toolcrib', title: 'Toolcrib', version: version() }
const more = {
  meta: `"${prefix}serverInfo":${JSON.stringify(serverInfo)}`,
  result: '"resultType":"complete"',
}

/** A listener that answers plain calls itself and hands the rest on. */
export function quickHttp(parts: QuickHttpParts, next: Listener): Listener {
  return (incoming, outgoing) => {
    if (!mayBeQuick(incoming)) {
      next(incoming, outgoing)
      return
    }
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      const found = readRequest(parts, incoming, body)
      if (found) return void answer(parts, found.clientCatalog, found.call, outgoing)
      // The routes read the body from here when a request comes with it.
      Object.assign(incoming, { rawBody: body })
      next(incoming, outgoing)
    })
  }
}

function mayBeQuick({ method, url, headers }: IncomingMessage): boolean {
  return (
    method === 'POST' &&
    url === '/mcp' &&
    headers['mcp-protocol-version'] === protocol &&
    headers['mcp-method'] === 'tools/call' &&
    isJsonType(headers['content-type'] ?? null) &&
    /application\/json|\*\/\*/.test(headers.accept ?? '') &&
    headers.expect === undefined &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length'] ?? maxBytes + 1) <= maxBytes
  )
}

function readRequest(
  { hosts, tokens, clientCatalogs }: QuickHttpParts,
  { headers }: IncomingMessage,
  body: Buffer,
): { readonly clientCatalog: ClientCatalog; readonly call: QuickCall } | undefined {
  try {
    checkHost(hosts, headers.host, headers.origin)
    const principal = tokens.identify(headers.authorization)
    if (!principal || principal instanceof Promise) return undefined
    const clientCatalog = clientCatalogs.of(principal)
    if (!isUtf8(body)) return undefined
    const call = readQuickCall(clientCatalog, JSON.parse(body.toString('utf8')))
    return call && call.tool.name === headers['mcp-name'] && isEnvelope(call.meta)
      ? { clientCatalog, call }
      : undefined
  } catch {
    // The long way says what is wrong.
    return undefined
  }
}

/** The three keys every request of this specification carries, and no more of the protocol's own. */
function isEnvelope(meta: QuickCall['meta']): boolean {
  if (!meta) return false
  const info = meta[`${prefix}clientInfo`]
  return (
    meta[`${prefix}protocolVersion`] === protocol &&
    isPlainObject(info) &&
    typeof info['name'] === 'string' &&
    typeof info['version'] === 'string' &&
    isPlainObject(meta[capabilitiesKey]) &&
    Object.keys(meta).filter((key) => key.startsWith(prefix)).length === 3
  )
}

/** What the call asks, with what every result of this server says of itself. */
async function questionText(
  { crib, principal }: ClientCatalog,
  { tool, args }: QuickCall,
  { asked, questions }: { readonly asked: AskedCall<Outcome>; readonly questions: InputRequests },
): Promise<string> {
  // Loaded when somebody asks: it brings the SDK with it.
  const { waitingCallsOf } = await import('./waiting-calls.ts')
  const result = waitingCallsOf(crib).keep(asked, questions, { principal, tool: tool.id, args })
  return JSON.stringify({ ...result, _meta: { [`${prefix}serverInfo`]: serverInfo } })
}

async function answer(
  { metrics }: QuickHttpParts,
  clientCatalog: ClientCatalog,
  call: QuickCall,
  outgoing: ServerResponse,
): Promise<void> {
  const { tool, args } = call
  const { principal, session } = clientCatalog
  const start: Start<Outcome> = ({ onPrepared }, ask) =>
    clientCatalog.crib.call(tool, args, {
      principal,
      session,
      onPrepared,
      ...answersOf(call.meta![capabilitiesKey] as ClientCapabilities, ask),
    })
  const asked = new AskedCall(start)
  let isGone = false
  const onClose = () => {
    isGone = true
    asked.stop('The client is gone.')
  }
  outgoing.on('close', onClose)
  const next = await asked.next()
  outgoing.off('close', onClose)
  if (isGone) return
  const lacking = 'questions' in next || next.ok ? undefined : lackingIn(next.error)
  const status = lacking ? 400 : 200
  const said = lacking
    ? `"error":${JSON.stringify(lacking)}`
    : `"result":${'questions' in next ? await questionText(clientCatalog, call, { asked, questions: next.questions }) : quickText(clientCatalog, tool, next, more)}`
  const text = `{${said},"jsonrpc":"2.0","id":${JSON.stringify(call.id)}}`
  metrics.request('POST', status)
  outgoing
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'x-content-type-options': 'nosniff',
    })
    .end(text)
}
