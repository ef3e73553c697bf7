// What one token can use up of the server has bounds of its own (G22).
import { expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { servedCrib } from './fixtures/served-crib.ts'
import { Idempotency } from './idempotency.ts'
import { RecentRuns } from './recent-runs.ts'

const other = 'b'.repeat(32)
const withOther = {
  config: { serve: { tokens: [{ name: 'other', token: 'env://OTHER' }] } },
  env: { OTHER: other },
}

it('a token opens so many event streams and no more, and another one still can', async () => {
  verifies('G22')
  const { url, token } = await servedCrib(withOther)
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const open = async (bearer: string) => {
    const response = await fetch(`${url}/events/stream`, {
      headers: { authorization: `Bearer ${bearer}` },
      signal: leave.signal,
    })
    return response.status
  }
  const first = await Promise.all(Array.from({ length: 32 }, () => open(token)))
  expect(new Set(first)).toEqual(new Set([200]))
  expect(await open(token)).toBe(429)
  expect(await open(other)).toBe(200)
})

it.each([
  ['deeply nested', `{"params":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'nested deeper'],
  ['of too many values', `{"params":{"list":[${'0,'.repeat(300_000)}0]}}`, 'more than 250000 values'],
  ['of too many keys', `{${Array.from({ length: 260_000 }, (_, i) => `"k${i}":1`).join(',')}}`, 'values'],
])('refuses a body %s before it is read', async (_, body, why) => {
  verifies('G22')
  const { ask } = await servedCrib()
  const answer = await ask('POST', '/breadcrumbs', body)
  expect(answer).toMatchObject({ status: 400, body: { code: 'BODY_INVALID' } })
  expect(answer.body.detail).toContain(why)
})

it('keeps so many bytes for the keys of one token, and lets the oldest of that token go', async () => {
  verifies('G22')
  const kept = new Idempotency<string>({
    entries: 100,
    entriesOfOwner: 50,
    bytesOfOwner: 2_500,
    bytes: 10_000,
  })
  let worked = 0
  const once = (owner: string, key: string) =>
    kept.once({ owner, tool: 't' }, key, {}, async () => {
      worked++
      return 'x'.repeat(1_000)
    })
  await once('ada', 'a')
  await once('bob', 'a')
  for (const key of ['b', 'c', 'd']) await once('ada', key)
  await Promise.resolve()
  worked = 0
  await once('bob', 'a')
  await once('ada', 'd')
  expect(worked).toBe(0)
  await once('ada', 'a')
  expect(worked).toBe(1)
})

it('keeps so many bytes for all tokens together', async () => {
  verifies('G22')
  const kept = new Idempotency<string>({
    entries: 100,
    entriesOfOwner: 50,
    bytesOfOwner: 2_500,
    bytes: 3_500,
  })
  let worked = 0
  const once = (owner: string) =>
    kept.once({ owner, tool: 't' }, 'k', {}, async () => {
      worked++
      return 'x'.repeat(1_000)
    })
  for (const owner of ['a', 'b', 'c', 'd']) await once(owner)
  await Promise.resolve()
  worked = 0
  await once('d')
  expect(worked).toBe(0)
  await once('a')
  expect(worked).toBe(1)
})

it('keeps so many keys of one token, and those of others stay', async () => {
  verifies('G22')
  const kept = new Idempotency<string>({ entries: 5, entriesOfOwner: 3, bytesOfOwner: 9_999, bytes: 9_999 })
  let worked = 0
  const once = (owner: string, key: string) =>
    kept.once({ owner, tool: 't' }, key, {}, async () => {
      worked++
      return 'x'
    })
  await once('bob', 'a')
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await once('ada', key)
  worked = 0
  await once('bob', 'a')
  expect(worked).toBe(0)
})

it.each([
  ['runs', 60, 1],
  ['characters', 40, 2_000_000],
])('keeps so many %s that one token left to fetch, and those of others stay', (_, count, size) => {
  verifies('G22')
  const recent = new RecentRuns()
  const run = (caller: string, n: number) => ({ runId: `${caller}-${n}`, caller }) as never
  recent.add(run('bob', 0), size)
  for (let n = 0; n < count; n++) recent.add(run('ada', n), size)
  expect(recent.find('bob-0')).toBeDefined()
  expect(recent.find('ada-0')).toBeUndefined()
  expect(recent.find(`ada-${count - 1}`)).toBeDefined()
})
