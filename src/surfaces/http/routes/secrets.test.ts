import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { servedCrib } from '../fixtures/served-crib.ts'

const value = 'hunter2-hunter2-hunter2'

it('are stored, replaced and deleted; lists never hold a value', async () => {
  verifies('C111', 'C117')
  const crib = await servedCrib()
  const created = await crib.ask('POST', '/secrets', { name: 'API_KEY', value })
  expect(created.status).toBe(201)
  const { id } = created.body
  expect(await crib.ask('POST', '/secrets', { name: 'API_KEY', value })).toMatchObject({
    status: 409,
    body: { code: 'SECRET_EXISTS' },
  })
  const scoped = { name: 'API_KEY', value, scope_type: 'tool', scope_id: 'calculator' }
  expect((await crib.ask('POST', '/secrets', scoped)).status).toBe(201)
  const listed = await crib.ask('GET', '/secrets')
  expect(listed.body).toMatchObject([
    { name: 'API_KEY', scope_type: 'owner', scope_id: null },
    { name: 'API_KEY', scope_type: 'tool', scope_id: 'calculator' },
  ])
  expect(JSON.stringify(listed.body)).not.toContain(value)
  expect(listed.headers.get('cache-control')).toBe('no-store')
  expect((await crib.ask('PUT', `/secrets/${id}`, { value: 'another-value' })).status).toBe(200)
  expect(await crib.ask('POST', `/secrets/${id}/decrypt`, { reason: 'test' })).toMatchObject({
    status: 200,
    body: { value: 'another-value' },
  })
  expect((await crib.ask('DELETE', `/secrets/${id}`)).status).toBe(200)
  expect((await crib.ask('DELETE', `/secrets/${id}`)).status).toBe(404)
  expect((await crib.ask('PUT', '/secrets/none', { value })).status).toBe(404)
  for (const bad of [{}, { name: '1x', value }, { name: 'A' }, { name: 'A', value, scope_type: 'all' }])
    expect((await crib.ask('POST', '/secrets', bad)).status).toBe(422)
})

it('are revealed to an admin only, with a reason that is kept', async () => {
  verifies('C111', 'C117')
  const token = 'a-token-of-some-length'
  const digest = createHash('sha256').update(token).digest('hex')
  const crib = await servedCrib({
    config: { serve: { tokens: [{ name: 'plain', token: `sha256:${digest}` }] } },
  })
  const { id } = (await crib.ask('POST', '/secrets', { name: 'KEY', value })).body
  expect((await crib.ask('POST', `/secrets/${id}/decrypt`, {})).status).toBe(422)
  expect(await crib.ask('POST', `/secrets/${id}/decrypt`, { reason: 'look' }, { token })).toMatchObject({
    status: 403,
    body: { hint: expect.stringContaining('Use a token that may') },
  })
  expect((await crib.ask('POST', `/secrets/${id}/decrypt`, { reason: 'why not' })).body).toEqual({ value })
  await crib.crib.crumbs.runs.flush()
  const { runs } = await crib.crib.crumbs.store()
  const records = await runs.list({ limit: 10, kinds: ['secret'] })
  expect(records.map(({ ok, caller, reason }) => [ok, caller, reason])).toEqual([
    [true, 'operator', 'KEY: why not'],
    [false, 'plain', 'KEY: look'],
  ])
})

it('lie in no file of the crib in clear, and their key is for the owner alone', async () => {
  verifies('C117', 'C-case-60')
  const crib = await servedCrib()
  await crib.ask('POST', '/secrets', { name: 'KEY', value })
  const store = join(crib.root, '.toolcrib', 'crib.db')
  for (const file of [store, `${store}-wal`]) expect(readFileSync(file).includes(value)).toBe(false)
  expect(statSync(join(crib.root, '.config', 'toolcrib', 'secrets.key')).mode & 0o777).toBe(0o600)
})

it('a configured key that is missing is 503 and says what to do', async () => {
  verifies('C113', 'C117')
  const crib = await servedCrib({ config: { secrets: { file: 'nowhere.key' } } })
  expect(await crib.ask('POST', '/secrets', { name: 'KEY', value })).toMatchObject({
    status: 503,
    body: { code: 'SECRETS_KEY_MISSING', hint: expect.any(String) },
  })
})
