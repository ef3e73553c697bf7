// The only way out for a tool whose network is neither closed nor free: an HTTP proxy (CONNECT and absolute
// form) that resolves the name itself, judges the address it is about to use, and connects to exactly that.
// A redirect is a new request; a name that changes its address is judged by the new one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { lazyModule } from '../../tool/lazy-module.ts'
import { makeScrubber, nothingToScrub, type Scrubber } from '../../tool/scrub.ts'
import { scrubStream } from '../../tool/scrub-stream.ts'
import { formatAddress, parseAddress } from '../addresses.ts'
import { carriesSecrets, isHopeless, refusalOf } from '../network-access.ts'
import type { NetworkRule } from '../profile.ts'
import { type ResolveName, resolveName } from '../resolve-name.ts'
import { parsePlaceholder, revealSecrets } from '../reveal-secrets.ts'

// Most cribs never open a proxy, and these two cost a start more than anything else here.
const http = lazyModule<typeof import('node:http')>('node:http')
const tls = lazyModule<typeof import('node:tls')>('node:tls')

export interface EgressProxyOptions {
  readonly rule: NetworkRule
  /** By entry of `placeholders`: put in place of `{{secret:NAME}}`, on the way to a host that is listed by name. */
  readonly secrets?: { readonly [name: string]: string }
  /** Required as `Proxy-Authorization: Basic …`, where others on this machine could reach the proxy. */
  readonly credentials?: string
  /** Certificates (PEM) to trust instead of Node's, where the proxy speaks TLS itself. */
  readonly trusted?: readonly string[]
  /** Asked once for each connection; absent: the system's resolver. */
  readonly resolveName?: ResolveName
  /** How long one address has to answer before the next allowed one is tried. */
  readonly connectTimeoutMs?: number
  /** Connections of the tool at once; more are closed at once. */
  readonly maxConnections?: number
  /** How long a connection may carry nothing. */
  readonly idleMs?: number
  /** Told of every connection that was asked for. */
  readonly onAsked?: (asked: AskedConnection) => void
}

/** A connection that a tool asked for, and whether its rule allows it. */
export interface AskedConnection {
  readonly host: string
  readonly port: number
  /** The address that was judged; absent where the name alone was enough. */
  readonly address?: string
  readonly isDenied: boolean
}

/** Headers that concern one hop and are not passed on. */
const hopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const patientMs = 30_000
const maxTunnels = 256
const idleMs = 5 * 60_000

export class EgressProxy {
  readonly #options: EgressProxyOptions
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()
  #ready: Promise<void> | undefined

  constructor(options: EgressProxyOptions) {
    this.#options = options
    this.#server = http().createServer({ requireHostHeader: false })
    // One tool must not use up what others need (G22).
    this.#server.maxConnections = options.maxConnections ?? maxTunnels
    this.#server.on('connection', (socket) => {
      this.#keep(socket)
      socket.setTimeout(options.idleMs ?? idleMs, () => socket.destroy())
    })
    this.#server.on('connect', (request, socket, head) => {
      this.#tunnel(request, socket, head).catch((error: unknown) => refuseTunnel(socket, error))
    })
    this.#server.on('request', (request, response) => {
      this.#forward(request, response).catch((error: unknown) => refuse(response, error))
    })
    this.#server.on('clientError', (_, socket) => socket.destroy())
    // A proxy must not keep the program alive.
    this.#server.unref()
  }

  /** Listens on a socket file, in place when this returns, or on an address shortly after: see `ready`. */
  listen(where: { readonly path: string } | { readonly host: string; readonly port: number }): this {
    const server = this.#server.listen(where)
    if (!server.listening)
      this.#ready = new Promise((resolve) => {
        const settle = () => {
          this.#ready = undefined
          resolve()
        }
        server.once('listening', settle)
        server.once('error', settle)
      })
    return this
  }

  /** What whoever is sent here waits for; undefined when it takes connections already, or never will. */
  get ready(): Promise<void> | undefined {
    return this.#ready
  }

  onError(listener: (error: Error) => void): this {
    this.#server.on('error', listener)
    return this
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#sockets.delete(socket))
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    this.#authorise(request)
    const target = parseTarget(request.url ?? '')
    const upstream = await this.#connect(target.host, target.port)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    join(client, upstream)
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#authorise(incoming)
    const url = absoluteUrl(incoming.url ?? '')
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const isSecure = url.protocol === 'https:'
    const port = Number(url.port || (isSecure ? 443 : 80))
    const plain = await this.#connect(host, port)
    // The proxy speaks TLS itself where it was asked for, and for what is sent to the port of HTTPS, so that a
    // placeholder can be replaced on the way to a secure host; a CONNECT tunnel is opaque.
    const isEncrypted = isSecure || port === 443
    const socket = isEncrypted ? await this.#secure(plain, host) : plain
    const method = incoming.method ?? 'GET'
    const { rule, secrets = {} } = this.#options
    const mayCarry = carriesSecrets(rule, { host, port, isSecure: isEncrypted, method })
    const headers = withHost(revealed(incoming.rawHeaders, mayCarry ? secrets : {}), url.host)
    // What went out may come back: whatever the answer says of it is taken out again (G21).
    const scrubber = mayCarry && Object.keys(secrets).length > 0 ? scrubberOf(secrets) : nothingToScrub
    if (scrubber !== nothingToScrub) setHeader(headers, 'Accept-Encoding', 'identity')
    const outgoing = http().request({
      createConnection: () => socket,
      method,
      path: `${url.pathname}${url.search}`,
      headers,
      setHost: false,
    })
    outgoing.on('response', (answer) => {
      // An answer that cannot be passed on ends its connection; thrown here, it would end the program.
      try {
        passOn(answer, response, scrubber)
      } catch (error) {
        refuse(response, error)
        outgoing.destroy()
      }
    })
    outgoing.on('error', (error) => refuse(response, error))
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }

  #authorise(request: IncomingMessage): void {
    const { credentials } = this.#options
    if (credentials === undefined) return
    const expected = `Basic ${Buffer.from(credentials).toString('base64')}`
    if (request.headers['proxy-authorization'] !== expected)
      throw new Refusal('the proxy password is wrong', 407)
  }

  /** TLS over an open connection, its certificate checked against the name that was asked for. */
  #secure(socket: Socket, host: string): Promise<Socket> {
    const { trusted } = this.#options
    return new Promise((resolve, reject) => {
      const secure = tls().connect({
        socket,
        servername: isIP(host) ? undefined : host,
        host,
        ALPNProtocols: ['http/1.1'],
        ca: trusted === undefined ? undefined : [...trusted],
      })
      secure.once('secureConnect', () => {
        secure.removeAllListeners('error')
        this.#keep(secure)
        resolve(secure)
      })
      secure.once('error', (error) => {
        socket.destroy()
        reject(new Refusal(`${host} has no certificate that can be trusted: ${error.message}`, 502))
      })
    })
  }

  /** Resolves once, and connects to the first address that is allowed and answers: never to one that was not judged. */
  async #connect(host: string, port: number): Promise<Socket> {
    const { rule, connectTimeoutMs = patientMs, onAsked } = this.#options
    if (isHopeless(rule, host, port)) {
      onAsked?.({ host, port, isDenied: true })
      throw new Refusal(`${host} is not among the listed hosts`)
    }
    let failure: unknown
    let refusal = `${host} has no address`
    for (const address of await this.#addressesOf(host)) {
      const reason = refusalOf(rule, { host, port, address })
      onAsked?.({ host, port, address, isDenied: reason !== null })
      if (reason !== null) {
        refusal = reason
        continue
      }
      try {
        const socket = await open(address, port, connectTimeoutMs)
        this.#keep(socket)
        return socket
      } catch (error) {
        failure = error
      }
    }
    throw failure ?? new Refusal(refusal)
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    const literal = parseAddress(host)
    // Spellings such as 2130706433 or 0x7f.1 are addresses to a resolver, so they are to us.
    if (literal) return [literal.kind() === 'ipv4' ? formatAddress(literal) : host.replace(/%.*$/, '')]
    try {
      return await (this.#options.resolveName ?? resolveName)(host)
    } catch {
      throw new Refusal(`${host} cannot be resolved`, 502)
    }
  }
}

function revealed(raw: readonly string[], secrets: { readonly [entry: string]: string }): string[] {
  const headers = withoutHops(raw)
  return headers.map((text, index) =>
    index % 2 === 1 ? revealSecrets(headers[index - 1]!, text, secrets) : text,
  )
}

/** The host that was judged is the host that is named, whatever the tool wrote. */
function withHost(headers: readonly string[], host: string): string[] {
  const named: string[] = ['Host', host, 'Connection', 'close']
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]!.toLowerCase() !== 'host') named.push(headers[index]!, headers[index + 1]!)
  }
  return named
}

function setHeader(headers: string[], name: string, value: string): void {
  for (let index = headers.length - 2; index >= 0; index -= 2)
    if (headers[index]!.toLowerCase() === name.toLowerCase()) headers.splice(index, 2)
  headers.push(name, value)
}

function scrubberOf(secrets: { readonly [entry: string]: string }): Scrubber {
  return makeScrubber(
    Object.fromEntries(
      Object.entries(secrets).map(([entry, value]) => [parsePlaceholder(entry).name, value]),
    ),
  )
}

/** Gives the answer to the tool, without the values that were put into the request. */
function passOn(answer: IncomingMessage, response: ServerResponse, scrubber: Scrubber): void {
  const status = answer.statusCode ?? 502
  const headers = withoutHops(answer.rawHeaders)
  if (scrubber === nothingToScrub) {
    response.writeHead(status, answer.statusMessage, headers)
    answer.pipe(response)
    return
  }
  const encoding = answer.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal(`the answer is encoded as ${encoding} although plain text was asked for`, 502)
  const clean = headers.map((text) => scrubber.text(text))
  // Its length changes with what is taken out.
  for (let index = clean.length - 2; index >= 0; index -= 2)
    if (clean[index]!.toLowerCase() === 'content-length') clean.splice(index, 2)
  response.writeHead(status, scrubber.text(answer.statusMessage ?? ''), clean)
  // Byte for byte: a value is found in text of any encoding that holds it as it is.
  const stream = scrubStream(scrubber, (text) => void response.write(Buffer.from(text, 'latin1')))
  answer.on('data', (chunk: Buffer) => stream.write(chunk.toString('latin1')))
  answer.on('end', () => {
    stream.flush()
    response.end()
  })
  answer.on('error', () => response.destroy())
}

class Refusal extends Error {
  readonly status: number

  constructor(reason: string, status = 403) {
    super(reason)
    this.status = status
  }
}

function open(address: string, port: number, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, timeout: timeoutMs })
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('timeout', () => socket.destroy(new Error('no answer')))
    socket.once('error', (error) =>
      reject(new Refusal(`${address} port ${port} cannot be reached: ${error.message}`, 502)),
    )
  })
}

function join(client: Duplex, upstream: Socket): void {
  client.pipe(upstream)
  upstream.pipe(client)
  client.once('close', () => upstream.destroy())
  upstream.once('close', () => client.destroy())
}

/** `host:port` of a CONNECT request; IPv6 in brackets. */
function parseTarget(text: string): { host: string; port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:\s/]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (!match || port < 1 || port > 65_535) throw new Refusal(`"${text}" is not host:port`, 400)
  return { host: match[1] ?? match[2]!, port }
}

function absoluteUrl(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new Refusal('the proxy takes http:// and https:// addresses and CONNECT', 400)
  return new URL(text)
}

function withoutHops(raw: readonly string[]): string[] {
  const named = new Set(hopHeaders)
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]!.toLowerCase() === 'connection')
      for (const name of raw[index + 1]!.split(',')) named.add(name.trim().toLowerCase())
  }
  const kept: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    if (!named.has(raw[index]!.toLowerCase())) kept.push(raw[index]!, raw[index + 1]!)
  }
  return kept
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const status = statusOf(error)
  // RFC 9209: who answers here is the proxy, not the place that was asked for.
  const reason = status === 502 ? 'destination_unavailable' : 'http_request_denied'
  response.writeHead(status, {
    'content-type': 'text/plain',
    'proxy-status': `toolcrib; error=${reason}`,
    connection: 'close',
  })
  response.end(sentence(error))
}

function refuseTunnel(socket: Duplex, error: unknown): void {
  const body = sentence(error)
  const status = statusOf(error)
  socket.end(
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Refused'}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function statusOf(error: unknown): number {
  return error instanceof Refusal ? error.status : 502
}

function sentence(error: unknown): string {
  return `Toolcrib refused this connection: ${error instanceof Error ? error.message : String(error)}.\n`
}
