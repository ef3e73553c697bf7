// Large catalogs: a model finds tools by words, or writes code that calls them.
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { findDeno } from '../../config/find-deno.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { serveCrib } from '../http/serve-crib.ts'
import { connect } from './fixtures/connect.ts'

async function crib(config: { [key: string]: unknown } = {}): Promise<Crib> {
  const root = tempFolder()
  const opened = await openCrib({ root, env: { HOME: root }, config })
  onTestFinished(() => opened.close())
  opened.addTool({
    id: 'math/add',
    description: 'Adds two numbers',
    params: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    fn: (params) => ({ sum: (params as { a: number }).a + (params as { b: number }).b }),
  })
  opened.addTool({
    id: 'boom',
    fn: () => {
      throw new Error('it broke')
    },
  })
  return opened
}

describe('--expose search with 5,000 tools', () => {
  it('lists three tools, finds the right one, describes it and calls it', async () => {
    const opened = await crib()
    const words = ['invoice', 'calendar', 'weather', 'printer', 'ledger', 'garden', 'planet']
    opened.addTools(
      Array.from({ length: 5_000 }, (_, n) => ({
        id: `many/tool_${n}`,
        description: `Reads the ${words[n % words.length]} number ${n}`,
        params: { type: 'object' },
        fn: () => n,
      })),
    )
    const client = await connect(opened, { expose: 'search' })
    expect((await client.listTools()).tools).toHaveLength(3)
    const search = (args: object) =>
      client.callTool({ name: 'search_tools', arguments: { ...args } }) as Promise<unknown> as Promise<{
        structuredContent: { tools: { name: string }[] }
      }>
    const found = (await search({ query: 'add two numbers', limit: 3 })).structuredContent.tools
    expect(found[0]!.name).toBe('math_add')
    expect((await search({ query: 'printer 3', limit: 100 })).structuredContent.tools).toHaveLength(100)
    expect((await search({ query: 'zzzzqqq' })).structuredContent.tools).toEqual([])
    const { structuredContent } = await client.callTool({
      name: 'describe_tool',
      arguments: { name: 'many_tool_4711' },
    })
    expect(structuredContent).toMatchObject({ name: 'many_tool_4711', inputSchema: { type: 'object' } })
    expect(
      await client.callTool({ name: 'call_tool', arguments: { name: 'many_tool_4711', params: {} } }),
    ).toMatchObject({ content: [{ text: '4711' }] })
  })

  it('names near tools when one is not there', async () => {
    const client = await connect(await crib(), { expose: 'search' })
    for (const name of ['describe_tool', 'call_tool'])
      expect(await client.callTool({ name, arguments: { name: 'math_ad' } })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('Did you mean "math_add"?') }],
        _meta: { 'toolcrib/error': { code: 'TOOL_NOT_FOUND', details: { near: ['math_add'] } } },
      })
  })

  it.each([
    ['search', 'describe_tool', {}, 'name'],
    ['search', 'call_tool', { params: {} }, 'name'],
    ['search', 'search_tools', { query: 5 }, 'query'],
    ['code', 'run_code', { code: [] }, 'code'],
  ] as const)(
    'answers wrong input by a result that a model can correct: %s %s %j',
    async (expose, name, args, wrong) => {
      const client = await connect(await crib(), { expose })
      expect(await client.callTool({ name, arguments: args })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(`"${wrong}" must be a text`) }],
        _meta: {
          'toolcrib/error': {
            code: 'PARAMS_INVALID',
            details: { violations: [{ pointer: `/${wrong}` }], count: 1 },
          },
        },
      })
    },
  )
})

function hasDeno(): boolean {
  try {
    return Boolean(findDeno({ configured: null }))
  } catch {
    console.warn('--expose code is not tested: there is no Deno on this machine.')
    return false
  }
}

describe.skipIf(!hasDeno())('--expose code', () => {
  const run = async (code: string, given?: Crib) => {
    const client = await connect(given ?? (await crib()), { expose: 'code' })
    return client.callTool({ name: 'run_code', arguments: { code } })
  }

  it('offers two tools to find others and one that runs code', async () => {
    const client = await connect(await crib(), { expose: 'code' })
    const names = (await client.listTools()).tools.map((tool) => tool.name)
    expect(names).toEqual(['search_tools', 'describe_tool', 'run_code'])
    await expect(client.callTool({ name: 'boom' })).rejects.toMatchObject({ code: -32602 })
  })

  it('runs code that calls tools, and gives back what it returns and prints', async () => {
    const result = await run(`
      const sums = await Promise.all([1, 2, 3].map((a) => tools.math_add({ a, b: 10 })))
      console.log('sums', sums.length)
      return sums.map(({ sum }) => sum)`)
    expect(result).toMatchObject({
      content: [{ text: '[11,12,13]' }, { text: 'Printed:\nsums 3' }],
      _meta: { 'toolcrib/runId': expect.any(String), 'toolcrib/enforcement': expect.any(Object) },
    })
    expect(result.isError).toBeUndefined()
  })

  it('shows no run what another left behind', async () => {
    const opened = await crib()
    const client = await connect(opened, { expose: 'code' })
    const code = 'const before = globalThis.left; globalThis.left = 1; return [before ?? null]'
    for (let n = 0; n < 4; n++)
      expect(await client.callTool({ name: 'run_code', arguments: { code } })).toMatchObject({
        content: [{ text: '[null]' }],
      })
  })

  it('throws in the code when a tool fails, with its code', async () => {
    const caught = await run(
      `try { await tools.boom() } catch (error) { return [error.code, error.message] }`,
    )
    expect(caught).toMatchObject({ content: [{ text: '["TOOL_FAILED","it broke"]' }] })
    const invalid = await run(`return await tools.math_add({ a: 'x' })`)
    expect(invalid).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('/a must be number') }],
    })
  })

  it.each([
    ['a syntax error', 'return 1 +', /does not parse at line 2/],
    [
      'an import of a file',
      'const x = await import("file:///etc/passwd", { with: { type: "text" } }); return x',
      /imports "file:/,
    ],
    ['the network', 'return await (await fetch("http://127.0.0.1:1")).text()', /net access|denied|fetch/i],
    ['a file', 'return await Deno.readTextFile("/etc/hostname")', /read access|NotCapable|denied/i],
    ['a program', 'return await new Deno.Command("/bin/sh").output()', /run access|NotCapable|denied/i],
    ['the environment', 'return Deno.env.get("HOME")', /env access|NotCapable|denied/i],
  ])('refuses %s', async (_what, code, expected) => {
    const result = await run(code)
    expect(result.isError).toBe(true)
    expect((result.content as { text: string }[])[0]!.text).toMatch(expected)
  })

  it('reaches only the tools that are offered', async () => {
    const opened = await crib({ tools: {} })
    const hidden = await run(`return await tools['rye/core/primitives/subprocess']({})`, opened)
    expect(hidden.isError).toBe(true)
    const unknown = await run(`return await tools.no_such_tool()`, opened)
    expect(unknown).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('no_such_tool') }],
    })
  })

  it('binds the code to the allowed tools of the token that sent it', async () => {
    const { createHash } = await import('node:crypto')
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
    const { StreamableHTTPClientTransport } = await import(
      '@modelcontextprotocol/sdk/client/streamableHttp.js'
    )
    const token = `sha256:${createHash('sha256').update('narrow-token').digest('hex')}`
    const opened = await crib({ serve: { tokens: [{ name: 'narrow', token, allowedTools: 'math/*' }] } })
    const served = await serveCrib(opened, { port: 0, watch: false, expose: 'code' })
    onTestFinished(() => served.close(0))
    const client = new Client({ name: 'test', version: '1' })
    const headers = { authorization: 'Bearer narrow-token' }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(served.mcp), { requestInit: { headers } }) as never,
    )
    onTestFinished(() => client.close())
    const code = `const { sum } = await tools.math_add({ a: 1, b: 1 })
      try { await tools.boom(); return 'boom ran' } catch (error) { return [sum, error.code] }`
    expect(await client.callTool({ name: 'run_code', arguments: { code } })).toMatchObject({
      content: [{ text: '[2,"TOOL_NOT_ALLOWED"]' }],
    })
  })

  it('stops code that never ends when the client cancels', async () => {
    const opened = await crib()
    const client = await connect(opened, { expose: 'code' })
    let begin!: () => void
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    opened.addTool({ id: 'begin', fn: () => begin() })
    const gone = new AbortController()
    const code = 'await tools.begin(); for (;;);'
    const pending = client.callTool({ name: 'run_code', arguments: { code } }, undefined, {
      signal: gone.signal,
    })
    pending.catch(() => {})
    await begun
    gone.abort('enough')
    await expect(pending).rejects.toThrow()
    await expect.poll(() => opened.kernel.running.length, { timeout: 10_000 }).toBe(0)
    await expect.poll(() => opened.supervisor.running, { timeout: 10_000 }).toBe(0)
  })
})
