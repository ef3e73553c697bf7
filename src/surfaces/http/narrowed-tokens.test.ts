// What a narrowed token sees and may write, on every path that shows breadcrumbs, events and statistics.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { toolDocument } from '../../formats/tool-code/fixture.ts'
import { libraryPrincipal } from '../../tool/principal.ts'
import { type ServedCrib, servedCrib } from './fixtures/served-crib.ts'

const tokenOf = (name: string) => `tc_${name}_0123456789`
const entry = (name: string, more: object = {}) => ({
  name,
  token: `sha256:${createHash('sha256').update(tokenOf(name)).digest('hex')}`,
  ...more,
})

async function start(): Promise<ServedCrib> {
  const tokens = [
    entry('narrow', { allowedTools: 'mine' }),
    entry('scoped', { grants: ['crumbs.read', 'crumbs.write', 'crumbs.write:schedule.definition.v1'] }),
    entry('plain'),
    entry('boss', { admin: true }),
    entry('client', { offer: 'few' }),
  ]
  const offers = { few: { tools: ['mine'] } }
  const crib = await servedCrib({ config: { offers, serve: { tokens } } })
  for (const name of ['mine', 'other'])
    expect((await crib.ask('POST', '/breadcrumbs', toolDocument({ name }))).status).toBe(201)
  return crib
}

const as = (name: string) => ({ token: tokenOf(name) })
const request = (tool: string) => ({
  title: `Run ${tool}`,
  schema_name: 'tool.request.v1',
  tags: ['tool:request'],
  context: { tool, input: { secret: 'of the operator' } },
})

describe('a narrowed token', () => {
  it('sees tool breadcrumbs of its own requests and of the tools it may call only, on every path', async () => {
    verifies('G17')
    const crib = await start()
    const foreign = (await crib.ask('POST', '/breadcrumbs', request('other'))).body.id
    const own = (await crib.ask('POST', '/breadcrumbs', request('mine'), as('narrow'))).body.id
    const listed = (await crib.ask('GET', '/breadcrumbs?limit=1000', undefined, as('narrow'))).body
    const ids = listed.map((item: { id: string }) => item.id)
    expect(ids).toContain(own)
    expect(ids).not.toContain(foreign)
    const codes = listed.filter((item: { schema_name?: string }) => item.schema_name === 'tool.code.v1')
    expect(codes.map((item: { context: { name: string } }) => item.context.name)).toEqual(['mine'])
    for (const path of ['', '/full', '/history']) {
      expect((await crib.ask('GET', `/breadcrumbs/${own}${path}`, undefined, as('narrow'))).status).toBe(200)
      expect((await crib.ask('GET', `/breadcrumbs/${foreign}${path}`, undefined, as('narrow'))).status).toBe(
        404,
      )
    }
    const found = (await crib.ask('GET', '/breadcrumbs/search?q=operator&nn=100', undefined, as('narrow')))
      .body
    expect(found.map((item: { id: string }) => item.id)).not.toContain(foreign)
    for (const [method, path] of [
      ['POST', `/requests/${foreign}/retry`],
      ['DELETE', `/breadcrumbs/${foreign}`],
      ['GET', `/api/crumbs/${foreign}/causation`],
    ])
      expect((await crib.ask(method!, path!, undefined, as('narrow'))).status).toBe(404)
  })

  it('gets no events of others, and no statistics of all', async () => {
    verifies('G17')
    const crib = await start()
    const foreign = (await crib.ask('POST', '/breadcrumbs', request('other'))).body.id
    const own = (await crib.ask('POST', '/breadcrumbs', request('mine'), as('narrow'))).body.id
    const response = await fetch(`${crib.url}/events/stream?since=0`, {
      headers: { authorization: `Bearer ${tokenOf('narrow')}` },
    })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes(own)) text += (await reader.read()).value ?? ''
    await reader.cancel()
    expect(text).not.toContain(foreign)
    expect((await crib.ask('GET', '/metrics', undefined, as('narrow'))).status).toBe(403)
    expect((await crib.ask('GET', '/metrics', undefined, as('plain'))).status).toBe(200)
  })
})

describe('what steers the crib', () => {
  const schedule = {
    title: 's',
    schema_name: 'schedule.definition.v1',
    tags: [],
    context: { interval: { type: 'hourly' } },
  }
  const steering: [string, object][] = [
    ['tool.code.v1', toolDocument({ name: 'fresh' })],
    [
      'tool.config.v1',
      { title: 'c', schema_name: 'tool.config.v1', tags: [], context: { tool_name: 'mine', config: {} } },
    ],
    ['schedule.definition.v1', schedule],
    ['system.note.v1', { title: 'n', schema_name: 'system.note.v1', tags: [], context: {} }],
  ]

  it.each(steering)(
    '%s is written by admins, and by tokens with a grant that names it',
    async (schema, body) => {
      verifies('G18')
      const crib = await start()
      const statusAs = async (name: string) => (await crib.ask('POST', '/breadcrumbs', body, as(name))).status
      expect([await statusAs('plain'), await statusAs('narrow'), await statusAs('boss')]).toEqual([
        403, 403, 201,
      ])
      expect(await statusAs('scoped')).toBe(schema === 'schedule.definition.v1' ? 201 : 403)
    },
  )

  it('is not what a breadcrumb of another schema can be turned into', async () => {
    verifies('G18')
    const crib = await start()
    const note = { title: 'n', schema_name: 'note.v1', tags: [], context: { interval: { type: 'hourly' } } }
    const { id } = (await crib.ask('POST', '/breadcrumbs', note, as('plain'))).body
    const change = { schema_name: 'schedule.definition.v1' }
    expect((await crib.ask('PATCH', `/breadcrumbs/${id}`, change, as('plain'))).status).toBe(403)
  })
})

it('a token that was made for an offer reaches no breadcrumbs but those of its own requests', async () => {
  verifies('D18', 'G17')
  const crib = await start()
  const note = { title: 'Ours', schema_name: 'note.v1', context: { text: 'private' } }
  const { id } = (await crib.ask('POST', '/breadcrumbs', note)).body
  const ask = (method: string, path: string, body?: object) => crib.ask(method, path, body, as('client'))
  expect(JSON.stringify((await ask('GET', '/breadcrumbs')).body)).not.toContain('Ours')
  expect(JSON.stringify((await ask('GET', '/api/search?q=private')).body)).not.toContain('Ours')
  expect((await ask('GET', `/breadcrumbs/${id}`)).status).toBe(404)
  expect((await ask('POST', '/breadcrumbs', note)).status).toBe(403)
  for (const [method, body] of [['PATCH', { title: 'Theirs' }], ['DELETE']] as const)
    expect((await ask(method, `/breadcrumbs/${id}`, body)).status).toBeGreaterThanOrEqual(403)
  expect((await crib.ask('GET', `/breadcrumbs/${id}`)).body).toMatchObject({ title: 'Ours' })
  const own = await ask('POST', '/breadcrumbs', request('mine'))
  expect((await ask('GET', `/breadcrumbs/${own.body.id}`)).status).toBe(200)
})

it('is answered the same for a tool it may not see and for one that is not there, on every way to call one', async () => {
  verifies('G17')
  const tokens = [
    entry('narrow', { allowedTools: 'mine' }),
    entry('scoped', { grants: ['fs.read', 'crumbs.read', 'crumbs.write'] }),
    entry('client', { offer: 'few' }),
  ]
  const crib = await servedCrib({
    config: { grants: { default: ['net.http'] }, offers: { few: { tools: ['mine'] } }, serve: { tokens } },
  })
  const { crib: opened } = crib
  opened.addTool({ id: 'mine', fn: () => 'ran' })
  opened.addTool({ id: 'other', requires: ['net.http'], fn: () => 'ran' })
  const plain = (name: string, value: unknown) =>
    JSON.stringify(value)
      .replaceAll(name, 'NAME')
      .replaceAll(/"(runId|startedAt|id|created_at|updated_at)":"[^"]*"/g, '')
  for (const holder of ['narrow', 'scoped', 'client']) {
    const answers = async (name: string) => {
      const call = async (body: object, headers = {}) => {
        const path = `/api/tools/${name}/call`
        const { status, body: said } = await crib.ask('POST', path, body, { ...as(holder), headers })
        return [status, said]
      }
      const all = [
        await call({}),
        await call({ params: { a: 1 }, dryRun: true }),
        await call({}, { accept: 'text/event-stream' }),
        await call({}, { prefer: 'respond-async' }),
        await call({}, { 'idempotency-key': 'k' }),
        await crib.ask('GET', `/api/tools/${name}`, undefined, as(holder)),
        await crib.ask('GET', `/api/tools/${name}/why`, undefined, as(holder)),
        await crib.ask('GET', `/api/runs?tool=${name}`, undefined, as(holder)),
      ]
      return all.map((one) => plain(name, one))
    }
    const hidden = await answers('other')
    expect(hidden).toEqual(await answers('nope'))
    expect(hidden[0]).toMatch(/^\[403,.*_DENIED/)
    expect((await crib.ask('POST', '/api/tools/mine/call', {}, as(holder))).body).toMatchObject({ ok: true })

    const answered = async (tool: string) => {
      const { id } = (
        await crib.ask(
          'POST',
          '/breadcrumbs',
          { ...request(tool), tags: ['tool:request', 'workspace:tools'] },
          as(holder),
        )
      ).body
      const find = async () =>
        (await opened.crumbs.list({ schema: 'tool.response.v1', limit: 100 }, libraryPrincipal)).items.find(
          (item) => (item.context as { request_breadcrumb_id?: string }).request_breadcrumb_id === id,
        )
      await expect.poll(find, { timeout: 20_000 }).toBeDefined()
      const { error, error_code, error_details } = (await find())!.context as Record<string, unknown>
      return plain(tool, { error, error_code, error_details })
    }
    expect(await answered('other')).toEqual(await answered('nope'))
  }
}, 90_000)
