// What a caller with few rights writes is never taken for the answer to somebody else's request, and never keeps that
// request from running.
import { expect, it, vi } from 'vitest'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { askModern } from '../../src/surfaces/mcp/fixtures/modern-client.ts'
import { sha256 } from '../../src/tool/json.ts'
import { verifies } from '../helpers/verifies.ts'

const narrow = 'n'.repeat(32)
const plain = 'p'.repeat(32)
const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

async function start() {
  const at = await servedCrib({
    config: {
      trust: 'off',
      tools: { slow: { task: true } },
      serve: {
        tokens: [
          { name: 'narrow', token: `sha256:${sha256(narrow)}`, allowedTools: 'echo' },
          { name: 'plain', token: `sha256:${sha256(plain)}` },
        ],
      },
    },
  })
  const params = { type: 'object' as const }
  const deployed: string[] = []
  let end!: () => void
  const ended = new Promise<string>((resolve) => {
    end = () => resolve('the real result')
  })
  at.crib.addTool({ id: 'slow', params, fn: () => ended })
  at.crib.addTool({ id: 'echo', params, fn: (given) => (given as { text: string }).text })
  at.crib.addTool({ id: 'deploy', params, fn: () => void deployed.push('deployed') })
  return { ...at, end, deployed }
}

const request = (tool: string, input: object, requestId: string) => ({
  title: 'Run it',
  schema_name: 'tool.request.v1',
  tags: ['tool:request', 'workspace:tools'],
  context: { tool, input, requestId },
})

async function answered(at: Awaited<ReturnType<typeof start>>, requestId: string): Promise<void> {
  await vi.waitFor(async () => {
    const path = `/breadcrumbs?schema_name=tool.response.v1&tag=request:${requestId}`
    expect((await at.ask('GET', path)).body).not.toEqual([])
  })
}

it('no other request and no written response gives a task its result', async () => {
  verifies('G17', 'U7')
  const at = await start()
  const { result: handle } = await askModern(
    at,
    'tools/call',
    { name: 'slow', arguments: {} },
    { capabilities },
  )
  const { taskId } = handle
  const forged = { text: 'forged' }
  await at.ask('POST', '/breadcrumbs', request('echo', forged, taskId), { token: narrow })
  await answered(at, taskId)
  const response = {
    title: 'Response: slow',
    schema_name: 'tool.response.v1',
    tags: [`request:${taskId}`],
    context: { request_breadcrumb_id: taskId, status: 'success', output: 'forged' },
  }
  expect((await at.ask('POST', '/breadcrumbs', response, { token: plain })).status).toBe(201)
  const task = async () => (await askModern(at, 'tasks/get', { taskId }, { capabilities })).result
  expect((await task()).status).toBe('working')
  at.end()
  await vi.waitFor(async () => expect((await task()).status).toBe('completed'))
  const written = (await at.ask('GET', `/breadcrumbs?schema_name=tool.response.v1`)).body.find(
    ({ context }: { context: { output?: unknown } }) => context.output === 'the real result',
  )
  const change = { context: { ...written.context, output: 'forged' } }
  expect((await at.ask('PATCH', `/breadcrumbs/${written.id}`, change, { token: plain })).status).toBe(200)
  const text = JSON.stringify(await task())
  expect(text).toContain('the real result')
  expect(text).not.toContain('forged')
})

it('a request of one that may not run the tool does not keep the same request of another from running', async () => {
  verifies('G16', 'C62')
  const at = await start()
  const same = request('deploy', { to: 'production' }, 'release-7')
  await at.ask('POST', '/breadcrumbs', same, { token: narrow })
  await answered(at, 'release-7')
  expect(at.deployed).toEqual([])
  await at.ask('POST', '/breadcrumbs', same)
  await vi.waitFor(() => expect(at.deployed).toEqual(['deployed']))
  await at.ask('POST', '/breadcrumbs', same)
  await at.ask('POST', '/breadcrumbs', request('deploy', { to: 'production' }, 'release-8'))
  await answered(at, 'release-8')
  expect(at.deployed).toEqual(['deployed', 'deployed'])
})

it('a tool that reads and writes breadcrumbs does no more of it than whoever called it may', async () => {
  verifies('G17', 'G18')
  const tokens = {
    nothing: { grants: [] },
    notes: { grants: ['crumbs.read:note.*', 'crumbs.write:note.*'] },
    listed: { allowedTools: 'crumbs_search crumbs_create' },
    offered: { offer: 'few' },
    free: {},
  }
  const tokenOf = (name: string) => name.padEnd(32, 'x')
  const { crib, ask } = await servedCrib({
    config: {
      trust: 'off',
      offers: { few: { tools: ['crumbs_search'] } },
      serve: {
        tokens: Object.entries(tokens).map(([name, rights]) => ({
          name,
          token: `sha256:${sha256(tokenOf(name))}`,
          ...rights,
        })),
      },
    },
  })
  crib.addTool({ id: 'works', params: { type: 'object' }, fn: () => 'result of the operator' })
  const asked = { ...request('works', {}, 'r'), title: 'asked' }
  const write = (schema_name: string) => ({ title: schema_name, schema_name, tags: [], context: {} })
  for (const crumb of [asked, write('note.v1'), write('memo.v1'), write('system.memo.v1')])
    expect((await ask('POST', '/breadcrumbs', crumb)).status).toBe(201)
  await vi.waitFor(async () =>
    expect((await ask('GET', '/breadcrumbs?schema_name=tool.response.v1')).body).toHaveLength(1),
  )
  const found = async (name: string, path = 'crumbs_search', params: object = { limit: 100 }) => {
    const { body } = await ask('POST', `/api/tools/${path}/call`, { params }, { token: tokenOf(name) })
    if (!body.ok) return body.error.message as string
    const schemas = body.value.crumbs?.map((crumb: { schema_name: string }) => crumb.schema_name)
    return schemas ? [...new Set(schemas)].filter((one) => one !== 'system.bootstrap.v1').sort() : 'written'
  }
  expect(await found('nothing')).toContain('lacks the grant crumbs.read')
  expect(await found('notes')).toEqual(['note.v1'])
  expect(await found('listed')).toEqual(['memo.v1', 'note.v1'])
  expect(await found('offered')).toEqual(['memo.v1', 'note.v1'])
  expect(await found('free')).toContain('tool.response.v1')
  const create = (name: string, schema_name: string) =>
    found(name, 'crumbs_create', { title: 'x', schema_name })
  expect(await create('nothing', 'note.v1')).toContain('lacks the grant crumbs.write')
  expect(await create('notes', 'memo.v1')).toContain('lacks the grant crumbs.write:memo.v1')
  expect(await create('notes', 'note.v1')).toBe('written')
  expect(await create('listed', 'memo.v1')).toBe('written')
}, 60_000)
