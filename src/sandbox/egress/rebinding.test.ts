// Names whose answer changes between two questions. 127.0.0.2 stands for the address a rule opens, 127.0.0.1 for the
// private one behind it; both have a server on the same port that says which of the two was reached.
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { proves } from '../../../test/helpers/proves.ts'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { NetGuard } from '../../runtimes/net-guard.ts'
import type { NetworkRule } from '../profile.ts'
import type { ResolveName } from '../resolve-name.ts'
import { EgressProxy, type EgressProxyOptions } from './egress-proxy.ts'

const opened = '127.0.0.2'
const closed = '127.0.0.1'
const reached: string[] = []
const servers: Server[] = []
let port = 0
// Elsewhere 127.0.0.1 is the only address of the loopback interface.
const hasLoopbackRange = process.platform === 'linux'
if (!hasLoopbackRange) console.info('skipped: names that change their address (needs 127.0.0.2)')

beforeAll(async () => {
  if (!hasLoopbackRange) return
  const listen = (address: string, at: number) => {
    const server = createServer((asked, response) => {
      reached.push(address)
      if (asked.url === '/redirect')
        response.writeHead(302, { location: `http://moving.example:${port}/` }).end()
      else response.end(`${address} ${asked.headers.authorization ?? ''}`)
    })
    servers.push(server)
    return new Promise<void>((resolve, reject) => server.once('error', reject).listen(at, address, resolve))
  }
  await listen(opened, 0)
  port = (servers[0]!.address() as AddressInfo).port
  await listen(closed, port)
})
afterAll(() => {
  for (const server of servers) server.close()
})

/** Gives one answer after the other, the last one for ever; counts the questions. */
function flipping(...answers: readonly string[][]): ResolveName & { readonly asked: string[] } {
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return answers[Math.min(asked.length, answers.length) - 1]!
  }
  return Object.assign(resolve, { asked })
}

type Ask = (path?: string, host?: string) => Promise<{ status: number; text: string; location?: string }>

function throughProxy(options: EgressProxyOptions): string {
  const path = join(tempFolder(), 'proxy.sock')
  const proxy = new EgressProxy({ connectTimeoutMs: 300, ...options }).listen({ path })
  onTestFinished(() => proxy.close())
  return path
}

async function textOf(answer: IncomingMessage) {
  let text = ''
  for await (const chunk of answer) text += chunk
  const { location } = answer.headers
  return { status: answer.statusCode!, text, ...(location ? { location } : {}) }
}

/** Plain requests in absolute form, as curl sends them for http. */
function forwarding(options: EgressProxyOptions): Ask {
  const socketPath = throughProxy(options)
  return (path = '/', host = 'moving.example') =>
    new Promise((resolve, reject) =>
      request({
        socketPath,
        path: `http://${host}:${port}${path}`,
        headers: { authorization: 'Bearer {{secret:KEY}}' },
      })
        .once('response', (answer) => resolve(textOf(answer)))
        .once('error', reject)
        .end(),
    )
}

/** A CONNECT tunnel with a request inside. */
function tunnelling(options: EgressProxyOptions): Ask {
  const socketPath = throughProxy(options)
  return (path = '/', host = 'moving.example') =>
    new Promise((resolve, reject) =>
      request({ socketPath, method: 'CONNECT', path: `${host}:${port}` })
        .once('connect', (answer, socket, head) => {
          if (answer.statusCode !== 200) {
            socket.destroy()
            return resolve({ status: answer.statusCode!, text: String(head) })
          }
          request({ createConnection: () => socket, path, headers: { host, connection: 'close' } })
            .once('response', (inner) => resolve(textOf(inner)))
            .once('error', reject)
            .end()
        })
        .once('error', reject)
        .end(),
    )
}

/** The host's own requests on behalf of a tool; a refusal is told as the proxy tells it. */
function guarding({ rule, resolveName }: EgressProxyOptions): Ask {
  const guard = new NetGuard(resolveName)
  onTestFinished(() => guard.close())
  return async (path = '/', host = 'moving.example') => {
    try {
      const url = new URL(`http://${host}:${port}${path}`)
      // A connection of its own for each: a kept one was judged when it was opened.
      const headers = { connection: 'close' }
      return await textOf(
        await guard.send(rule, { url, method: 'GET', headers, signal: AbortSignal.timeout(5_000) }),
      )
    } catch (error) {
      const { code, message } = error as { code: string; message: string }
      return { status: code === 'CAPABILITY_DENIED' ? 403 : 502, text: message }
    }
  }
}

const onlyOpened = (): NetworkRule => ({ mode: 'hosts', hosts: [`${opened}:${port}`] })
const anywhere: NetworkRule = { mode: 'public', hosts: [] }

describe.skipIf(!hasLoopbackRange).each([
  ['a forwarded request', forwarding],
  ['a tunnel', tunnelling],
  ['a request of the host for a tool', guarding],
] as const)('a name that changes its address: %s', (_, via) => {
  it('is connected to the address that was judged, and asked for once', async () => {
    proves('net-rebinding')
    reached.length = 0
    const resolveName = flipping([opened], [closed])
    const ask = via({ rule: onlyOpened(), resolveName })
    expect(await ask()).toMatchObject({ status: 200, text: expect.stringContaining(opened) })
    expect(resolveName.asked).toEqual(['moving.example'])
    expect(reached).toEqual([opened])
  })

  it('is judged anew by the next request, in both directions', async () => {
    proves('net-rebinding')
    reached.length = 0
    const ask = via({ rule: onlyOpened(), resolveName: flipping([closed], [opened], [closed]) })
    expect((await ask()).status).toBe(403)
    expect((await ask()).status).toBe(200)
    expect((await ask()).status).toBe(403)
    expect(reached).toEqual([opened])
  })

  it.each([
    ['the private one first', [closed, opened], 200],
    ['the private one last', [opened, closed], 200],
    ['in IPv6 clothes', ['::ffff:127.0.0.1', '::ffff:7f00:1', opened], 200],
    ['only private ones', [closed, '::1', '::ffff:127.0.0.1'], 403],
  ])('with several addresses goes to the allowed one only: %s', async (__, addresses, status) => {
    proves('net-rebinding')
    reached.length = 0
    expect((await via({ rule: onlyOpened(), resolveName: flipping(addresses) })()).status).toBe(status)
    expect(reached).toEqual(status === 200 ? [opened] : [])
  })

  it.each([
    closed,
    opened,
    '169.254.169.254',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fe80::1',
    'fd00:ec2::254',
    '0.0.0.0',
    '::',
  ])('is refused when it leads to %s and public addresses are granted', async (address) => {
    proves('net-rebinding', 'net-private')
    reached.length = 0
    const answer = await via({ rule: anywhere, resolveName: flipping([address]) })()
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('private or reserved') })
    expect(reached).toEqual([])
  })

  it('does not fall back to the private address when the public one is silent', async () => {
    proves('net-rebinding')
    reached.length = 0
    // An address of the documentation range answers nowhere.
    const resolveName = flipping(['2001:db8::1', closed])
    const answer = await via({ rule: anywhere, resolveName })()
    expect(answer.status).not.toBe(200)
    expect(reached).toEqual([])
  })

  it('is judged again as the target of a redirect', async () => {
    proves('net-rebinding', 'net-redirect')
    reached.length = 0
    const ask = via({ rule: onlyOpened(), resolveName: flipping([opened], [closed]) })
    const first = await ask('/redirect')
    expect(first).toMatchObject({ status: 302, location: `http://moving.example:${port}/` })
    expect((await ask(new URL(first.location!).pathname)).status).toBe(403)
    expect(reached).toEqual([opened])
  })

  it('does not open a private address by being listed itself', async () => {
    proves('net-rebinding')
    reached.length = 0
    const rule: NetworkRule = { mode: 'hosts', hosts: ['moving.example'] }
    const answer = await via({ rule, resolveName: flipping([closed]), secrets: { KEY: 'v4lue' } })()
    expect(answer.status).toBe(403)
    expect(reached).toEqual([])
  })
})

describe.skipIf(!hasLoopbackRange)('a name with several allowed addresses', () => {
  it('is tried at the next one when the first does not answer', async () => {
    reached.length = 0
    const rule: NetworkRule = { mode: 'hosts', hosts: ['127.0.0.3', opened] }
    expect((await forwarding({ rule, resolveName: flipping(['127.0.0.3', opened]) })()).status).toBe(200)
    expect(reached).toEqual([opened])
  })

  it('sends a secret to the listed host only, whichever address it has', async () => {
    reached.length = 0
    const rule: NetworkRule = { mode: 'hosts', hosts: [opened, `trusted.example:${port}`] }
    const ask = forwarding({ rule, resolveName: flipping([opened]), secrets: { KEY: 'v4lue' } })
    expect((await ask('/', 'trusted.example')).text).toBe(`${opened} Bearer v4lue`)
    expect((await ask('/', 'moving.example')).text).toBe(`${opened} Bearer {{secret:KEY}}`)
  })
})
