import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { alice, bob, Rig, stranger } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { type FeedItem, type FeedOptions, followFeed } from './feed.ts'

let rig: Rig
beforeEach(() => {
  rig = new Rig()
})
afterEach(() => rig.close())

const note = (title: string, more: object = {}) => ({
  title,
  schema_name: 'note.v1',
  tags: ['a'],
  context: { title },
  ...more,
})

/** Reads `count` items of a feed. */
async function take(
  count: number,
  options: FeedOptions = {},
  actor = alice,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<FeedItem[]> {
  const items: FeedItem[] = []
  const feed = await followFeed(rig.store, actor, options)
  const first = feed.next()
  await meanwhile()
  for (let next = await first; !next.done; next = await feed.next()) {
    items.push(next.value)
    if (items.length === count) break
  }
  await feed.return(undefined)
  return items
}

const titles = (items: FeedItem[]) => items.map((item) => ('title' in item ? item.title : item.type))

describe('following the feed', () => {
  it('shows what comes, one event per write', async () => {
    verifies('C68', 'C114')
    await rig.crumbs.create(note('before'), alice)
    const items = await take(3, {}, alice, async () => {
      const { id } = await rig.crumbs.create(note('one'), alice)
      await rig.crumbs.update(id, { title: 'two' }, alice)
      await rig.crumbs.remove(id, alice)
    })
    expect(items.map(({ type }) => type)).toEqual([
      'breadcrumb.created',
      'breadcrumb.updated',
      'breadcrumb.deleted',
    ])
    expect(items[2]).toMatchObject({ reason: 'api' })
    expect(items[2]).not.toHaveProperty('context')
  })

  it('misses nothing that is written before the first item is read', async () => {
    verifies('C114')
    await rig.crumbs.create(note('before'), alice)
    const feed = await followFeed(rig.store, alice)
    await rig.crumbs.create(note('one'), alice)
    expect((await feed.next()).value).toMatchObject({ title: 'one' })
    await feed.return(undefined)
  })

  it('replays what came after a position, in order, without gap or double, then goes on', async () => {
    verifies('C114', 'C-case-56')
    const [first] = await take(1, { since: '0' }, alice, () => rig.crumbs.create(note('0'), alice))
    for (let n = 1; n <= 1200; n++) await rig.crumbs.create(note(String(n)), alice)
    const items = await take(1250, { since: first!.id }, alice, async () => {
      for (let n = 1201; n <= 1250; n++) await rig.crumbs.create(note(String(n)), alice)
    })
    expect(titles(items)).toEqual(Array.from({ length: 1250 }, (_, n) => String(n + 1)))
  })

  it('filters by schema, by all tags and by type', async () => {
    verifies('C114')
    await rig.crumbs.create(note('1', { tags: ['a', 'b'] }), alice)
    await rig.crumbs.create(note('2'), alice)
    const { id } = await rig.crumbs.create(note('3', { schema_name: 'other.v1', tags: ['a', 'b'] }), alice)
    await rig.crumbs.update(id, { title: '4' }, alice)
    expect(titles(await take(1, { since: '0', tags: ['a', 'b'], schema: 'other.v1' }))).toEqual(['3'])
    expect(titles(await take(2, { since: '0', tags: ['b'], type: 'breadcrumb.created' }))).toEqual(['1', '3'])
    expect(titles(await take(1, { since: '0', type: 'breadcrumb.updated' }))).toEqual(['4'])
  })

  it('begins with a reset when the position is older than what is kept, or none at all', async () => {
    verifies('C114')
    const { id } = await rig.crumbs.create(note('old'), alice)
    await rig.crumbs.remove(id, alice)
    rig.clock.jump(rig.clock.now() + 8 * 86_400_000)
    await rig.crumbs.create(note('new'), alice)
    await rig.store.events.trim(7 * 86_400_000)
    expect(titles(await take(2, { since: '0' }))).toEqual(['stream.reset', 'new'])
    expect(titles(await take(1, { since: 'yesterday' }))).toEqual(['stream.reset'])
    expect(titles(await take(1, { since: '999' }))).toEqual(['stream.reset'])
  })

  it('shows each reader only what it may see, and no secret context', async () => {
    verifies('C110', 'C111', 'C114')
    await rig.crumbs.create(note('private', { visibility: 'private' }), alice)
    await rig.crumbs.create(note('secret', { sensitivity: 'secret' }), alice)
    await rig.crumbs.create(note('public', { visibility: 'public' }), alice)
    expect(titles(await take(3, { since: '0' }))).toEqual(['private', 'secret', 'public'])
    const seen = await take(2, { since: '0' }, bob)
    expect(titles(seen)).toEqual(['secret', 'public'])
    expect(seen[0]).not.toHaveProperty('context')
    expect(titles(await take(1, { since: '0' }, stranger))).toEqual(['public'])
  })

  it('ends when its signal fires', async () => {
    const stop = new AbortController()
    const feed = await followFeed(rig.store, alice, { signal: stop.signal })
    const next = feed.next()
    await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
    expect(await next).toMatchObject({ done: true })
  })
})

it('trimming keeps every version of a living crumb and never reuses a position', async () => {
  verifies('C114')
  const { id } = await rig.crumbs.create(note('alive'), alice)
  await rig.crumbs.update(id, { title: 'still alive' }, alice)
  const gone = await rig.crumbs.create(note('gone'), alice)
  await rig.crumbs.remove(gone.id, alice)
  const last = await rig.store.events.last()
  rig.clock.jump(rig.clock.now() + 8 * 86_400_000)
  await rig.store.events.trim(7 * 86_400_000)
  expect(await rig.crumbs.history(id, alice)).toHaveLength(2)
  await rig.crumbs.create(note('next'), alice)
  expect(await rig.store.events.last()).toBe(last + 1)
})
