// The MCP surface as real clients see it: SDK v1 (2025-11-25) and SDK v2 (2026-07-28 and its fallback), over
// HTTP and over streams.
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { isForModels } from '../../catalog/offered-tools.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { type Served, serveCrib } from '../http/serve-crib.ts'
import { streamTransport } from './fixtures/stream-transport.ts'
import { serveStdio } from './serve-stdio.ts'

let root: string
let crib: Crib
let served: Served
const cleanUp: (() => unknown)[] = []

async function open(config: { [key: string]: unknown } = {}) {
  root = mkdtempSync(join(tmpdir(), 'mcp-'))
  crib = await openCrib({ root, env: { HOME: root }, config })
  crib.addTool({
    id: 'math/add',
    description: 'Adds two numbers',
    params: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    returns: {
      type: 'object',
      properties: { sum: { type: 'number' } },
      required: ['sum'],
    },
    requires: [],
    fn: (params) => ({ sum: (params as { a: number; b: number }).a + (params as { b: number }).b }),
  })
  crib.addTool({
    id: 'text/upper',
    params: { type: 'object' },
    fn: (params) => String((params as { text: string }).text).toUpperCase(),
  })
  crib.addTool({
    id: 'list/numbers',
    returns: { type: 'array', items: { type: 'number' } },
    fn: () => [1, 2, 3],
  })
  crib.addTool({
    id: 'boom',
    fn: () => {
      throw new Error('boom')
    },
  })
  crib.addTool({
    id: 'steps',
    fn: (_params, attempt) => {
      for (const done of [1, 2, 2, 3]) attempt.progress({ done, total: 3, message: `step ${done}` })
      return 'done'
    },
  })
}

beforeEach(() => open())

afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean()
  await crib.close()
  rmSync(root, { recursive: true, force: true })
})

interface AnyClient {
  listTools(): Promise<{ tools: { name: string; [key: string]: unknown }[] }>
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    ...rest: unknown[]
  ): Promise<{ [key: string]: unknown }>
  close(): Promise<void>
}

const foreignServer = fileURLToPath(new URL('../../runtimes/mcp/fixtures/server.mjs', import.meta.url))
const info = { name: 'test', version: '1' }

async function oldHttp(token = served.token!): Promise<OldClient> {
  const client = new OldClient(info)
  await client.connect(
    new OldHttp(new URL(served.mcp), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }) as never,
  )
  cleanUp.push(() => client.close())
  return client
}

async function modernHttp(
  options: object = { versionNegotiation: { mode: { pin: '2026-07-28' } } },
): Promise<ModernClient> {
  const client = new ModernClient(info, options)
  await client.connect(
    new ModernHttp(new URL(served.mcp), {
      requestInit: { headers: { authorization: `Bearer ${served.token}` } },
    }),
  )
  cleanUp.push(() => client.close())
  return client
}

function pipes() {
  const up = new PassThrough()
  const down = new PassThrough()
  const stdio = serveStdio(crib, { stdin: up, stdout: down })
  cleanUp.push(() => stdio.close())
  return { transport: streamTransport(down, up), stdio, up, down }
}

async function oldStdio(): Promise<OldClient> {
  const client = new OldClient(info)
  await client.connect(pipes().transport as never)
  cleanUp.push(() => client.close())
  return client
}

async function modernStdio(): Promise<ModernClient> {
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } } as never)
  await client.connect(pipes().transport)
  cleanUp.push(() => client.close())
  return client
}

async function http(): Promise<void> {
  served = await serveCrib(crib, { port: 0, watch: false })
  cleanUp.push(() => served.close(0))
}

const clients: [string, () => Promise<AnyClient>][] = [
  ['SDK v1 over HTTP', () => http().then(() => oldHttp()) as Promise<unknown> as Promise<AnyClient>],
  ['SDK v2 over HTTP', () => http().then(() => modernHttp()) as Promise<unknown> as Promise<AnyClient>],
  ['SDK v1 over stdio', async () => (await oldStdio()) as unknown as AnyClient],
  ['SDK v2 over stdio', async () => (await modernStdio()) as unknown as AnyClient],
]

describe.each(clients)('%s', (name, connect) => {
  const isOld = name.includes('v1')

  it('lists the tools in one order with schemas and annotations', async () => {
    const client = await connect()
    const listed = (await client.listTools()).tools
    const ids = listed.map((tool) => (tool['_meta'] as { [key: string]: string })['toolcrib/id']!)
    expect(ids).toEqual([...ids].sort())
    const tools = listed.filter((tool) => !/^(rye|crumbs)_/.test(tool.name))
    expect(tools.map((tool) => tool.name)).toEqual([
      'boom',
      'list_numbers',
      'math_add',
      'steps',
      'text_upper',
    ])
    expect(tools[2]).toMatchObject({
      name: 'math_add',
      description: 'Adds two numbers',
      inputSchema: { type: 'object', required: ['a', 'b'] },
      outputSchema: { type: 'object', required: ['sum'] },
      annotations: { readOnlyHint: true, openWorldHint: false },
    })
    expect(await client.listTools()).toEqual(await client.listTools())
  })

  it('gives results as text and as structure', async () => {
    const client = await connect()
    const result = await client.callTool({ name: 'math_add', arguments: { a: 2, b: 3 } })
    expect(result).toMatchObject({
      content: [{ type: 'text', text: '{"sum":5}' }],
      structuredContent: { sum: 5 },
      _meta: { 'toolcrib/runId': expect.any(String), 'toolcrib/enforcement': expect.any(Object) },
    })
    expect(await client.callTool({ name: 'text_upper', arguments: { text: 'hi' } })).toMatchObject({
      content: [{ text: 'HI' }],
    })
  })

  it('gives a list where the output schema is a list', async () => {
    const client = await connect()
    await client.listTools()
    const result = await client.callTool({ name: 'list_numbers' })
    expect(result['structuredContent']).toEqual(isOld ? { result: [1, 2, 3] } : [1, 2, 3])
  })

  it('gives failures as results a model can read', async () => {
    const client = await connect()
    expect(await client.callTool({ name: 'boom' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'boom' }],
      structuredContent: { error: { code: 'TOOL_FAILED' } },
      _meta: { 'toolcrib/error': { code: 'TOOL_FAILED', message: 'boom', retryable: false } },
    })
    const invalid = await client.callTool({ name: 'math_add', arguments: { a: 'x' } })
    expect(invalid).toMatchObject({ isError: true, _meta: { 'toolcrib/error': { code: 'PARAMS_INVALID' } } })
    expect(invalid).not.toHaveProperty('structuredContent')
  })

  it('answers an unknown tool with a protocol error that names near ones', async () => {
    const client = await connect()
    await expect(client.callTool({ name: 'math_ad' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('math_add'),
    })
  })

  it('passes progress on, growing values only', async () => {
    const client = await connect()
    const seen: unknown[] = []
    const options = { onprogress: (progress: unknown) => seen.push(progress) }
    await client.callTool({ name: 'steps' }, ...(isOld ? [undefined, options] : [options]))
    expect(seen).toMatchObject([
      { progress: 1, total: 3, message: 'step 1' },
      { progress: 2 },
      { progress: 3 },
    ])
  })

  it('stops a call the client cancels', async () => {
    const client = await connect()
    let begin!: () => void
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const stopped = new Promise<void>((resolve) => {
      crib.addTool({
        id: 'slow',
        fn: (_params, attempt) => {
          attempt.signal.addEventListener('abort', () => resolve())
          begin()
          return new Promise(() => {})
        },
      })
    })
    const gone = new AbortController()
    const options = { signal: gone.signal }
    const pending = client.callTool({ name: 'slow' }, ...(isOld ? [undefined, options] : [options]))
    pending.catch(() => {})
    await begun
    gone.abort('enough')
    await expect(pending).rejects.toThrow()
    await stopped
  })
})

describe('list changes', () => {
  it('are told to a client of the older era over HTTP and stdio', async () => {
    await http()
    for (const client of [await oldHttp(), await oldStdio()]) {
      const told = new Promise<void>((resolve) => {
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())
      })
      crib.addTool({ id: `new/${Math.random()}`, fn: () => 1 })
      await told
    }
  })

  it.each(['HTTP', 'stdio'])('are told to a client of the newer era that listens over %s', async (over) => {
    await http()
    let tell!: () => void
    const told = new Promise<void>((resolve) => {
      tell = resolve
    })
    const options = { versionNegotiation: { mode: { pin: '2026-07-28' } } }
    const client = over === 'HTTP' ? await modernHttp(options) : await modernStdio()
    client.setNotificationHandler('notifications/tools/list_changed', () => tell())
    const subscription = await client.listen({ toolsListChanged: true })
    crib.addTool({ id: 'new/tool', fn: () => 1 })
    await told
    await subscription.close()
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('new_tool')
  })
})

describe('HTTP', () => {
  beforeEach(() => http())

  const rpc = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(served.mcp, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${served.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  it('serves a negotiating v2 client in the newer era', async () => {
    const client = await modernHttp({ versionNegotiation: { mode: 'auto' } })
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  })

  it('needs a token', async () => {
    const answer = await fetch(served.mcp, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(401)
  })

  it('answers malformed JSON with a parse error', async () => {
    const answer = await rpc('{"jsonrpc":')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: -32700 } })
  })

  it('answers a wrong media type, a missing session and a foreign session', async () => {
    expect((await rpc('{}', { 'content-type': 'text/plain' })).status).toBe(415)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect((await rpc(call)).status).toBe(400)
    expect((await rpc(call, { 'mcp-session-id': 'nobody' })).status).toBe(404)
  })

  it.each(['2099-01-01', '2000-01-01', 'not-a-version'])(
    'answers the unknown protocol version %s with those it speaks, before and in a session',
    async (requested) => {
      const call = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
      const client = await oldHttp()
      const { sessionId } = client.transport as { sessionId?: string }
      for (const headers of [{}, { 'mcp-session-id': sessionId! }] as Record<string, string>[]) {
        const answer = await rpc(call, { ...headers, 'mcp-protocol-version': requested })
        expect(answer.status).toBe(400)
        expect(await answer.json()).toMatchObject({
          id: 7,
          error: {
            code: -32022,
            data: { requested, supported: expect.arrayContaining(['2026-07-28', '2025-11-25']) },
          },
        })
      }
    },
  )

  it('answers a body that is no UTF-8 with the place of the fault, also where a call is plain', async () => {
    const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x_"}}')
    body[body.indexOf('_')] = 0xff
    const plain = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x' }
    for (const headers of [{}, plain]) {
      const answer = await fetch(served.mcp, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${served.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body,
      })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({
        error: { code: -32700, message: expect.stringContaining(`byte ${body.indexOf(0xff)} (0xff)`) },
      })
    }
  })

  it('refuses a giant body', async () => {
    const answer = await rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'x',
      params: { text: 'x'.repeat(11 * 1024 * 1024) },
    })
    expect(answer.status).toBe(413)
  })

  it('answers an unknown method with -32601', async () => {
    const client = await oldHttp()
    await expect(client.request({ method: 'no/such' } as never, {} as never)).rejects.toMatchObject({
      code: -32601,
    })
  })

  it('keeps a session to the token that opened it', async () => {
    await served.close(0)
    await crib.close()
    rmSync(root, { recursive: true, force: true })
    const sha = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`
    await open({ serve: { tokens: [{ name: 'other', token: sha('other-token'), allowedTools: 'math/*' }] } })
    await http()
    const client = await oldHttp()
    const { sessionId } = client.transport as { sessionId?: string }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const stolen = await rpc(call, { 'mcp-session-id': sessionId!, authorization: 'Bearer other-token' })
    expect(stolen.status).toBe(404)
    const other = await oldHttp('other-token')
    expect((await other.listTools()).tools.map((tool) => tool.name)).toEqual(['math_add'])
    await expect(other.callTool({ name: 'boom' })).rejects.toMatchObject({ code: -32602 })
  })

  it('forgets a session that says goodbye', async () => {
    const client = await oldHttp()
    const transport = client.transport as unknown as OldHttp
    const { sessionId } = transport
    await transport.terminateSession()
    const answer = await rpc(
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { 'mcp-session-id': sessionId! },
    )
    expect(answer.status).toBe(404)
  })
})

describe('approval', () => {
  beforeEach(async () => {
    await crib.close()
    rmSync(root, { recursive: true, force: true })
    await open({ approve: ['boom', 'math/*'] })
  })

  it.each([
    ['accept', { approve: true }, { structuredContent: { sum: 3 } }],
    [
      'accept',
      { approve: false },
      { isError: true, _meta: { 'toolcrib/error': { code: 'APPROVAL_DENIED' } } },
    ],
    ['decline', undefined, { isError: true, _meta: { 'toolcrib/error': { code: 'APPROVAL_DENIED' } } }],
  ] as const)("asks the operator's client: %s %o", async (action, content, expected) => {
    await http()
    const client = await modernHttp({
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    })
    const asked: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return { action, ...(content ? { content } : {}) }
    })
    expect(await client.callTool({ name: 'math_add', arguments: { a: 1, b: 2 } })).toMatchObject(expected)
    expect(asked).toEqual(['Let math/add run with {"a":1,"b":2}?'])
  })

  it('refuses where nobody can be asked', async () => {
    const client = await oldStdio()
    expect(await client.callTool({ name: 'boom' })).toMatchObject({
      isError: true,
      _meta: { 'toolcrib/error': { code: 'APPROVAL_DENIED' } },
    })
  })
})

it("passes a foreign server's question on to the client", async () => {
  copyFileSync(foreignServer, join(root, 'server.mjs'))
  await crib.close()
  const { openCrib: open } = await import('../../crib/open-crib.ts')
  crib = await open({
    root,
    env: { HOME: root },
    config: { mcp: { servers: { box: { command: 'node', args: ['server.mjs'] } } } },
  })
  const client = new OldClient(info, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: 'accept',
    content: { colour: `${params.message} red` },
  }))
  await client.connect(pipes().transport as never)
  cleanUp.push(() => client.close())
  expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('box-ask')
  expect(await client.callTool({ name: 'box-ask' })).toMatchObject({
    content: [{ text: 'the answer is accept {"colour":"Which colour? red"}' }],
  })
})

describe('--expose search', () => {
  it('offers three tools that find, describe and call the rest', async () => {
    const up = new PassThrough()
    const down = new PassThrough()
    const stdio = serveStdio(crib, { stdin: up, stdout: down, expose: 'search' })
    cleanUp.push(() => stdio.close())
    const client = new OldClient(info)
    await client.connect(streamTransport(down, up) as never)
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([
      'search_tools',
      'describe_tool',
      'call_tool',
    ])
    expect(
      await client.callTool({ name: 'search_tools', arguments: { query: 'add numbers', limit: 1 } }),
    ).toMatchObject({
      structuredContent: { tools: [{ name: 'math_add', description: 'Adds two numbers' }] },
    })
    expect(await client.callTool({ name: 'describe_tool', arguments: { name: 'math_add' } })).toMatchObject({
      structuredContent: { name: 'math_add', inputSchema: { required: ['a', 'b'] } },
    })
    expect(
      await client.callTool({ name: 'call_tool', arguments: { name: 'math_add', params: { a: 1, b: 1 } } }),
    ).toMatchObject({
      structuredContent: { sum: 2 },
    })
    await expect(client.callTool({ name: 'boom' })).rejects.toMatchObject({ code: -32602 })
  })
})

it('answers many calls that come in one piece, in whatever pieces the rest comes', async () => {
  const { transport, up, down } = pipes()
  const client = new OldClient(info)
  await client.connect(transport as never)
  const answers = new Map<number, number>()
  const all = new Promise<void>((resolve) => {
    let text = ''
    down.on('data', (chunk: Buffer) => {
      const lines = `${text}${chunk}`.split('\n')
      text = lines.pop()!
      for (const line of lines) {
        const { id, result } = JSON.parse(line)
        answers.set(id, result.structuredContent.sum)
      }
      if (answers.size === 300) resolve()
    })
  })
  const line = (id: number) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'math_add', arguments: { a: id, b: 1 } } })}\n`
  const text = Array.from({ length: 300 }, (_, index) => line(1_000 + index)).join('')
  up.write(text.slice(0, 20_001))
  up.write(text.slice(20_001, 20_050))
  up.write(text.slice(20_050))
  await all
  expect([...answers].every(([id, sum]) => sum === id + 1)).toBe(true)
})

it('ends when its input ends, and stops what runs', async () => {
  const { transport, stdio, up } = pipes()
  const client = new OldClient(info)
  await client.connect(transport as never)
  let begin!: () => void
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const stopped = new Promise<void>((resolve) => {
    crib.addTool({
      id: 'slow',
      fn: (_params, attempt) => {
        attempt.signal.addEventListener('abort', () => resolve())
        begin()
        return new Promise(() => {})
      },
    })
  })
  client.callTool({ name: 'slow' }).catch(() => {})
  await begun
  up.end()
  await stdio.ended
  await stopped
})

it('lists a skill only when it declares parameters', async () => {
  verifies('S87')
  const form = { form: 'code', entry: 0, entryDir: '', isExternal: false } as const
  const skill = { ...crib.find('boom'), details: { skill: form, metadata: {} } }
  expect(isForModels(skill)).toBe(false)
  expect(isForModels({ ...skill, params: { type: 'object' } })).toBe(true)
})
