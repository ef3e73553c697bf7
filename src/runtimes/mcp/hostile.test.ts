// Foreign servers that send too much, never answer, flood or lie: a clear error, and everybody else goes on.
import { copyFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answering } from '../../../test/helpers/answering.ts'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url))

/** A crib with a hostile server `bad` in some mode and a decent one `good`. */
async function cribWith(mode = 'plain', extra: object = {}): Promise<Crib> {
  const root = tempFolder()
  copyFileSync(join(fixtures, 'hostile-server.mjs'), join(root, 'hostile.mjs'))
  copyFileSync(join(fixtures, 'server.mjs'), join(root, 'server.mjs'))
  const servers = {
    bad: { command: 'node', args: ['hostile.mjs', mode], ...extra },
    good: { command: 'node', args: ['server.mjs'], ...extra },
  }
  const crib = await openCrib({ root, env: { HOME: root }, config: { mcp: { servers } } })
  onTestFinished(() => crib.close())
  return crib
}

const good = (crib: Crib) => crib.call('good-echo', { text: 'fine' })

describe('a foreign server', { timeout: 120_000 }, () => {
  it('that answers with 100 MB is cut off with the reason, and starts again for the next call', async () => {
    const crib = await cribWith()
    const giant = crib.call('bad-giant', {})
    expect(await good(crib)).toMatchObject({ ok: true, value: 'fine' })
    expect(await giant).toMatchObject({
      ok: false,
      error: {
        code: 'OUTPUT_TOO_LARGE',
        message: expect.stringContaining('"bad"'),
        hint: expect.any(String),
      },
    })
    expect(await crib.call('bad-echo', {})).toMatchObject({ ok: true, value: 'still here' })
  })

  it('that floods notices is read no faster than they are handled, and is answered all the same', async () => {
    const crib = await cribWith()
    const flood = crib.call('bad-flood', {})
    expect(await good(crib)).toMatchObject({ ok: true, value: 'fine' })
    expect(await flood).toMatchObject({ ok: true, value: 'flooded' })
  })

  it('that writes megabytes of lines that are no messages is heard all the same', async () => {
    const crib = await cribWith()
    expect(await crib.call('bad-chatter', {})).toMatchObject({ ok: true, value: 'chattered' })
  })

  it('that never answers a call is left when the time is up, and used again', async () => {
    const crib = await cribWith()
    await crib.discover()
    expect(await crib.call('bad-never', {}, { timeoutMs: 100 })).toMatchObject({
      ok: false,
      error: { code: 'TIMEOUT', message: expect.stringContaining('bad-never') },
    })
    expect(await crib.call('bad-echo', {})).toMatchObject({ ok: true, value: 'still here' })
  })

  it('that never says hello is a problem that names it, and hides no other server', async () => {
    const crib = await cribWith('mute')
    await crib.discover({ timeoutMs: 5_000 })
    expect(await good(crib)).toMatchObject({ ok: true, value: 'fine' })
    expect(crib.problems).toContainEqual(
      expect.objectContaining({ code: 'mcp-server-failed', toolId: 'mcp/bad' }),
    )
  })

  it('whose list never ends is a problem, not a loop', async () => {
    const crib = await cribWith('endless')
    await crib.discover()
    expect(crib.problems).toContainEqual(
      expect.objectContaining({
        code: 'mcp-server-failed',
        toolId: 'mcp/bad',
        message: expect.stringContaining('did not terminate'),
      }),
    )
    expect(await good(crib)).toMatchObject({ ok: true, value: 'fine' })
  })

  it('that answers for others and in the wrong shape fails that call alone', async () => {
    const crib = await cribWith()
    expect(await crib.call('bad-strangers', {})).toMatchObject({
      ok: false,
      error: { code: 'UPSTREAM_FAILED', message: expect.stringContaining('"bad"') },
    })
    expect(await crib.call('bad-echo', {})).toMatchObject({ ok: true, value: 'still here' })
  })

  it('that states what it cannot do keeps the tools it has', async () => {
    verifies('U1', 'U2a')
    const crib = await cribWith('liar')
    expect(await crib.call('bad-echo', {}, { onLog: () => {} })).toMatchObject({
      ok: true,
      value: 'still here',
    })
    expect(crib.list({ kind: 'prompt' }).concat(crib.list({ kind: 'resource' }))).toEqual([])
  })

  it('that tells of progress without end is left when the time is up, and used again', async () => {
    verifies('U2')
    const crib = await cribWith()
    await crib.discover()
    let told = 0
    const outcome = await crib.call('bad-progress', {}, { timeoutMs: 500, onProgress: () => told++ })
    expect(outcome).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
    expect(told).toBeGreaterThan(1)
    expect(await crib.call('bad-echo', {})).toMatchObject({ ok: true, value: 'still here' })
  })

  it('that answers a call after it was cancelled is not heard, and used again', async () => {
    verifies('U2')
    const crib = await cribWith()
    await crib.discover()
    const stop = new AbortController()
    const late = crib.call('bad-late', {}, { signal: stop.signal })
    await expect.poll(() => crib.kernel.running.length).toBe(1)
    stop.abort()
    expect(await late).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    expect(await crib.call('bad-echo', {})).toMatchObject({ ok: true, value: 'still here' })
  })

  it('whose resource has a gigabyte is cut off with the reason, and starts again', async () => {
    verifies('U1')
    const crib = await cribWith('giver')
    await crib.discover()
    expect(await crib.call('bad-big', {})).toMatchObject({
      ok: false,
      error: { code: 'OUTPUT_TOO_LARGE', message: expect.stringContaining('"bad"') },
    })
    expect(await crib.call('bad-echo', {})).toMatchObject({ ok: true, value: 'still here' })
  })

  it('whose schemas go round or use unknown words has these tools all the same', async () => {
    verifies('U2a')
    const crib = await cribWith('odd')
    await crib.discover()
    expect(await crib.call('bad-words', { a: 'x' })).toMatchObject({ ok: true, value: 'words' })
    expect(await crib.call('bad-round', { next: {} })).toMatchObject({ ok: true, value: 'round' })
    expect(await good(crib)).toMatchObject({ ok: true, value: 'fine' })
  })

  it('with one call at a time goes on to the next when a waiting one is cancelled', async () => {
    const crib = await cribWith('plain', { concurrency: 1 })
    await crib.discover()
    const [first, second] = [new AbortController(), new AbortController()]
    const running = crib.call('bad-never', {}, { signal: first.signal })
    const waiting = crib.call('bad-echo', {}, { signal: second.signal })
    const last = crib.call('bad-echo', {})
    await expect.poll(() => crib.kernel.running.length, { timeout: 30_000 }).toBe(3)
    second.abort()
    expect(await waiting).toMatchObject({ error: { code: 'CANCELLED' } })
    first.abort()
    expect(await running).toMatchObject({ error: { code: 'CANCELLED' } })
    expect(await last).toMatchObject({ ok: true, value: 'still here' })
  })
})

function* giantAnswer(id: unknown, isEvent: boolean): Generator<string> {
  if (isEvent) yield 'event: message\ndata: '
  yield `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`
  for (let n = 0; n < 100; n++) yield 'x'.repeat(1_048_576)
  yield '"}]}}\n\n'
}

/** An MCP server over HTTP whose tool `giant` answers with 100 MB, as one body or as an event. */
async function httpServer(type: 'application/json' | 'text/event-stream', status: number): Promise<string> {
  const server = createServer(
    answering(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { id, method, params } = body ? JSON.parse(body) : {}
      if (request.method !== 'POST') return void response.writeHead(405).end()
      if (id === undefined) return void response.writeHead(202).end()
      const results: { [method: string]: unknown } = {
        initialize: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'web', version: '1' },
        },
        'tools/list': { tools: ['giant', 'echo'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
      }
      const result = results[method] ?? { content: [{ type: 'text', text: 'still here' }] }
      if (method === 'server/discover')
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }))
      if (params?.name !== 'giant')
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      response.writeHead(status, { 'content-type': type })
      // The client hangs up in the middle.
      await pipeline(Readable.from(giantAnswer(id, type === 'text/event-stream')), response).catch(() => {})
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

describe('a foreign server over HTTP', { timeout: 120_000 }, () => {
  it.each([
    ['application/json', 200],
    ['text/event-stream', 200],
    ['application/json', 500],
  ] as const)(
    'that answers with 100 MB of %s and status %i is cut off with the reason, and asked again by the next call',
    async (type, status) => {
      const root = tempFolder()
      const servers = { web: { url: await httpServer(type, status) } }
      const crib = await openCrib({ root, env: { HOME: root }, config: { mcp: { servers } } })
      onTestFinished(() => crib.close())
      expect(await crib.call('web-giant', {})).toMatchObject({
        ok: false,
        error: { code: 'OUTPUT_TOO_LARGE', message: expect.stringContaining('"web"') },
      })
      expect(await crib.call('web-echo', {})).toMatchObject({ ok: true, value: 'still here' })
    },
  )
})
