import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answering } from '../../../test/helpers/answering.ts'
import { RyeTestBed } from '../../../test/helpers/rye-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Json } from '../../tool/json.ts'

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

let bed: RyeTestBed
let server: Server
let other: Server
let seen: Seen[] = []
let answer: (request: Seen, response: ServerResponse) => void
let count = 0

async function listen(): Promise<Server> {
  const made = createServer(
    answering(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const got = { method: request.method!, url: request.url!, headers: request.headers, body }
      seen.push(got)
      answer(got, response)
    }),
  )
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  return made
}

const portOf = (one: Server) => (one.address() as AddressInfo).port

beforeAll(async () => {
  bed = new RyeTestBed()
  server = await listen()
  other = await listen()
})
afterAll(async () => {
  await bed.close()
  server.close()
  other.close()
})
beforeEach(() => {
  seen = []
  answer = (_, response) => response.setHeader('content-type', 'application/json').end('{"ok":1}')
})

function http(config: { readonly [key: string]: Json }) {
  const file = bed.write(`.ai/tools/h${++count}/tool.yaml`, 'x: 1')
  return bed.toolOn({ executor_id: 'http_client', config: { method: 'GET', timeout: 30 } }, null, file, {
    codeFile: null,
    config: { base: `http://127.0.0.1:${portOf(server)}`, ...config },
  })
}

const opened = () => ({
  profile: {
    network: { mode: 'hosts', hosts: [`127.0.0.1:${portOf(server)}`, `127.0.0.1:${portOf(other)}`] } as const,
  },
})

describe('requests', () => {
  it('fills url, headers and body, and encodes what goes into a longer url', async () => {
    verifies('R55', 'R57')
    const tool = http({
      method: 'post',
      url: '{base}/users/{id}?q={q}',
      headers: { 'X-Run': '{request_id}', 'X-Q': 'a {q}' },
      body: { n: '{n}', list: ['{q}', { deep: '{flag}' }], text: 'n={n}' },
    })
    const ran = await bed.run(tool, { id: 'a/b', q: '1&2 ?', n: 5, flag: true }, opened())
    expect(ran.value).toMatchObject({
      success: true,
      status: 200,
      data: { ok: 1 },
      headers: { 'content-type': 'application/json' },
    })
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/users/a%2Fb?q=1%262%20%3F',
      headers: { 'x-run': 'run-1', 'x-q': 'a 1&2 ?', 'content-type': 'application/json' },
    })
    expect(JSON.parse(seen[0]!.body)).toEqual({ n: 5, list: ['1&2 ?', { deep: true }], text: 'n=5' })
  })

  it('uses a url that is one placeholder as given, and a string body as it is', async () => {
    verifies('R55', 'R57')
    const tool = http({
      url: '{address}',
      method: 'PUT',
      body: 'plain {x}',
      headers: { 'Content-Type': 'text/plain' },
    })
    await bed.run(
      tool,
      { address: `http://127.0.0.1:${portOf(server)}/a?b=c&d=e%20f`, x: '{address}' },
      opened(),
    )
    expect(seen[0]).toMatchObject({
      url: '/a?b=c&d=e%20f',
      body: 'plain {address}',
      headers: { 'content-type': 'text/plain' },
    })
  })

  it.each<[Json, object]>([
    [{ type: 'bearer', token: '{t}' }, { authorization: 'Bearer tok' }],
    [{ type: 'api_key', key: '{t}' }, { 'x-api-key': 'tok' }],
    [{ type: 'api_key', key: '{t}', header: 'X-Mine' }, { 'x-mine': 'tok' }],
  ])('authenticates by %j', async (auth, headers) => {
    verifies('R55')
    await bed.run(http({ url: '{base}/', auth }), { t: 'tok' }, opened())
    expect(seen[0]!.headers).toMatchObject(headers)
  })

  it.each<[string, { readonly [key: string]: Json }]>([
    ['config.url', { url: '{base}/{absent}' }],
    ['config.headers.X-A', { url: '{base}/', headers: { 'X-A': '{absent}' } }],
    ['config.body', { url: '{base}/', body: { a: ['{absent}'] } }],
    ['config.auth.token', { url: '{base}/', auth: { type: 'bearer', token: '{absent}' } }],
  ])('sends nothing when a placeholder in %s has no value', async (place, config) => {
    verifies('R56')
    const ran = await bed.run(http(config), {}, opened())
    expect(ran.error).toMatchObject({ code: 'PARAMS_INVALID' })
    expect(ran.error?.message).toContain('{absent}')
    expect(ran.error?.message).toContain(place)
    expect(seen).toEqual([])
  })

  it.each(['a\r\nX-Evil: 1', 'a\nb', 'a\0b', 'snowman \u2603'])(
    'refuses the header value %j',
    async (value) => {
      verifies('R55')
      const ran = await bed.run(http({ url: '{base}/', headers: { 'X-A': '{v}' } }), { v: value }, opened())
      expect(ran.error).toMatchObject({ code: 'PARAMS_INVALID' })
      expect(seen).toEqual([])
    },
  )

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'no url'])('refuses %s', async (address) => {
    verifies('R57')
    expect((await bed.run(http({ url: '{address}' }), { address }, opened())).error).toMatchObject({
      code: 'PARAMS_INVALID',
    })
  })

  it('shows the request in a dry run and sends nothing', async () => {
    const plan = await bed.plan(http({ url: '{base}/x', headers: { Authorization: 'secret' } }))
    expect(plan).toEqual({
      method: 'GET',
      url: `http://127.0.0.1:${portOf(server)}/x`,
      headers: ['Authorization'],
    })
    expect(seen).toEqual([])
  })
})

describe('answers', () => {
  it.each([
    ['application/json; charset=utf-8', '{"a":1}', { data: { a: 1 } }],
    ['application/problem+json', '[1]', { data: [1] }],
    ['text/plain', '{"a":1}', { output: '{"a":1}' }],
    ['text/plain; charset=iso-8859-1', Buffer.from([0xe9]), { output: 'é' }],
    ['application/json', '', { data: null }],
  ])('%s is read', async (type, body, expected) => {
    verifies('R58')
    answer = (_, response) => response.setHeader('content-type', type).end(body)
    expect((await bed.run(http({ url: '{base}/' }), {}, opened())).value).toMatchObject(expected)
  })

  it.each([
    [404, false],
    [408, true],
    [429, true],
    [500, false],
    [502, true],
    [503, true],
    [504, true],
  ])('status %i is a failure, to be retried: %s', async (status, retryable) => {
    verifies('R58', 'R48')
    answer = (_, response) => response.writeHead(status).end('x'.repeat(3000))
    const ran = await bed.run(http({ url: '{base}/' }), {}, opened())
    expect(ran.error).toMatchObject({
      code: 'TOOL_FAILED',
      retryable,
      details: { status, body: 'x'.repeat(2000) },
    })
    expect(ran.meta).toEqual({ status })
  })

  it('fails on JSON that is none', async () => {
    verifies('R58')
    answer = (_, response) => response.setHeader('content-type', 'application/json').end('{oops')
    expect((await bed.run(http({ url: '{base}/' }), {}, opened())).error).toMatchObject({
      code: 'TOOL_FAILED',
      retryable: false,
    })
  })

  it('is UPSTREAM_FAILED when there is no connection or it breaks off', async () => {
    verifies('R58', 'R48')
    const closed = await listen()
    const port = portOf(closed)
    await new Promise((resolve) => closed.close(resolve))
    const profile = { network: { mode: 'hosts', hosts: ['127.0.0.1'] } as const }
    expect((await bed.run(http({ url: `http://127.0.0.1:${port}/` }), {}, { profile })).error).toMatchObject({
      code: 'UPSTREAM_FAILED',
      retryable: true,
    })
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x')
      response.destroy()
    }
    expect((await bed.run(http({ url: '{base}/' }), {}, { profile })).error).toMatchObject({
      code: 'UPSTREAM_FAILED',
      retryable: true,
    })
  })

  it('stops at the output limit, also when the answer is packed', async () => {
    const small = { profile: { ...opened().profile, outputBytes: 1_000 } }
    answer = (_, response) => response.end('x'.repeat(5_000))
    expect((await bed.run(http({ url: '{base}/' }), {}, small)).error).toMatchObject({
      code: 'OUTPUT_TOO_LARGE',
    })
    answer = (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync('x'.repeat(5_000)))
    expect((await bed.run(http({ url: '{base}/' }), {}, small)).error).toMatchObject({
      code: 'OUTPUT_TOO_LARGE',
    })
    expect((await bed.run(http({ url: '{base}/' }), {}, opened())).value.output).toHaveLength(5_000)
  })

  it('gives up after config.timeout, the time of the call, or a cancel', async () => {
    verifies('R55', 'R46')
    answer = () => {}
    expect((await bed.run(http({ url: '{base}/', timeout: 0.1 }), {}, opened())).error).toMatchObject({
      code: 'TIMEOUT',
      retryable: true,
    })
    expect(
      (await bed.run(http({ url: '{base}/' }), {}, { ...opened(), timeoutMs: 100 })).error,
    ).toMatchObject({ code: 'TIMEOUT' })
    const controller = new AbortController()
    answer = () => controller.abort()
    expect(
      (await bed.run(http({ url: '{base}/' }), {}, { ...opened(), signal: controller.signal })).error,
    ).toMatchObject({ code: 'CANCELLED' })
  })
})

describe('redirects', () => {
  it('are followed for GET, without credentials to another origin', async () => {
    verifies('R57')
    answer = (request, response) => {
      if (request.url === '/start') response.writeHead(302, { location: '/next' }).end()
      else if (request.url === '/next')
        response.writeHead(307, { location: `http://127.0.0.1:${portOf(other)}/end` }).end()
      else response.end('done')
    }
    const tool = http({
      url: '{base}/start',
      headers: { Cookie: 'c=1', 'X-Keep': 'k' },
      auth: { type: 'api_key', key: 'secret' },
    })
    expect((await bed.run(tool, {}, opened())).value.output).toBe('done')
    expect(seen.map((request) => request.url)).toEqual(['/start', '/next', '/end'])
    expect(seen[1]!.headers).toMatchObject({ cookie: 'c=1', 'x-api-key': 'secret' })
    expect(seen[2]!.headers).toMatchObject({ 'x-keep': 'k' })
    expect(seen[2]!.headers).not.toHaveProperty('cookie')
    expect(seen[2]!.headers).not.toHaveProperty('x-api-key')
  })

  it('are not followed for POST, nor more than five times', async () => {
    verifies('R57')
    answer = (_, response) => response.writeHead(302, { location: '/again' }).end()
    expect(
      (await bed.run(http({ url: '{base}/', method: 'POST', body: 'x' }), {}, opened())).error,
    ).toMatchObject({ details: { status: 302 } })
    expect(seen).toHaveLength(1)
    expect((await bed.run(http({ url: '{base}/' }), {}, opened())).error?.message).toContain(
      'more than 5 times',
    )
    expect(seen).toHaveLength(7)
  })

  it('cannot lead to an address that is not open', async () => {
    verifies('R57')
    answer = (_, response) =>
      response.writeHead(302, { location: `http://localhost:${portOf(other)}/secret` }).end()
    const profile = { network: { mode: 'public', hosts: [`127.0.0.1:${portOf(server)}`] } as const }
    const ran = await bed.run(http({ url: '{base}/' }), {}, { profile })
    expect(ran.error).toMatchObject({ code: 'CAPABILITY_DENIED', retryable: false })
    expect(seen).toHaveLength(1)
  })
})

describe('the net guard', () => {
  it.each(['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '0177.0.0.1', '127.1'])(
    'closes http://%s/ to an unscoped grant',
    async (host) => {
      verifies('R57')
      const profile = { network: { mode: 'public', hosts: [] } as const }
      const ran = await bed.run(
        http({ url: '{address}' }),
        { address: `http://${host}:${portOf(server)}/` },
        { profile },
      )
      expect(ran.error).toMatchObject({ code: 'CAPABILITY_DENIED' })
      expect(seen).toEqual([])
    },
  )

  it('does not let a narrower profile use a connection a wider one has kept', async () => {
    expect((await bed.run(http({ url: '{base}/' }), {}, opened())).value.status).toBe(200)
    const ran = await bed.run(
      http({ url: '{base}/' }),
      {},
      { profile: { network: { mode: 'public', hosts: [] } } },
    )
    expect(ran.error).toMatchObject({ code: 'CAPABILITY_DENIED' })
  })

  it('sends nothing without a network', async () => {
    expect((await bed.run(http({ url: '{base}/' }), {})).error).toMatchObject({ code: 'CAPABILITY_DENIED' })
    expect(seen).toEqual([])
  })
})
