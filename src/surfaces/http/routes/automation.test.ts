import { expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { toolDocument } from '../../../formats/tool-code/fixture.ts'
import { servedCrib } from '../fixtures/served-crib.ts'

function reacting(name: string, on: string, write: string): string {
  const source = `export const execute = async (_, { api }) => {
    await api.createBreadcrumb({ title: '${write}', schema_name: '${write}', context: {} })
    return {}
  }`
  return JSON.stringify(
    toolDocument({
      name,
      code: { language: 'javascript', source },
      input_schema: {},
      output_schema: {},
      examples: [],
      permissions: { breadcrumbs: { read: [], write: [write] } },
      subscriptions: [{ schema_name: on }],
    }),
  )
}

const pipeline = {
  'crumbs/first.json': reacting('first', 'start.v1', 'middle.v1'),
  'crumbs/second.json': reacting('second', 'middle.v1', 'end.v1'),
}

it('automation tells what started, when schedules fire and how far subscriptions are', async () => {
  verifies('C85')
  const crib = await servedCrib({
    files: {
      ...pipeline,
      'crumbs/daily.json': JSON.stringify({
        schema_name: 'schedule.definition.v1',
        title: 'Daily',
        context: { interval: { type: 'daily', time: '09:00', timezone: 'Europe/Paris' } },
      }),
      'crumbs/off.json': JSON.stringify({
        schema_name: 'schedule.definition.v1',
        title: 'Off',
        context: { interval: { type: 'minutely' }, enabled: false },
      }),
      'crumbs/once.json': JSON.stringify(
        toolDocument({ name: 'once', bootstrap: { enabled: true, mode: 'once', input: { a: 1 } } }),
      ),
    },
  })
  await expect
    .poll(async () => (await crib.ask('GET', '/api/automation')).body.bootstrap.report?.finished_at, {
      timeout: 30_000,
    })
    .toEqual(expect.any(String))
  const { body } = await crib.ask('GET', '/api/automation')
  expect(body).toMatchObject({
    isRunning: true,
    bootstrap: {
      isEnabled: true,
      report: { order: ['once'], tools: [{ name: 'once', status: 'succeeded' }] },
    },
    services: [],
    schedules: { engine: 'builtin' },
    requests: { waiting: 0, claimed: 0 },
  })
  const daily = body.schedules.items.find(({ title }: { title: string }) => title === 'Daily')
  expect(Date.parse(daily.nextAt)).toBeGreaterThan(Date.now())
  expect(body.schedules.items).toContainEqual(
    expect.objectContaining({ title: 'Off', enabled: false, nextAt: null }),
  )
  expect(body.subscriptions).toMatchObject([
    { tool: 'first', on: [{ schema_name: 'start.v1' }], lag: 0, isHere: true },
    { tool: 'second', lag: 0 },
  ])
})

it('causation shows which breadcrumb triggered which run and what that wrote', async () => {
  verifies('C68', 'C73')
  const crib = await servedCrib({ files: pipeline })
  const { id } = (await crib.ask('POST', '/breadcrumbs', { title: 's', schema_name: 'start.v1' })).body
  const end = () => crib.ask('GET', '/breadcrumbs?schema_name=end.v1')
  await expect.poll(async () => (await end()).body.length, { timeout: 30_000 }).toBe(1)
  // The end is written while its run still goes on; the graph is whole when that run is recorded.
  const graph = async () => (await crib.ask('GET', `/api/crumbs/${id}/causation`)).body
  await expect.poll(async () => (await graph()).edges?.length, { timeout: 30_000 }).toBe(4)
  const { nodes, edges, isCut } = await graph()
  const nameOf = (node: { kind: string; schema_name?: string; tool?: string }) =>
    node.kind === 'crumb' ? node.schema_name : node.tool
  const names = new Map(nodes.map((node: { id: string; kind: string }) => [node.id, nameOf(node)]))
  expect(
    edges.map(({ from, to, kind }: { from: string; to: string; kind: string }) => [
      names.get(from),
      kind,
      names.get(to),
    ]),
  ).toEqual([
    ['start.v1', 'triggered', 'first'],
    ['first', 'wrote', 'middle.v1'],
    ['middle.v1', 'triggered', 'second'],
    ['second', 'wrote', 'end.v1'],
  ])
  expect(isCut).toBe(false)
  const [ended] = (await end()).body
  expect((await crib.ask('GET', `/api/crumbs/${ended.id}/causation`)).body.edges).toEqual(edges)
})

it('two tools that trigger each other stop at the guard, with a letter that says why', async () => {
  verifies('C73', 'C-case-41')
  const crib = await servedCrib({
    files: {
      'crumbs/ping.json': reacting('ping', 'ping.v1', 'pong.v1'),
      'crumbs/pong.json': reacting('pong', 'pong.v1', 'ping.v1'),
    },
  })
  const { id } = (await crib.ask('POST', '/breadcrumbs', { title: 'go', schema_name: 'ping.v1' })).body
  const letters = async () => (await crib.ask('GET', '/breadcrumbs?schema_name=tool.error.v1')).body
  await expect.poll(async () => (await letters()).length, { timeout: 30_000 }).toBe(1)
  expect((await letters())[0].context).toMatchObject({
    code: 'LOOP_DEPTH',
    tool: 'ping',
    message: expect.stringContaining('8 runs lie between'),
  })
  await expect
    .poll(async () => (await crib.ask('GET', '/api/automation')).body.subscriptions, { timeout: 30_000 })
    .toMatchObject([{ lag: 0 }, { lag: 0 }])
  expect((await crib.ask('GET', '/api/runs?surface=event')).body.runs).toHaveLength(8)
  expect(await letters()).toHaveLength(1)
  const { nodes } = (await crib.ask('GET', `/api/crumbs/${id}/causation`)).body
  expect(nodes.filter((node: { kind: string; ok?: boolean }) => node.kind === 'run' && node.ok)).toHaveLength(
    8,
  )
  expect(nodes).toContainEqual(expect.objectContaining({ schema_name: 'tool.error.v1' }))
})

it('runs are filtered and paged, and tell what triggered them', async () => {
  const crib = await servedCrib({ files: pipeline })
  const before = new Date().toISOString()
  for (let n = 0; n < 3; n++) await crib.ask('POST', '/api/tools/first/call', { params: {} })
  await crib.ask('POST', '/breadcrumbs', { title: 's', schema_name: 'start.v1' })
  await expect
    .poll(async () => (await crib.ask('GET', '/api/runs?tool=first&surface=event')).body.runs.length, {
      timeout: 30_000,
    })
    .toBe(1)
  const pages: string[][] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const path: string = `/api/runs?tool=first&surface=http&limit=2&since=${before}${next ? `&cursor=${next}` : ''}`
    const page: { runs: { runId: string }[]; next?: string } = (await crib.ask('GET', path)).body
    pages.push(page.runs.map(({ runId }) => runId))
    next = page.next
  }
  expect(pages.map((page) => page.length)).toEqual([2, 1])
  expect(new Set(pages.flat()).size).toBe(3)
  const [byEvent] = (await crib.ask('GET', '/api/runs?tool=first&surface=event')).body.runs
  expect(byEvent).toMatchObject({ ok: true, trigger: { schema: 'start.v1', event: expect.any(String) } })
  const detail = await crib.ask('GET', `/api/runs/${byEvent.runId}`)
  expect(detail.body).toMatchObject({ params: {}, outcome: { ok: true }, spans: expect.any(Array) })
  const later = new Date(Date.now() + 60_000).toISOString()
  expect((await crib.ask('GET', `/api/runs?since=${later}`)).body.runs).toEqual([])
  for (const query of ['since=yesterday', 'ok=maybe', 'limit=0', 'cursor=x'])
    expect([query, (await crib.ask('GET', `/api/runs?${query}`)).status]).toEqual([query, 400])
})

it('the OpenAPI document tells of all of it', async () => {
  const crib = await servedCrib()
  const { paths, components } = (await crib.ask('GET', '/openapi.json')).body
  for (const path of [
    '/breadcrumbs',
    '/breadcrumbs/{id}/history',
    '/events/stream',
    '/secrets/{id}/decrypt',
    '/api/automation',
  ])
    expect(Object.keys(paths)).toContain(path)
  const refs = [...JSON.stringify(paths).matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1]!)
  expect(refs.filter((name) => !(name in components.schemas))).toEqual([])
})

it('fires, pauses and resumes a schedule for an admin, and nobody else', async () => {
  verifies('V14')
  const definition = {
    schema_name: 'schedule.definition.v1',
    title: 'Daily',
    context: { interval: { type: 'daily', time: '09:00' } },
  }
  const { ask } = await servedCrib({ files: { 'crumbs/daily.json': JSON.stringify(definition) } })
  const schedule = async () => (await ask('GET', '/api/automation')).body.schedules.items[0]
  const { id, next } = await schedule()
  expect(next).toHaveLength(5)
  const { body } = await ask('POST', `/api/schedules/${id}/run`)
  expect((await ask('GET', `/breadcrumbs/${body.tick}`)).body).toMatchObject({
    schema_name: 'schedule.tick.v1',
  })
  expect((await ask('POST', `/api/schedules/${id}/pause`)).body).toEqual({ schedule: id, enabled: false })
  expect((await schedule()).enabled).toBe(false)
  expect((await ask('POST', `/api/schedules/${id}/resume`)).body).toEqual({ schedule: id, enabled: true })
  const { token } = (await ask('POST', '/api/tokens', { name: 'guest' })).body
  for (const word of ['run', 'pause', 'resume'])
    expect((await ask('POST', `/api/schedules/${id}/${word}`, undefined, { token })).status).toBe(403)
  expect((await ask('POST', `/api/schedules/${body.tick}/run`)).status).toBe(404)
  const facets = (await ask('GET', '/api/console/event-facets')).body
  expect(facets.schemas).toContainEqual({ value: 'schedule.tick.v1', count: 1 })
})
