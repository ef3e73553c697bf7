import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { type Served, type ServeOptions, serveCrib } from './serve-crib.ts'

let root: string
let crib: Crib
let served: Served
const cleanUp: (() => unknown)[] = []

async function start(config: { [key: string]: unknown } = {}, options: ServeOptions = {}) {
  root = mkdtempSync(join(tmpdir(), 'serve-'))
  crib = await openCrib({ root, env: { HOME: root }, config })
  crib.addTool({
    id: 'math/add',
    description: 'Adds',
    params: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    returns: { type: 'number' },
    fn: (params) => (params as { a: number; b: number }).a + (params as { b: number }).b,
  })
  crib.addTool({ id: 'text/echo', params: { type: 'object' }, fn: (params) => params })
  crib.addTool({
    id: 'text/chatty',
    fn: (_params, attempt) => {
      attempt.log('info', 'working')
      attempt.progress({ done: 1, total: 2 })
      return 'done'
    },
  })
  crib.addTool({ id: 'web/get', requires: ['net.http'], fn: () => 'page' })
  served = await serveCrib(crib, { port: 0, watch: false, ...options })
}

afterEach(async () => {
  for (const clean of cleanUp.splice(0)) await clean()
  await served?.close()
  await crib?.close()
  rmSync(root, { recursive: true, force: true })
})

function ask(path: string, init: RequestInit & { token?: string | null } = {}): Promise<Response> {
  const { token = served.token, ...rest } = init
  const headers = new Headers(rest.headers)
  if (token) headers.set('authorization', `Bearer ${token}`)
  if (rest.body && !headers.has('content-type')) headers.set('content-type', 'application/json')
  return fetch(`${served.url}${path}`, { ...rest, headers })
}

function callTool(id: string, body: unknown, init: RequestInit & { token?: string } = {}) {
  return ask(`/api/tools/${id}/call`, { method: 'POST', body: JSON.stringify(body), ...init })
}

/** A tool that hangs until it is stopped, and what became of it. */
function hangingTool(id = 'slow') {
  let begin!: () => void
  let stop!: () => void
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  crib.addTool({
    id,
    params: { type: 'object' },
    fn: (_params, attempt) => {
      attempt.signal.addEventListener('abort', () => stop())
      begin()
      return new Promise(() => {})
    },
  })
  return { begun, stopped }
}

describe('tokens', () => {
  it('keeps its own token in a file only the owner can read', async () => {
    await start()
    const file = join(root, '.toolcrib', 'token')
    expect(readFileSync(file, 'utf8').trim()).toBe(served.token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.each(['/readyz', '/metrics', '/openapi.json', '/api/tools', '/api/runs', '/api/approvals', '/nothing'])(
    'asks for a token at %s',
    async (path) => {
      await start()
      const missing = await ask(path, { token: null })
      expect(missing.status).toBe(401)
      expect(missing.headers.get('www-authenticate')).toBe('Bearer')
      expect(missing.headers.get('content-type')).toBe('application/problem+json')
      expect(await missing.json()).toMatchObject({ code: 'TOKEN_MISSING', hint: expect.any(String) })
      const wrong = await ask(path, { token: 'tc_wrong' })
      expect(wrong.status).toBe(401)
      expect(await wrong.json()).toMatchObject({ code: 'TOKEN_INVALID' })
    },
  )

  it('answers health and the page without one', async () => {
    await start()
    expect(await (await ask('/healthz', { token: null })).json()).toMatchObject({ ok: true })
    const page = await ask('/', { token: null })
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await page.text()).toContain('<title>Toolcrib')
  })

  it('narrows lists and calls by the grants and allowed tools of a configured token', async () => {
    const sha = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`
    await start({
      grants: { default: ['net.http'] },
      serve: {
        tokens: [
          { name: 'reader', token: sha('reader-token'), allowedTools: 'math/*' },
          { name: 'offline', token: sha('offline-token'), grants: ['fs.read'] },
        ],
      },
    })
    const list = async (token: string) =>
      ((await (await ask('/api/tools', { token })).json()) as { tools: { id: string }[] }).tools.map(
        (tool) => tool.id,
      )
    expect(await list('reader-token')).toEqual(['math/add'])
    expect((await callTool('math/add', { params: { a: 1, b: 2 } }, { token: 'reader-token' })).status).toBe(
      200,
    )
    const denied = await callTool('text/echo', {}, { token: 'reader-token' })
    expect(denied.status).toBe(403)
    expect(await denied.json()).toMatchObject({ error: { code: 'TOOL_DENIED' } })
    expect((await ask('/api/tools/text/echo', { token: 'reader-token' })).status).toBe(404)
    expect(await list('offline-token')).not.toContain('web/get')
    const offline = await callTool('web/get', {}, { token: 'offline-token' })
    expect(await offline.json()).toMatchObject({ error: { code: 'CAPABILITY_DENIED' } })
    expect((await ask('/api/approvals', { token: 'reader-token' })).status).toBe(403)
  })

  it('shows a plain token only its own runs', async () => {
    await start({
      serve: {
        tokens: [{ name: 'one', token: `sha256:${createHash('sha256').update('token-one').digest('hex')}` }],
      },
    })
    await callTool('text/echo', {})
    const { runId } = (await (await callTool('text/echo', {}, { token: 'token-one' })).json()) as {
      runId: string
    }
    const { runs } = (await (await ask('/api/runs', { token: 'token-one' })).json()) as { runs: unknown[] }
    expect(runs).toMatchObject([{ runId, caller: 'one' }])
    expect(((await (await ask('/api/runs')).json()) as { runs: unknown[] }).runs).toHaveLength(2)
  })

  it('refuses an open interface when nobody chose a token', async () => {
    await start()
    await expect(serveCrib(crib, { host: '0.0.0.0', port: 0 })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('--token'),
    })
  })
})

describe('host and origin', () => {
  it('refuses a host name it does not go by', async () => {
    await start()
    const answer = await rawRequest(
      `GET /healthz HTTP/1.1\r\nHost: evil.example:${served.port}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toContain('421')
    expect(answer).toContain('HOST_REFUSED')
  })

  it.each(['https://evil.example', 'null', 'file:///x'])('refuses a page from %s', async (origin) => {
    await start()
    const answer = await ask('/api/tools', { headers: { origin } })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ code: 'ORIGIN_REFUSED' })
  })

  it('takes a page of its own and host names that are configured', async () => {
    await start({ serve: { allowedHosts: ['crib.example'] } })
    expect((await ask('/api/tools', { headers: { origin: served.url } })).status).toBe(200)
    expect((await ask('/api/tools', { headers: { origin: 'https://crib.example' } })).status).toBe(200)
  })
})

describe('calls', () => {
  it('lists, shows and calls a tool whose id has a slash', async () => {
    await start()
    const all = (await (await ask('/api/tools')).json()) as { tools: unknown[]; problems: unknown[] }
    expect(all).toEqual(JSON.parse(JSON.stringify({ tools: crib.list(), problems: crib.problems })))
    expect(await (await ask('/api/tools?format=builtin')).json()).toMatchObject({
      tools: [{ id: 'math/add' }, { id: 'text/chatty' }, { id: 'text/echo' }, { id: 'web/get' }],
    })
    expect(await (await ask('/api/tools/math/add')).json()).toMatchObject({
      tool: { id: 'math/add' },
      chain: [{ id: 'math/add' }],
    })
    const answer = await callTool('math/add', { params: { a: 2, b: 3 } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ ok: true, value: 5, runId: expect.any(String) })
    expect((await callTool('math%2Fadd', { params: { a: 2, b: 3 } })).status).toBe(200)
  })

  it('answers wrong parameters with 422 and the outcome', async () => {
    await start()
    const answer = await callTool('math/add', { params: { a: 'x' } })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ ok: false, error: { code: 'PARAMS_INVALID' } })
  })

  it('answers a tool that ran and failed with 200', async () => {
    await start()
    crib.addTool({
      id: 'boom',
      fn: () => {
        throw new Error('boom')
      },
    })
    const answer = await callTool('boom', {})
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ ok: false, error: { code: 'TOOL_FAILED', message: 'boom' } })
  })

  it('answers an unknown tool and an unknown route with a 404 problem', async () => {
    await start()
    const tool = await callTool('math/ad', {})
    expect(tool.status).toBe(404)
    expect(await tool.json()).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      status: 404,
      hint: expect.stringContaining('math/add'),
    })
    const route = await ask('/api/nothing')
    expect(route.status).toBe(404)
    expect(await route.json()).toMatchObject({ code: 'ROUTE_NOT_FOUND' })
  })

  it('answers a time limit with 504', async () => {
    await start()
    hangingTool()
    const answer = await callTool('slow', { timeoutMs: 30 })
    expect(answer.status).toBe(504)
    expect(await answer.json()).toMatchObject({ error: { code: 'TIMEOUT' } })
  })

  it('answers a dry run with the plan', async () => {
    await start()
    expect(await (await callTool('text/echo', { dryRun: true })).json()).toMatchObject({
      ok: true,
      dryRun: true,
      tool: 'text/echo',
    })
  })

  it('turns a result that is no JSON into RESULT_INVALID', async () => {
    await start()
    crib.addTool({ id: 'big', fn: () => 1n })
    const answer = await callTool('big', {})
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ error: { code: 'RESULT_INVALID' } })
  })

  it('runs once for one idempotency key and refuses the key for another body', async () => {
    await start()
    let ran = 0
    crib.addTool({ id: 'count', params: { type: 'object' }, fn: () => ++ran })
    const headers = { 'idempotency-key': 'k1' }
    const first = (await (await callTool('count', { params: {} }, { headers })).json()) as { runId: string }
    const again = await (await callTool('count', { params: {} }, { headers })).json()
    expect(again).toEqual(first)
    expect(ran).toBe(1)
    const other = await callTool('count', { params: { x: 1 } }, { headers })
    // C112: as for a breadcrumb.
    expect(other.status).toBe(422)
    expect(await other.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
  })

  it('streams logs, progress and the outcome', async () => {
    await start()
    const answer = await callTool('text/chatty', {}, { headers: { accept: 'text/event-stream' } })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const events = [...(await answer.text()).matchAll(/^event: (.+)\ndata: (.+)$/gm)].map((match) => [
      match[1],
      JSON.parse(match[2]!),
    ])
    expect(events).toMatchObject([
      ['log', { level: 'info', message: 'working' }],
      ['progress', { done: 1, total: 2 }],
      ['outcome', { ok: true, value: 'done' }],
    ])
  })
})

describe('bad input', () => {
  it.each([
    ['{"params":', 400, 'BODY_INVALID'],
    ['[]', 400, 'BODY_INVALID'],
    ['{"parms":{}}', 400, 'BODY_INVALID'],
    ['{"timeoutMs":"soon"}', 400, 'BODY_INVALID'],
  ])('refuses the body %s', async (body, status, code) => {
    await start()
    const answer = await ask('/api/tools/text/echo/call', { method: 'POST', body })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ code })
  })

  it('refuses another media type', async () => {
    await start()
    const answer = await ask('/api/tools/text/echo/call', {
      method: 'POST',
      body: 'a=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(answer.status).toBe(415)
  })

  it('refuses a body over 10 MiB, declared or not', async () => {
    await start()
    const declared = await rawRequest(
      `POST /api/tools/text/echo/call HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.token}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`,
    )
    expect(declared).toContain('413')
    const streamed = await ask('/api/tools/text/echo/call', {
      method: 'POST',
      body: new ReadableStream({
        start(controller) {
          for (let i = 0; i < 12; i++) controller.enqueue(new TextEncoder().encode(' '.repeat(1024 * 1024)))
          controller.close()
        },
      }),
      headers: { 'content-type': 'application/json' },
      duplex: 'half',
    } as RequestInit)
    expect(streamed.status).toBe(413)
  })

  it('answers broken percent-encoding with 400', async () => {
    await start()
    expect((await ask('/api/tools/%E0%A4%A')).status).toBe(400)
  })
})

describe('runs and approvals', () => {
  it('lists a running call, cancels it, and keeps what came of it', async () => {
    await start()
    const { begun, stopped } = hangingTool()
    const pending = callTool('slow', { params: { secret: 'abc' } })
    await begun
    const { runs } = (await (await ask('/api/runs')).json()) as {
      runs: { runId: string; state?: string; ok?: boolean }[]
    }
    expect(runs).toMatchObject([{ tool: 'slow', state: 'running', surface: 'http', caller: 'operator' }])
    expect(runs[0]).not.toHaveProperty('ok')
    const { runId } = runs[0]!
    expect((await ask(`/api/runs/${runId}/cancel`, { method: 'POST' })).status).toBe(200)
    await stopped
    expect(await (await pending).json()).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    expect(await (await ask(`/api/runs/${runId}`)).json()).toMatchObject({
      runId,
      ok: false,
      errorCode: 'CANCELLED',
      params: { secret: 'string(3)' },
      outcome: { ok: false },
      logs: [],
      spans: expect.any(Array),
    })
    expect((await ask(`/api/runs/${runId}/cancel`, { method: 'POST' })).status).toBe(409)
    expect((await ask('/api/runs/none')).status).toBe(404)
  })

  it('stops the call of a client that vanished', async () => {
    await start()
    const { begun, stopped } = hangingTool()
    const gone = new AbortController()
    const pending = callTool('slow', {}, { signal: gone.signal })
    await begun
    gone.abort()
    await expect(pending).rejects.toThrow()
    await stopped
  })

  it('stops the call of a client that left its event stream', async () => {
    await start()
    const { begun, stopped } = hangingTool()
    const gone = new AbortController()
    await callTool('slow', {}, { signal: gone.signal, headers: { accept: 'text/event-stream' } })
    await begun
    gone.abort()
    await stopped
  })

  it('waits for approval and runs after it, or fails with the reason', async () => {
    await start({ approve: ['text/echo'] })
    const asked = () => new Promise<{ id: string }>((resolve) => crib.approvals.once('requested', resolve))
    let question = asked()
    let pending = callTool('text/echo', { params: { x: 1 } })
    let { id } = await question
    expect(await (await ask('/api/approvals')).json()).toMatchObject([
      { id, tool: 'text/echo', params: { x: 1 }, caller: 'operator' },
    ])
    const decide = (body: object) =>
      ask(`/api/approvals/${id}`, { method: 'POST', body: JSON.stringify(body) })
    expect((await decide({ decision: 'maybe' })).status).toBe(400)
    expect((await decide({ decision: 'approve' })).status).toBe(200)
    expect(await (await pending).json()).toMatchObject({ ok: true, value: { x: 1 } })
    expect((await decide({ decision: 'approve' })).status).toBe(404)
    question = asked()
    pending = callTool('text/echo', {})
    id = (await question).id
    await decide({ decision: 'deny', reason: 'not today' })
    const denied = await pending
    expect(denied.status).toBe(403)
    expect(await denied.json()).toMatchObject({
      error: { code: 'APPROVAL_DENIED', message: expect.stringContaining('not today') },
    })
  })

  it('forgets a question whose time is up or whose caller left', async () => {
    await start({ approve: ['text/echo'], approvals: { timeoutMs: 30 } })
    const late = await callTool('text/echo', {})
    expect(await late.json()).toMatchObject({ error: { code: 'APPROVAL_DENIED', retryable: true } })
    expect(crib.approvals.pending).toEqual([])
  })
})

it('counts calls and requests in its metrics', async () => {
  await start()
  await callTool('text/echo', {})
  const text = await (await ask('/metrics')).text()
  expect(text).toContain('toolcrib_calls_total{format="builtin",surface="http",code="ok"} 1')
  expect(text).toContain(`toolcrib_tools ${crib.list().length}\n`)
})

it('names the holder of a port that is in use', async () => {
  await start()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  cleanUp.push(() => other.close())
  const { port } = other.address() as { port: number }
  await expect(serveCrib(crib, { port })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(process.platform === 'linux' ? `pid ${process.pid}` : String(port)),
    hint: expect.stringContaining('--port 0'),
  })
})

it('lets running calls finish when it is closed, and takes no new ones', async () => {
  await start()
  let finish!: () => void
  let begin!: () => void
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  crib.addTool({
    id: 'brief',
    fn: () => {
      begin()
      return new Promise((resolve) => {
        finish = () => resolve('finished')
      })
    },
  })
  const pending = callTool('brief', {})
  await begun
  const closed = served.close()
  finish()
  expect(await (await pending).json()).toMatchObject({ ok: true, value: 'finished' })
  await closed
  await expect(ask('/healthz')).rejects.toThrow()
})

function rawRequest(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(served.port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}
