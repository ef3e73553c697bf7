// Placeholders cannot be learnt back (G21), and a tool cannot use up the proxy (G22).
import { request as ask, createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as listenRaw } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { proves } from '../../../test/helpers/proves.ts'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { EgressProxy, type EgressProxyOptions } from './egress-proxy.ts'

const value = 'sk-very-"secret"-value-1'
let seen: IncomingMessage | undefined
let upstream: Server
let port: number

beforeAll(async () => {
  // It tells everything it was told, in its head and in its body, a few bytes at a time.
  upstream = createServer((request, response) => {
    seen = request
    const told = JSON.stringify(request.headers)
    response.writeHead(200, { 'x-told': String(request.headers.authorization ?? ''), 'x-plain': 'kept' })
    for (let at = 0; at < told.length; at += 7) response.write(told.slice(at, at + 7))
    response.end()
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  port = (upstream.address() as AddressInfo).port
})
afterAll(() => upstream.close())

function proxyAt(options: EgressProxyOptions): string {
  const path = join(tempFolder(), 'proxy.sock')
  const proxy = new EgressProxy(options).listen({ path })
  onTestFinished(() => proxy.close())
  return path
}

async function through(
  options: EgressProxyOptions,
  given: { method?: string; headers: Record<string, string> },
  at = port,
) {
  seen = undefined
  const socketPath = proxyAt(options)
  return new Promise<{ status: number; headers: IncomingMessage['headers']; text: string }>(
    (resolve, reject) => {
      ask({ socketPath, path: `http://127.0.0.1:${at}/`, ...given }, (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }))
      })
        .on('error', reject)
        .end()
    },
  )
}

const withPort = () => ({ mode: 'hosts', hosts: [`127.0.0.1:${port}`] }) as const
const bearer = { authorization: 'Bearer {{secret:KEY}}' }

it('takes the value out of the head and the body of the answer', async () => {
  verifies('G21')
  proves('secret-echo')
  const { headers, text } = await through({ rule: withPort(), secrets: { KEY: value } }, { headers: bearer })
  expect(seen!.headers.authorization).toBe(`Bearer ${value}`)
  expect(headers).toMatchObject({ 'x-told': 'Bearer [secret:KEY]', 'x-plain': 'kept' })
  expect(JSON.parse(text).authorization).toBe('Bearer [secret:KEY]')
  expect(text).not.toContain('very')
})

it('puts it into Authorization and headers that were named for it, and into no other', async () => {
  verifies('G21')
  const headers = { ...bearer, 'x-api-key': '{{secret:KEY}}', 'x-note': '{{secret:KEY}}' }
  await through({ rule: withPort(), secrets: { 'KEY:X-Api-Key': value } }, { headers })
  expect(seen!.headers).toMatchObject({
    authorization: `Bearer ${value}`,
    'x-api-key': value,
    'x-note': '{{secret:KEY}}',
  })
  await through({ rule: withPort(), secrets: { KEY: value } }, { headers })
  expect(seen!.headers).toMatchObject({ 'x-api-key': '{{secret:KEY}}' })
})

it.each([
  ['without TLS, unless the grant gives the port', 'GET', '127.0.0.1'],
  ['with TRACE', 'TRACE', undefined],
])('sends no value %s', async (_, method, host) => {
  verifies('G21')
  const rule = host === undefined ? withPort() : ({ mode: 'hosts', hosts: [host] } as const)
  await through({ rule, secrets: { KEY: value } }, { method, headers: bearer })
  expect(seen!.headers.authorization).toBe('Bearer {{secret:KEY}}')
})

it('closes connections beyond its bound, and those that carry nothing', async () => {
  verifies('G22')
  proves('bounds')
  const path = proxyAt({ rule: withPort(), maxConnections: 3, idleMs: 300 })
  const sockets = Array.from({ length: 8 }, () => connect(path))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const closed = sockets.map((socket) => {
    socket.on('error', () => {})
    socket.resume()
    return new Promise<void>((resolve) => socket.once('close', () => resolve()))
  })
  // Five at once because they are too many, three because they say nothing.
  await Promise.all(closed)
})

it.each([
  ['is encoded although plain text was asked for', '200 OK\r\nContent-Encoding: gzip', 'encoded as gzip'],
  ['has a status that there is not', '000 None', 'Invalid status code: 0'],
])('refuses an answer that %s, and lives on', async (_, head, reason) => {
  const hostile = listenRaw((socket) => {
    socket.on('error', () => {}).end(`HTTP/1.1 ${head}\r\nContent-Length: 2\r\n\r\nhi`)
  })
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void hostile.close())
  const at = (hostile.address() as AddressInfo).port
  const rule = { mode: 'hosts', hosts: [`127.0.0.1:${at}`] } as const
  const { status, text } = await through({ rule, secrets: { KEY: value } }, { headers: bearer }, at)
  expect({ status, text }).toEqual({ status: 502, text: expect.stringContaining(reason) })
})
