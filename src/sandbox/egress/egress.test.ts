// The way out, with real programs behind the real fence and real servers on loopback.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines, FencedCrib, hasFence, noEngine } from '../../../test/helpers/fenced.ts'
import { proves } from '../../../test/helpers/proves.ts'
import { has } from '../../../test/helpers/system-parts.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { NetworkRule } from '../profile.ts'
import { findForwarder } from './forwarder.ts'

const crib = new FencedCrib()
const bare = new FencedCrib({ probe: noEngine })
const seen: IncomingHttpHeaders[] = []
const servers: Server[] = []
let port = 0
let other = 0
let echo = 0

async function serve(body: string, redirect?: () => string): Promise<number> {
  const server = createServer((request, response) => {
    seen.push(request.headers)
    if (redirect && request.url === '/redirect') {
      response.writeHead(302, { location: redirect() }).end()
      return
    }
    let received = 0
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    request.on('end', () => response.end(`${body} ${request.method} ${request.url} ${received}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return (server.address() as AddressInfo).port
}

const tcp = createTcpServer((socket) => socket.on('error', () => {}).pipe(socket))

beforeAll(async () => {
  other = await serve('other')
  port = await serve('hello', () => `http://127.0.0.1:${other}/elsewhere`)
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
  echo = (tcp.address() as AddressInfo).port
})

afterAll(async () => {
  await Promise.all([crib.close(), bare.close()])
  for (const server of servers) server.close()
  tcp.close()
})

const hosts = (...list: string[]): NetworkRule => ({ mode: 'hosts', hosts: list })
const anywhere: NetworkRule = { mode: 'public', hosts: [] }

/** Fetches with a program that follows HTTP_PROXY; prints status and body. */
async function fetched(rule: NetworkRule, url: string, headers: string[] = [], on = crib) {
  const args = [
    '-sS',
    '-L',
    '-m',
    '10',
    '-w',
    ' %{http_code}',
    ...headers.flatMap((text) => ['-H', text]),
    url,
  ]
  const ended = await on.run({ file: '/usr/bin/curl', args, cwd: on.project, env: {} }, { network: rule })
  return `${ended.stdout.text}${ended.stderr.text}`
}

describe.skipIf(!hasFence || !has('curl'))('behind the proxy', () => {
  it('reaches a listed address and port', async () => {
    proves('net-listed')
    verifies('C21')
    expect(await fetched(hosts(`127.0.0.1:${port}`), `http://127.0.0.1:${port}/x`)).toBe('hello GET /x 0 200')
  })

  it('does not reach another port of the same address', async () => {
    proves('net-listed')
    expect(await fetched(hosts(`127.0.0.1:${port}`), `http://127.0.0.1:${other}/`)).toMatch(
      /refused .* 403$/s,
    )
  })

  it('judges the target of a redirect anew', async () => {
    proves('net-redirect')
    const answer = await fetched(hosts(`127.0.0.1:${port}`), `http://127.0.0.1:${port}/redirect`)
    expect(answer).toMatch(/not among the listed hosts.* 403$|private or reserved.* 403$/s)
    expect(answer).not.toContain('other')
  })

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[64:ff9b::7f00:1]/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/',
  ])('does not reach %s with a grant for public addresses', async (url) => {
    proves('net-private')
    verifies('C21')
    const answer = await fetched(anywhere, url)
    expect(answer).toMatch(/403/)
    expect(answer).not.toMatch(/hello|other/)
  })

  it('opens a listed port of this machine for programs that use no proxy', async () => {
    const script = `socket(my $s, 2, 1, 0); connect($s, pack("S n C4 x8", 2, ${echo}, 127, 0, 0, 1)) or die "no: $!";
      syswrite $s, "ping"; sysread $s, my $b, 10; print $b`
    const ended = await crib.run(
      { file: '/usr/bin/perl', args: ['-e', script], cwd: crib.project, env: {} },
      { network: hosts(`127.0.0.1:${echo}`) },
    )
    expect(`${ended.stdout.text}${ended.stderr.text}`).toBe('ping')
  })

  it('starts a program that may reach a port below 1024 of this machine', async () => {
    verifies('L7')
    // Nothing answers on discard; the forwarder listens, or stands back where the engine does not let it.
    const ended = await crib.run(`echo started; curl --noproxy '*' -sS -m 5 http://127.0.0.1:9/`, {
      network: hosts('127.0.0.1:9'),
    })
    expect(ended.stdout.text).toBe('started\n')
    expect(ended.stderr.text).not.toContain('cannot listen')
    if (engines[0] === 'launcher') expect(ended.stderr.text).not.toContain('curl: (7)')
  })

  it('has no other way out: no route, no resolver', async () => {
    proves('net-none')
    const ended = await crib.run(
      `curl --noproxy '*' -sS -m 5 http://127.0.0.1:${port}/; curl --noproxy '*' -sS -m 5 http://93.184.216.34/; cat /proc/net/route | wc -l`,
      { network: anywhere },
    )
    expect(ended.stdout.text.trim()).toBe('1')
    expect(ended.stderr.text.match(/curl: \(7\)/g)).toHaveLength(2)
  })

  it('carries a large body both ways', async () => {
    const ended = await crib.run(
      `head -c 20000000 /dev/zero | curl -sS --data-binary @- http://127.0.0.1:${port}/up`,
      { network: hosts(`127.0.0.1:${port}`) },
    )
    expect(ended.stdout.text).toBe('hello POST /up 20000000')
  })

  it('tunnels with CONNECT', async () => {
    const ended = await crib.run(`curl -sS -p http://127.0.0.1:${port}/t`, {
      network: hosts(`127.0.0.1:${port}`),
    })
    expect(ended.stdout.text).toBe('hello GET /t 0')
  })

  it('leaves descriptors, exit code and children of the tool alone', async () => {
    const script =
      'my $w = wait; opendir D, "/proc/self/fd"; print $w, " ", join ",", grep { /^\\d/ && readlink("/proc/self/fd/$_") !~ m{^/dev/null|/proc/} } sort readdir D; exit 9'
    const ended = await crib.run(
      { file: '/usr/bin/perl', args: ['-e', script], cwd: crib.project, env: {} },
      { network: anywhere },
    )
    // Its input, of which there is none, is /dev/null.
    expect(ended.stdout.text).toBe('-1 1,2')
    expect(ended.exitCode).toBe(9)
  })

  it('does not hold the pipes of the tool', async () => {
    const ended = await crib.run(
      // It takes its name after the start: it is looked for until it is there.
      `while [ -z "$pipes" ]; do
         pipes=$(for p in /proc/[0-9]*; do
           case "$(tr -d '\\0' < $p/cmdline)" in toolcrib-forwarder*) ls -l $p/fd | grep -c pipe;; esac
         done)
       done; echo "$pipes"`,
      { network: anywhere },
    )
    expect(ended.stdout.text).toBe('0\n')
  })

  it('works with a forwarder in Node where there is no perl', async () => {
    const node = new FencedCrib({ probe: { forwarder: findForwarder(null) } })
    const rule = hosts(`127.0.0.1:${port}`, `127.0.0.1:${echo}`)
    expect(await fetched(rule, `http://127.0.0.1:${port}/x`, [], node)).toBe('hello GET /x 0 200')
    expect(await fetched(rule, `http://127.0.0.1:${other}/x`, [], node)).toMatch(/403$/)
    const script = `process.on('message', () => require('node:net').connect(${echo}, '127.0.0.1').end('ping').on('data', (d) => { process.send(String(d)); process.disconnect() }))`
    const spec = { file: process.execPath, args: ['-e', script], cwd: node.project, env: {} }
    const child = await node.supervisor.start(node.wrap(spec, { network: rule }), { ipc: true })
    child.process!.send('go')
    expect(await new Promise((resolve) => child.process!.once('message', resolve))).toBe('ping')
    await child.exited
    await node.close()
  })
})

describe.skipIf(!hasFence || !has('curl'))('secrets', () => {
  const rule = () => hosts(`127.0.0.1:${port}`)
  const send = async (network: NetworkRule, secrets: Record<string, string>) => {
    seen.length = 0
    await crib.run(
      {
        file: '/usr/bin/curl',
        args: ['-sS', '-m', '10', '-H', 'Authorization: Bearer {{secret:KEY}}', `http://127.0.0.1:${port}/`],
        cwd: crib.project,
        env: {},
      },
      { network },
      { secrets },
    )
    return seen[0]?.authorization
  }

  it('become the value in headers on the way to a listed host', async () => {
    proves('secret-placeholder')
    expect(await send(rule(), { KEY: 'v4lue' })).toBe('Bearer v4lue')
  })

  it('stay a placeholder when the tool was not given that secret', async () => {
    expect(await send(rule(), { OTHER: 'v4lue' })).toBe('Bearer {{secret:KEY}}')
  })
})

describe.skipIf(!has('curl'))('without namespaces', () => {
  it('says partial, and holds programs that follow the variables', async () => {
    proves('label-honest')
    verifies('C121')
    const wrapped = bare.wrap(bare.shell('true'), { network: anywhere })
    wrapped.release?.()
    expect(wrapped.enforcement.dimensions['network']).toBe('partial')
    expect(await fetched(hosts(`127.0.0.1:${port}`), `http://127.0.0.1:${port}/x`, [], bare)).toBe(
      'hello GET /x 0 200',
    )
    expect(await fetched(anywhere, `http://127.0.0.1:${port}/x`, [], bare)).toMatch(/403$/)
  })

  it('has the proxy take connections before a process is sent to it', async () => {
    const network = hosts('127.0.0.1:1')
    const wrap = () => bare.wrap(bare.shell('true'), { network })
    const first = wrap()
    expect(first.ready).toBeInstanceOf(Promise)
    await first.ready
    expect(wrap().ready).toBeUndefined()
  })

  it('lets nobody in without the password', async () => {
    const wrapped = bare.wrap(bare.shell('echo $HTTP_PROXY'), { network: hosts(`127.0.0.1:${port}`) })
    const proxy = (await bare.finish(wrapped)).stdout.text.trim().replace(/\/\/.*@/, '//')
    const ended = await bare.finish({
      file: '/usr/bin/curl',
      args: ['-sS', '-m', '5', '-x', proxy, '-w', '%{http_code}', `http://127.0.0.1:${port}/`],
      cwd: '/',
      env: {},
    })
    expect(ended.stdout.text).toMatch(/407$/)
  })
})
