import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { toolDocument } from '../../../formats/tool-code/fixture.ts'
import { servedCrib } from '../fixtures/served-crib.ts'

it('a damaged store is 503 with what to do; tools that need none of it go on', async () => {
  verifies('C113')
  const crib = await servedCrib({
    files: {
      '.toolcrib/crib.db': 'no database at all '.repeat(500),
      'crumbs/adder.json': JSON.stringify(toolDocument()),
    },
  })
  crib.crib.addTool({ id: 'plain', fn: () => 'works' })
  for (const path of [
    '/breadcrumbs',
    '/breadcrumbs/x',
    '/events/stream',
    '/secrets',
    '/api/automation',
    '/api/runs',
  ])
    expect(await crib.ask('GET', path)).toMatchObject({
      status: 503,
      body: { code: 'STORE_CORRUPT', hint: expect.stringContaining('backup') },
    })
  expect((await crib.ask('POST', '/api/tools/plain/call', {})).body).toMatchObject({
    ok: true,
    value: 'works',
  })
  expect(await crib.ask('POST', '/api/tools/adder/call', { params: { a: 1 } })).toMatchObject({
    status: 503,
    body: { ok: false, error: { code: 'STORE_UNAVAILABLE', hint: expect.any(String) } },
  })
})

it('a secret a tool throws or logs is in no event, list, search, letter or run', async () => {
  verifies('C56', 'C117')
  const value = 'correct-horse-battery-staple'
  const source = `export const execute = (_, { secrets, log }) => {
    log.warn('using ' + secrets.KEY)
    throw new Error('refused: ' + secrets.KEY)
  }`
  const crib = await servedCrib({
    files: {
      'crumbs/adder.json': JSON.stringify(
        toolDocument({
          code: { language: 'javascript', source },
          input_schema: {},
          required_secrets: ['KEY'],
          subscriptions: [{ schema_name: 'go.v1' }],
          examples: [],
        }),
      ),
    },
  })
  await crib.ask('POST', '/secrets', { name: 'KEY', value })
  await crib.ask('POST', '/breadcrumbs', { title: 'go', schema_name: 'go.v1' })
  const letters = async () => (await crib.ask('GET', '/breadcrumbs?schema_name=tool.error.v1')).body
  await expect.poll(async () => (await letters()).length, { timeout: 30_000 }).toBe(1)
  expect((await letters())[0].context.message).toBe('refused: [secret:KEY]')
  const { runs } = (await crib.ask('GET', '/api/runs?surface=event')).body
  const { events } = await crib.crib.crumbs.store()
  const everything = [
    await letters(),
    (await crib.ask('GET', `/api/runs/${runs[0].runId}`)).body,
    (await crib.ask('GET', '/breadcrumbs?limit=1000')).body,
    (await crib.ask('GET', `/breadcrumbs/search?q=${value}`)).body.map((item: object) => ({
      ...item,
      score: 0,
    })),
    await events.after({ after: 0, limit: 1000 }),
  ]
  expect(JSON.stringify(everything)).not.toContain(value)
})

describe('a balancer without a token', () => {
  const look = async (url: string) => {
    const answer = await fetch(`${url}/healthz?ready`)
    return { status: answer.status, body: (await answer.json()) as { [key: string]: unknown } }
  }

  it('sees that a node takes requests', async () => {
    const crib = await servedCrib({})
    expect(await look(crib.url)).toMatchObject({ status: 200, body: { ok: true } })
  })

  it('sees that one with a broken store does not, and not why', async () => {
    const crib = await servedCrib({ files: { '.toolcrib/crib.db': 'no database at all '.repeat(500) } })
    const { status, body } = await look(crib.url)
    expect(status).toBe(503)
    expect(body).toMatchObject({ code: 'NOT_READY' })
    expect(JSON.stringify(body)).not.toContain('crib.db')
    expect((await fetch(`${crib.url}/healthz`)).status).toBe(200)
    expect((await crib.ask('GET', '/readyz')).body.detail).toContain('crib.db')
  })
})
