import { expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { type ServedCrib, type ServedCribOptions, servedCrib } from '../fixtures/served-crib.ts'
import type { Permit } from '../permit.ts'

const guest = 'g'.repeat(32)
const guestConfig = { serve: { tokens: [{ name: 'guest', token: 'env://GUEST', allowedTools: 'math/*' }] } }

async function shop(options: ServedCribOptions = {}): Promise<ServedCrib> {
  const served = await servedCrib({ env: { GUEST: guest }, ...options })
  served.crib.addTool({
    id: 'web/get',
    requires: ['net.http'],
    description: 'Fetches a page',
    fn: () => 'page',
  })
  served.crib.addTool({
    id: 'math/add',
    params: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    fn: (params) => params,
  })
  served.crib.addTool({ id: 'danger/erase', params: { type: 'object' }, fn: () => 'gone' })
  return served
}

const stop = ({ stops }: Permit, name: string) => stops.find((each) => each.name === name)!

it('tells every guard of a call before it is made, and what would open the one that stops', async () => {
  verifies('V19')
  const served = await shop({ config: { approve: ['danger/*'] } })
  const { body } = await served.ask('GET', '/api/tools/web/get/why')
  expect(body.isOpen).toBe(false)
  expect(stop(body, 'grants')).toMatchObject({
    verdict: 'stops',
    refusals: [{ code: 'CAPABILITY_DENIED', fix: { kind: 'grant', names: ['net.http'] } }],
  })
  expect(stop(body, 'params').verdict).toBe('passes')
  expect(body.fence.profile.network).toEqual({ mode: 'none' })
  const asked = await served.ask('GET', '/api/tools/danger/erase/why')
  expect(stop(asked.body, 'approve').verdict).toBe('waits')
})

it('judges arguments only where they are given', async () => {
  verifies('V19')
  const served = await shop()
  expect((await served.ask('GET', '/api/tools/math/add/why')).body.isOpen).toBe(true)
  const wrong = await served.ask('GET', `/api/tools/math/add/why?params=${encodeURIComponent('{"a":"x"}')}`)
  expect(stop(wrong.body, 'params')).toMatchObject({
    verdict: 'stops',
    refusals: [{ code: 'PARAMS_INVALID' }],
  })
  expect((await served.ask('GET', '/api/tools/math/add/why?params={')).status).toBe(400)
})

it('hides from a narrowed token what it may not see', async () => {
  verifies('V19', 'V20')
  const served = await shop({ config: guestConfig })
  const as = { token: guest }
  expect((await served.ask('GET', '/api/tools/web/get/why', undefined, as)).status).toBe(404)
  const call = await served.ask('POST', '/api/tools/math/add/call', { params: { a: 1 } })
  expect((await served.ask('GET', `/api/threads/${call.body.runId}`, undefined, as)).status).toBe(404)
  const found = await served.ask('GET', '/api/search?q=fetches', undefined, as)
  expect(found.body).toEqual({ tools: [], runs: [], events: [] })
  for (const path of ['/api/console/inbox', '/api/wiring', '/api/review/math/add', '/api/connect'])
    expect((await served.ask('GET', path, undefined, as)).status).toBe(403)
})

it('finds tools, runs and events by a word', async () => {
  verifies('V7')
  const served = await shop()
  await served.ask('POST', '/api/tools/math/add/call', { params: { a: 1 } })
  await served.crib.crumbs.create({ title: 'The sum of add', tags: [], context: {} })
  const { body } = await served.ask('GET', '/api/search?q=add')
  expect(body.tools[0].id).toBe('math/add')
  expect(body.runs.map(({ tool }: { tool: string }) => tool)).toEqual(['math/add'])
  expect(body.events.map(({ title }: { title: string }) => title)).toEqual(['The sum of add'])
})

it('tells a run with what it called as one thread, from any member', async () => {
  verifies('V20')
  const served = await shop()
  const { crib } = served
  let inner = ''
  crib.addTool({
    id: 'math/twice',
    fn: async () => {
      const [parent] = crib.kernel.running
      const outcome = await crib.kernel.invoke(
        'math/add',
        { a: 1 },
        { principal: parent!.asPrincipal, parent: parent! },
      )
      inner = outcome.runId
      return 'twice'
    },
  })
  const { runId } = (await served.ask('POST', '/api/tools/math/twice/call', {})).body
  for (const member of [runId, inner]) {
    const { body } = await served.ask('GET', `/api/threads/${member}`)
    expect(body.member).toBe(`run:${member}`)
    expect(body.nodes).toMatchObject([
      { title: 'math/twice', parent: null },
      { title: 'math/add', parent: `run:${runId}` },
    ])
  }
})

it('lists what waits for a person, approvals first, with what was decided before', async () => {
  verifies('V15')
  const served = await shop({ config: { approve: ['danger/*'], audit: { params: 'full' } } })
  const decide = async (decision: string) => {
    const call = served.crib.call('danger/erase', { n: 1 })
    await expect.poll(() => served.crib.approvals.pending.length).toBe(1)
    await served.ask('POST', `/api/approvals/${served.crib.approvals.pending[0]!.id}`, {
      decision,
      reason: 'because',
    })
    return call
  }
  await decide('approve')
  await decide('deny')
  const call = served.crib.call('danger/erase', { n: 2 })
  await expect.poll(() => served.crib.approvals.pending.length).toBe(1)
  const { body } = await served.ask('GET', '/api/console/inbox')
  expect(body.items[0]).toMatchObject({
    kind: 'approval',
    tool: 'danger/erase',
    approval: { params: { n: 2 } },
    lastParams: { n: 1 },
    decisions: [{ isApproved: false }, { isApproved: true, what: 'approved by operator' }],
  })
  await served.ask('POST', `/api/approvals/${body.items[0].id}`, { decision: 'approve' })
  expect((await call).ok).toBe(true)
})

it('tells the second of two who decide one approval that it is decided', async () => {
  verifies('V15')
  const served = await shop({ config: { approve: ['danger/*'] } })
  const call = served.crib.call('danger/erase', {})
  await expect.poll(() => served.crib.approvals.pending.length).toBe(1)
  const { id } = served.crib.approvals.pending[0]!
  const answers = await Promise.all(
    ['approve', 'deny'].map((decision) => served.ask('POST', `/api/approvals/${id}`, { decision })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
  await call
})

it('makes a token, which works, and takes it away, after which it does not', async () => {
  verifies('V16')
  const served = await shop()
  const made = await served.ask('POST', '/api/tokens', { name: 'cursor', allowedTools: 'math/*' })
  expect(made.status).toBe(201)
  const as = { token: made.body.token as string }
  expect((await served.ask('GET', '/api/console/info', undefined, as)).body).toMatchObject({
    name: 'cursor',
    isAdmin: false,
  })
  expect((await served.ask('POST', '/api/tokens', { name: 'x' }, as)).status).toBe(403)
  expect(
    (await served.ask('POST', '/api/tokens', { name: 'y', expiresAt: '2001-01-01T00:00:00Z' })).status,
  ).toBe(400)
  expect((await served.ask('DELETE', '/api/tokens/cursor')).status).toBe(200)
  expect((await served.ask('GET', '/api/console/info', undefined, as)).status).toBe(401)
})

it('gives every client its block, with the address of this server', async () => {
  verifies('V16')
  const served = await shop()
  const { body } = await served.ask('GET', '/api/connect')
  expect(body.url).toBe(`${served.url}/mcp`)
  const cursor = body.clients.find(({ name }: { name: string }) => name === 'cursor')
  expect(JSON.parse(cursor.http.block).mcpServers.toolcrib.url).toBe(`${served.url}/mcp`)
  expect(body.clients.map(({ name }: { name: string }) => name)).toContain('claude-code')
})

it('tells what a tool may touch and who can reach it', async () => {
  verifies('V21')
  const served = await shop({ config: guestConfig })
  await served.ask('POST', '/api/tools/math/add/call', { params: { a: 1 } })
  const { body } = await served.ask('GET', '/api/review/math/add')
  expect(body).toMatchObject({ tool: 'math/add', risk: 'none', changes: [], reach: { runs: 1, failed: 0 } })
  expect(body.reach.tokens).toEqual(['operator', 'guest'])
  expect(body.reach.callers).toEqual([{ name: 'operator', count: 1 }])
})
