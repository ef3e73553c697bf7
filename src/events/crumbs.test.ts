import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { admin, alice, bob, Rig, stranger } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { legacyCodeOf, statusOfCode } from '../tool/error-codes.ts'
import { errorData } from '../tool/tool-error.ts'
import { parseIfMatch } from './crumbs.ts'

let rig: Rig
beforeEach(() => {
  rig = new Rig()
})
afterEach(() => rig.close())

const note = (more: object = {}) => ({
  title: 'A note',
  tags: ['a'],
  context: { text: 'hello' },
  schema_name: 'note.v1',
  ...more,
})

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

/** What a promise rejects with, and the status and the former code that the edges give it. */
async function refusal(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown) => thrown,
  )
  if (!error) throw new Error('it was not refused')
  return { ...errorData(error), status: statusOfCode(error.code), legacyCode: legacyCodeOf(error) }
}

describe('creating', () => {
  it('stores every field and answers 201 with id and version 1', async () => {
    verifies('C110')
    const made = await rig.crumbs.create(
      note({
        description: 'd',
        semantic_version: '1.2.3',
        visibility: 'public',
        sensitivity: 'pii',
        colour: 'red',
      }),
      alice,
    )
    expect(made).toMatchObject({ status: 201, version: 1, isReplay: false })
    const full = await rig.crumbs.full(made.id, alice)
    expect(full).toMatchObject({
      id: made.id,
      owner_id: 'local',
      title: 'A note',
      description: 'd',
      semantic_version: '1.2.3',
      visibility: 'public',
      sensitivity: 'pii',
      version: 1,
      created_by: 'alice',
      updated_by: 'alice',
      created_at: '2025-06-01T12:00:00.000Z',
      colour: 'red',
      size_bytes: 16,
    })
    expect(full['checksum']).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('gives equal contexts equal checksums whatever the order of their keys', async () => {
    verifies('C110')
    const one = await rig.crumbs.create(note({ context: { a: 1, b: [2] } }), alice)
    const two = await rig.crumbs.create(note({ context: { b: [2], a: 1 } }), alice)
    const sums = await Promise.all(
      [one, two].map(async ({ id }) => (await rig.crumbs.full(id, alice))['checksum']),
    )
    expect(sums[0]).toBe(sums[1])
  })

  it.each([
    ['no title', { title: undefined }, 422, '/title'],
    ['an empty title', { title: '' }, 422, '/title'],
    ['a title of 501 characters', { title: 'x'.repeat(501) }, 422, '/title'],
    ['65 tags', { tags: Array.from({ length: 65 }, (_, n) => `t${n}`) }, 422, '/tags'],
    ['a tag of 201 characters', { tags: ['x'.repeat(201)] }, 422, '/tags/0'],
    ['a capitalised visibility', { visibility: 'Public' }, 422, '/visibility'],
    ['an unknown sensitivity', { sensitivity: 'top' }, 422, '/sensitivity'],
    ['a ttl in the past', { ttl: '2025-06-01T11:59:59Z' }, 422, '/ttl'],
    ['a ttl that is no time', { ttl: 'soon' }, 422, '/ttl'],
    ['a ttl on a day there is not', { ttl: '2027-02-30T00:00:00Z' }, 422, '/ttl'],
    ['usage ttl', { ttl_type: 'usage' }, 422, '/ttl_type'],
    ['hybrid ttl', { ttl_type: 'hybrid' }, 422, '/ttl_type'],
    ['hints that are no object', { llm_hints: [] }, 422, '/llm_hints'],
    ['a context nested too deep', { context: nested(300) }, 422, '/context'],
    ['an unknown field nested too deep', { more: nested(2_500) }, 422, '/more'],
  ])('refuses %s', async (_, more, status, pointer) => {
    verifies('C110', 'C113', 'C115')
    const error = await refusal(rig.crumbs.create(note(more), alice))
    expect(error).toMatchObject({ status, code: 'INVALID', details: [{ pointer }] })
  })

  it('counts characters, not the code units they are written with', async () => {
    verifies('C110')
    const most = { title: '🔧'.repeat(500), tags: ['🔧'.repeat(200)] }
    const { id } = await rig.crumbs.create(note(most), alice)
    expect(await rig.crumbs.full(id, alice)).toMatchObject(most)
    const more = await refusal(rig.crumbs.create(note({ title: '🔧'.repeat(501) }), alice))
    expect(more.status).toBe(422)
  })

  it('refuses a body over 4 MiB with 413 and what is no object with 400', async () => {
    verifies('C113')
    expect((await refusal(rig.crumbs.create(note({ context: 'x'.repeat(4_200_000) }), alice))).status).toBe(
      413,
    )
    expect((await refusal(rig.crumbs.create([], alice))).status).toBe(400)
  })

  it('refuses tool.v1 and says what the tool must become', async () => {
    verifies('C9')
    const error = await refusal(rig.crumbs.create(note({ schema_name: 'tool.v1' }), alice))
    expect(error).toMatchObject({ status: 422, code: 'TOOL_INVALID', legacyCode: 'tc-legacy-v1' })
  })
})

describe('idempotency keys', () => {
  it('answers the second time with the first crumb and stores nothing', async () => {
    verifies('C112', 'C-case-54')
    const first = await rig.crumbs.create(note(), alice, { idempotencyKey: 'k' })
    const second = await rig.crumbs.create(note(), alice, { idempotencyKey: 'k' })
    expect(second).toEqual({ ...first, isReplay: true })
    expect(await rig.all('note.v1')).toHaveLength(1)
  })

  it('refuses the same key with another body', async () => {
    verifies('C112', 'C-case-54')
    await rig.crumbs.create(note(), alice, { idempotencyKey: 'k' })
    const error = await refusal(rig.crumbs.create(note({ title: 'Other' }), alice, { idempotencyKey: 'k' }))
    expect(error).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' })
  })

  it('keeps the keys of callers apart, forgets them after a day and does not remember failures', async () => {
    verifies('C112')
    const first = await rig.crumbs.create(note(), alice, { idempotencyKey: 'k' })
    expect((await rig.crumbs.create(note(), bob, { idempotencyKey: 'k' })).id).not.toBe(first.id)
    rig.clock.jump(rig.clock.now() + 24 * 3_600_000 + 1)
    expect((await rig.crumbs.create(note(), alice, { idempotencyKey: 'k' })).id).not.toBe(first.id)
    await refusal(rig.crumbs.create(note({ title: '' }), alice, { idempotencyKey: 'f' }))
    expect((await rig.crumbs.create(note(), alice, { idempotencyKey: 'f' })).isReplay).toBe(false)
  })

  it('makes one crumb of two creates that race with one key', async () => {
    verifies('C112')
    const made = await Promise.all(
      [1, 2, 3].map(() => rig.crumbs.create(note(), alice, { idempotencyKey: 'r' })),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(made.filter(({ isReplay }) => !isReplay)).toHaveLength(1)
  })
})

describe('who sees what', () => {
  it("hides other owners' crumbs, except public ones, and private ones from all but creator and admin", async () => {
    verifies('C111')
    const team = (await rig.crumbs.create(note(), alice)).id
    const shared = (await rig.crumbs.create(note({ visibility: 'public' }), alice)).id
    const secret = (await rig.crumbs.create(note({ visibility: 'private' }), alice)).id
    const seen = async (actor: typeof alice) =>
      (await rig.crumbs.list({}, actor)).items.map(({ id }) => id).sort()
    expect(await seen(alice)).toEqual([team, shared, secret].sort())
    expect(await seen(bob)).toEqual([team, shared].sort())
    expect(await seen(admin)).toEqual([team, shared, secret].sort())
    expect(await seen(stranger)).toEqual([shared])
    expect((await refusal(rig.crumbs.view(team, stranger))).status).toBe(404)
    expect((await refusal(rig.crumbs.view(secret, bob))).status).toBe(404)
    expect((await refusal(rig.crumbs.update(shared, { title: 'mine' }, stranger))).status).toBe(403)
  })

  it('answers 404 for an unknown id', async () => {
    verifies('C113')
    const error = await refusal(rig.crumbs.view('nope', alice))
    expect(error).toMatchObject({ status: 404, code: 'NOT_FOUND', legacyCode: 'not_found' })
  })
})

describe('listing and searching', () => {
  it('wants all tags, lists newest update first and gives a next page after 100', async () => {
    verifies('C111', 'C-case-55')
    for (let n = 0; n < 101; n++)
      await rig.crumbs.create(note({ title: `n${n}`, tags: n % 2 ? ['a', 'b'] : ['a'] }), alice)
    const both = await rig.crumbs.list({ tags: ['a', 'b'] }, alice)
    expect(both.items).toHaveLength(50)
    expect(both.items.every(({ tags }) => tags.includes('b'))).toBe(true)
    const first = await rig.crumbs.list({}, alice)
    expect(first.items).toHaveLength(100)
    expect(first.items[0]!.title).toBe('n100')
    const second = await rig.crumbs.list({ cursor: first.next! }, alice)
    expect(second).toMatchObject({ items: [{ title: 'n0' }] })
    expect(second.next).toBeUndefined()
    const old = first.items.at(-1)!
    await rig.crumbs.update(old.id, { title: 'touched' }, alice)
    expect((await rig.crumbs.list({ limit: 1 }, alice)).items[0]!.title).toBe('touched')
    expect((await rig.crumbs.list({ offset: 100 }, alice)).items).toHaveLength(1)
  })

  it('refuses an offset and a number of tags that no database takes', async () => {
    verifies('C113')
    const tags = Array.from({ length: 300 }, (_, n) => `t${n}`)
    for (const params of [{ offset: 1e30 }, { offset: Number.NaN }, { tags }])
      await expect(rig.crumbs.list(params, alice)).rejects.toMatchObject({ code: 'MALFORMED' })
    await expect(rig.crumbs.search({ q: 'x', tags }, alice)).rejects.toMatchObject({ code: 'MALFORMED' })
    expect((await rig.crumbs.list({ tags: Array(300).fill('same') }, alice)).items).toEqual([])
  })

  it('refuses a limit outside 1 to 1000 and a foreign cursor', async () => {
    verifies('C113')
    for (const limit of [0, 1001, 1.5])
      expect((await refusal(rig.crumbs.list({ limit }, alice))).status).toBe(400)
    expect((await refusal(rig.crumbs.list({ cursor: 'x' }, alice))).status).toBe(400)
  })

  it('finds all words in a list and any word, ranked, in a search', async () => {
    verifies('C111')
    await rig.crumbs.create(note({ title: 'red apple', context: {} }), alice)
    await rig.crumbs.create(
      note({ title: 'red car', context: { deep: ['Müller apple', { x: 'apple apple' }] } }),
      alice,
    )
    await rig.crumbs.create(note({ title: 'blue sky', context: {} }), alice)
    const titles = async (q: string) => (await rig.crumbs.list({ q }, alice)).items.map(({ title }) => title)
    expect(await titles('red apple')).toEqual(['red car', 'red apple'])
    expect(await titles('muller')).toEqual(['red car'])
    const found = await rig.crumbs.search({ q: 'apple sky' }, alice)
    expect(found).toHaveLength(3)
    expect(found[0]!.score!).toBeGreaterThanOrEqual(found[2]!.score!)
    expect((await rig.crumbs.search({ q: 'apple', nn: 1 }, alice)).map(({ title }) => title)).toEqual([
      'red car',
    ])
  })

  it.each(['"', 'a OR', 'NEAR(', '* -x', "'; DROP TABLE log", 'title:x', '(', '\0'])(
    'reads %j as words, never as query syntax',
    async (q) => {
      verifies('C111')
      await rig.crumbs.create(note(), alice)
      await expect(rig.crumbs.search({ q }, alice)).resolves.toBeInstanceOf(Array)
      await expect(rig.crumbs.list({ q }, alice)).resolves.toHaveProperty('items')
    },
  )

  it('leaves secret crumbs out of full text and their context out of lists', async () => {
    verifies('C110')
    const { id } = await rig.crumbs.create(
      note({ title: 'hush', sensitivity: 'secret', context: { text: 'xyzzy' } }),
      alice,
    )
    expect(await rig.crumbs.search({ q: 'xyzzy hush' }, alice)).toEqual([])
    expect((await rig.crumbs.list({}, alice)).items[0]).not.toHaveProperty('context')
    expect((await rig.crumbs.full(id, alice))['context']).toEqual({ text: 'xyzzy' })
  })

  it('forgets the words of a changed or deleted crumb', async () => {
    verifies('C111')
    const { id } = await rig.crumbs.create(note({ context: { text: 'before' } }), alice)
    expect(await rig.crumbs.search({ q: 'before' }, alice)).toHaveLength(1)
    await rig.crumbs.update(id, { context: { text: 'after' } }, alice)
    expect(await rig.crumbs.search({ q: 'before' }, alice)).toEqual([])
    expect(await rig.crumbs.search({ q: 'after' }, alice)).toHaveLength(1)
    await rig.crumbs.remove(id, alice)
    expect(await rig.crumbs.search({ q: 'after' }, alice)).toEqual([])
  })
})

describe('changing and deleting', () => {
  it('replaces given fields wholly, clears with null and keeps every version', async () => {
    verifies('C111')
    const { id } = await rig.crumbs.create(note({ description: 'd' }), alice)
    const changed = await rig.crumbs.update(id, { context: { other: 1 }, description: null }, bob)
    expect(changed).toMatchObject({ status: 200, version: 2 })
    const full = await rig.crumbs.full(id, alice)
    expect(full).toMatchObject({
      context: { other: 1 },
      title: 'A note',
      created_by: 'alice',
      updated_by: 'bob',
    })
    expect(full).not.toHaveProperty('description')
    expect(await rig.crumbs.history(id, alice)).toMatchObject([
      { version: 2, context: { other: 1 }, updated_by: 'bob' },
      { version: 1, context: { text: 'hello' }, updated_by: 'alice' },
    ])
  })

  it('refuses a stale version with 412 and the current one; of two that race one wins', async () => {
    verifies('C111', 'C-case-53')
    const { id } = await rig.crumbs.create(note(), alice)
    await rig.crumbs.update(id, { title: 'two' }, alice, 1)
    const stale = await refusal(rig.crumbs.update(id, { title: 'three' }, alice, 1))
    expect(stale).toMatchObject({
      status: 412,
      code: 'VERSION_MISMATCH',
      details: { current_version: 2 },
    })
    const race = await Promise.allSettled(
      [1, 2].map((n) => rig.crumbs.update(id, { title: `r${n}` }, alice, 2)),
    )
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('lets the last write win when no version is given', async () => {
    verifies('C111')
    const { id } = await rig.crumbs.create(note(), alice)
    await Promise.all([1, 2, 3].map((n) => rig.crumbs.update(id, { title: `t${n}` }, alice)))
    expect((await rig.crumbs.full(id, alice))['version']).toBe(4)
  })

  it.each([
    ['3', 3],
    ['"3"', 3],
    ['W/"3"', 3],
    ['*', null],
    [undefined, null],
  ])('reads If-Match %j', (header, version) => {
    verifies('C111')
    expect(parseIfMatch(header)).toBe(version)
  })

  it.each(['latest', '"3', '3"', 'W/3', '"3", "4"'])(
    'refuses the unreadable If-Match %s with 400',
    (header) => {
      verifies('C111')
      expect(() => parseIfMatch(header)).toThrow(expect.objectContaining({ code: 'IF_MATCH_INVALID' }))
    },
  )

  it('deletes, honouring the version', async () => {
    verifies('C111')
    const { id } = await rig.crumbs.create(note(), alice)
    expect((await refusal(rig.crumbs.remove(id, alice, { ifMatch: 2 }))).status).toBe(412)
    await rig.crumbs.remove(id, alice, { ifMatch: 1 })
    expect((await refusal(rig.crumbs.view(id, alice))).status).toBe(404)
    expect((await refusal(rig.crumbs.remove(id, alice))).status).toBe(404)
  })
})

describe('time to live', () => {
  it('hides an expired crumb at once and purges it within a minute with an event', async () => {
    verifies('C115', 'C-case-57')
    await rig.start()
    const { id } = await rig.crumbs.create(note({ ttl_seconds: 5 }), alice)
    rig.clock.jump(rig.clock.now() + 5_000)
    expect((await refusal(rig.crumbs.view(id, alice))).status).toBe(404)
    expect((await rig.crumbs.list({ schema: 'note.v1' }, alice)).items).toEqual([])
    expect(await rig.crumbs.search({ q: 'hello' }, alice)).toEqual([])
    await rig.clock.advance(60_000)
    const events = await rig.store.events.after({ after: 0, limit: 100, schemas: ['note.v1'] })
    expect(events.at(-1)!.event).toMatchObject({
      type: 'breadcrumb.deleted',
      breadcrumb_id: id,
      reason: 'ttl',
    })
    expect(events.at(-1)!.event).not.toHaveProperty('context')
  })

  it.each([
    ['schedule.tick.v1', [], 300],
    ['tool.request.v1', ['health:check'], 300],
    ['system.ping.v1', [], 600],
    ['tool.response.v1', [], 7 * 86_400],
    ['tool.error.v1', [], 7 * 86_400],
    ['tool.request.v1', [], 7 * 86_400],
    ['tool.request.v1', ['persist'], null],
    ['note.v1', [], null],
  ])('gives %s with tags %j a life of %s seconds', async (schema_name, tags, seconds) => {
    verifies('C115')
    const { id } = await rig.crumbs.create({ title: 't', schema_name, tags, context: {} }, alice)
    const { ttl } = await rig.crumbs.full(id, alice)
    expect(ttl === undefined ? null : (Date.parse(String(ttl)) - rig.clock.now()) / 1000).toBe(seconds)
  })
})
