// Offers: named selections of tools for clients, chosen by flag, by address and by token.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { findDeno } from '../../config/find-deno.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { asTool, makePrincipal } from '../../tool/principal.ts'
import { servedCrib } from '../http/fixtures/served-crib.ts'
import { connect } from './fixtures/connect.ts'

const offers = {
  work: { tools: ['notes_*', '#mail'], rename: { notes_read: 'read', 'mail/send': 'send' } },
  finder: { tools: ['notes/**'], expose: 'search', rename: { notes_read: 'read' } },
}

function addTools(crib: Crib): void {
  for (const [id, tags] of [
    ['notes/read', []],
    ['notes/add', []],
    ['mail/send', ['mail']],
    ['math/add', []],
  ] as const)
    crib.addTool({ id, description: `Does ${id}`, tags: [...tags], fn: () => ({ did: id }) })
}

async function crib(config: { [key: string]: unknown } = { offers }): Promise<Crib> {
  const root = tempFolder()
  const opened = await openCrib({ root, env: { HOME: root }, config })
  onTestFinished(() => opened.close())
  addTools(opened)
  return opened
}

function hasDeno(): boolean {
  try {
    return Boolean(findDeno({ configured: null }))
  } catch {
    console.warn('an offer with --expose code is not tested: there is no Deno on this machine.')
    return false
  }
}

const namesOf = async (client: { listTools(): Promise<{ tools: { name: string }[] }> }) =>
  (await client.listTools()).tools.map((tool) => tool.name)

async function connectHttp(url: string, token: string) {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

describe('an offer on the standard streams', () => {
  it('lists what its patterns name, under the names it gives', async () => {
    verifies('D18')
    const client = await connect(await crib(), { offer: 'work' })
    expect(await namesOf(client)).toEqual(['send', 'notes_add', 'read'])
    expect(await client.callTool({ name: 'read', arguments: {} })).toMatchObject({
      structuredContent: { did: 'notes/read' },
    })
  })

  it('knows no tool besides, whatever its name', async () => {
    verifies('D18')
    const client = await connect(await crib(), { offer: 'work' })
    for (const name of ['math_add', 'math/add', 'builtin:math/add'])
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`There is no tool "${name}"`)
  })

  it('says how its tools are found, and searches only those', async () => {
    verifies('D18')
    const client = await connect(await crib(), { offer: 'finder' })
    expect(await namesOf(client)).toEqual(['search_tools', 'describe_tool', 'call_tool'])
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'add read' } })
    const { tools } = found.structuredContent as { tools: { name: string }[] }
    expect(tools.map((tool) => tool.name).sort()).toEqual(['notes_add', 'read'])
    const called = { name: 'call_tool', arguments: { name: 'read', params: {} } }
    expect(await client.callTool(called)).toMatchObject({ structuredContent: { did: 'notes/read' } })
    const outside = { name: 'call_tool', arguments: { name: 'math_add', params: {} } }
    expect(await client.callTool(outside)).toMatchObject({ isError: true })
  })

  it('is refused when there is none of that name', async () => {
    const opened = await crib()
    await expect(connect(opened, { offer: 'wrok' })).rejects.toMatchObject({
      code: 'OFFER_NOT_FOUND',
      hint: 'Did you mean "work"?',
    })
  })
})

describe.skipIf(!hasDeno())('an offer that a model writes code for', () => {
  it('is called by the new names, and nothing besides can be called', async () => {
    verifies('D18')
    const client = await connect(await crib(), { offer: 'work', expose: 'code' })
    const run = (code: string) => client.callTool({ name: 'run_code', arguments: { code } })
    expect(await run('return await tools.read({})')).toMatchObject({
      structuredContent: { did: 'notes/read' },
    })
    expect(await run('return await tools.math_add({})')).toMatchObject({ isError: true })
  }, 60_000)
})

describe('an offer over HTTP', () => {
  it('has an address of its own', async () => {
    verifies('D18')
    const served = await servedCrib({ config: { offers } })
    addTools(served.crib)
    const client = await connectHttp(`${served.url}/mcp/work`, served.token)
    expect(await namesOf(client)).toEqual(['send', 'notes_add', 'read'])
    const all = await connectHttp(`${served.url}/mcp`, served.token)
    expect(await namesOf(all)).toContain('math_add')
    const wrong = await served.ask('POST', '/mcp/wrok', {})
    expect(wrong).toMatchObject({ status: 404, body: { code: 'OFFER_NOT_FOUND' } })
  })

  it('binds a token that was made for it, on every path', async () => {
    verifies('D18')
    const served = await servedCrib({ config: { offers } })
    addTools(served.crib)
    const made = await served.ask('POST', '/api/tokens', { name: 'agent', offer: 'work' })
    const { token } = made.body
    const client = await connectHttp(`${served.url}/mcp`, token)
    expect(await namesOf(client)).toEqual(['send', 'notes_add', 'read'])
    const as = { token }
    expect((await served.ask('POST', '/mcp/finder', {}, as)).status).toBe(403)
    const tools = (await served.ask('GET', '/api/tools', undefined, as)).body.tools
    expect(tools.map((tool: { id: string }) => tool.id)).toEqual(['mail/send', 'notes/add', 'notes/read'])
    expect((await served.ask('POST', '/api/tools/math%2Fadd/call', { params: {} }, as)).status).toBe(403)
    const listed = (await served.ask('GET', '/api/tokens')).body.tokens
    expect(listed).toContainEqual(expect.objectContaining({ name: 'agent', offer: 'work' }))
    expect(await served.ask('POST', '/api/tokens', { name: 'b', offer: 'wrok' })).toMatchObject({
      status: 404,
      body: { code: 'OFFER_NOT_FOUND' },
    })
  })
})

describe('calls', () => {
  it('of a tool outside the offer are denied, those that an offered tool makes are not', async () => {
    verifies('D18')
    const opened = await crib()
    const principal = makePrincipal({ surface: 'http', offer: { name: 'work', tools: ['outer'] } })
    const outer = asTool(principal, 'outer', 'run', undefined)
    expect(await opened.call('math/add', {}, { principal: outer })).toMatchObject({ ok: true })
    expect(await opened.call('math/add', {}, { principal })).toMatchObject({
      ok: false,
      error: { code: 'TOOL_DENIED', message: expect.stringContaining('offer "work"') },
    })
  })
})

describe('system: false', () => {
  it('leaves the tools that ship out of every list; a call by name still finds them', async () => {
    verifies('D18')
    const shipped = (await crib({})).list().filter((tool) => tool.tier === 'system')
    expect(shipped.length).toBeGreaterThan(0)
    const opened = await crib({ system: false })
    expect(opened.list().map((tool) => tool.id)).toEqual(['mail/send', 'math/add', 'notes/add', 'notes/read'])
    expect(opened.find(shipped[0]!.id).id).toBe(shipped[0]!.id)
  })
})
