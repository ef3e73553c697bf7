// What a crib holds in its store: nothing is opened before it is asked for, and whoever asks sees what is theirs.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callOf } from '../../test/helpers/crib-with-tool.ts'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import type { GivenConfig } from '../config/config.ts'
import type { FeedItem } from '../events/feed.ts'
import { libraryPrincipal, makePrincipal } from '../tool/principal.ts'
import { type Crib, openCrib } from './open-crib.ts'
import { rehearsalOf } from './rehearsal.ts'

const note = (title: string, text = 'hello') => ({
  schema_name: 'note.v1',
  title,
  tags: ['notes'],
  context: { text },
})

async function open(config: GivenConfig = {}, files: { [path: string]: string } = {}): Promise<Crib> {
  const root = tempFolder(files)
  const crib = await openCrib({ root, config, env: { HOME: join(root, 'home') } })
  onTestFinished(() => crib.close())
  return crib
}

describe('the store of a crib', () => {
  it('is made by the first who writes something, not by who opens the crib', async () => {
    const crib = await open()
    expect([crib.crumbs.isThere, existsSync(crib.config.store)]).toEqual([false, false])
    await crib.crumbs.create(note('first'))
    expect(crib.crumbs.isThere).toBe(true)
  })

  it('is opened once, however many ask at the same time', async () => {
    const { crumbs } = await open()
    const stores = await Promise.all([
      crumbs.store(),
      crumbs.store(),
      crumbs.open().then(({ store }) => store),
    ])
    expect(new Set(stores).size).toBe(1)
  })

  it('that could not be opened is tried again by the next who asks', async () => {
    const crib = await open({}, { blocked: 'a file' })
    const { store } = crib.config
    Object.assign(crib.config, { store: join(crib.root, 'blocked/crib.db') })
    await expect(crib.crumbs.store()).rejects.toThrow()
    expect(Object.keys(await crib.crumbs.faults())).toEqual(['store'])
    Object.assign(crib.config, { store })
    await expect(crib.crumbs.create(note('later'))).resolves.toMatchObject({ status: 201 })
    expect(await crib.crumbs.faults()).toEqual({})
  })

  it('whose place is an address counts as there', async () => {
    expect((await open({ store: 'postgres://nowhere.invalid/crib' })).crumbs.isThere).toBe(true)
  })
})

describe('breadcrumbs of a crib', () => {
  it('are written, read, found, changed and removed', async () => {
    const { crumbs } = await open()
    const { id } = await crumbs.create(note('shopping', 'buy milk'))
    await crumbs.create(note('other'))
    expect(await crumbs.get(id)).toMatchObject({
      title: 'shopping',
      context: { text: 'buy milk' },
      version: 1,
    })
    expect((await crumbs.list({ schema: 'note.v1' })).items.map(({ title }) => title).sort()).toEqual([
      'other',
      'shopping',
    ])
    expect((await crumbs.search({ q: 'milk' })).map(({ title }) => title)).toEqual(['shopping'])
    expect(await crumbs.update(id, { title: 'groceries' })).toMatchObject({ version: 2 })
    await crumbs.remove(id)
    await expect(crumbs.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('are written once for one idempotency key', async () => {
    const { crumbs } = await open()
    const key = { idempotencyKey: 'k' }
    const first = await crumbs.create(note('once'), undefined, key)
    expect(await crumbs.create(note('once'), undefined, key)).toMatchObject({ id: first.id, isReplay: true })
    expect((await crumbs.list()).items.filter(({ title }) => title === 'once')).toHaveLength(1)
  })

  it('are not overwritten by who read an older version', async () => {
    const { crumbs } = await open()
    const { id } = await crumbs.create(note('a'))
    await crumbs.update(id, { title: 'b' }, undefined, 1)
    await expect(crumbs.update(id, { title: 'c' }, undefined, 1)).rejects.toThrow()
    await expect(crumbs.remove(id, undefined, 1)).rejects.toThrow()
    expect(await crumbs.get(id)).toMatchObject({ title: 'b', version: 2 })
  })

  it('of another owner are not there', async () => {
    const { crumbs } = await open()
    const { id } = await crumbs.create(note('mine'))
    const stranger = makePrincipal({ surface: 'http', name: 'eve', owner: 'eve', grants: [] })
    await expect(crumbs.get(id, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await crumbs.list({}, stranger)).items).toEqual([])
  })

  it('are told to who watches, from where they ask', async () => {
    const { crumbs } = await open()
    const controller = new AbortController()
    const seen: FeedItem[] = []
    const { id } = await crumbs.create(note('before'))
    const watching = (async () => {
      for await (const item of crumbs.watch({ since: '0', signal: controller.signal })) {
        seen.push(item)
        if (seen.length === 2) controller.abort()
      }
    })()
    await crumbs.update(id, { title: 'after' })
    await watching.catch(() => {})
    expect(seen.map(({ type }) => type)).toEqual(['breadcrumb.created', 'breadcrumb.updated'])
  })
})

describe('secrets of a crib', () => {
  it('are given to the crib itself by name, and are undefined where there is none', async () => {
    const { crumbs } = await open()
    const { secrets } = await crumbs.open()
    await secrets.set('KEY', 's3cret', libraryPrincipal)
    expect(await crumbs.secretNamed('KEY', 'a test')).toBe('s3cret')
    expect(await crumbs.secretNamed('MISSING', 'a test')).toBeUndefined()
  })

  it('that a call needs and that are missing are all named at once', async () => {
    const crib = await open()
    const { secrets } = await crib.crumbs.open()
    await secrets.set('THERE', 'x', libraryPrincipal)
    const call = callOf({ secrets: ['THERE', 'ONE', 'TWO'] })
    await expect(crib.crumbs.secretsFor(call)).rejects.toMatchObject({
      code: 'SECRET_MISSING',
      message: 't needs the secrets ONE, TWO.',
      hint: expect.stringContaining('`toolcrib secrets set ONE`, `toolcrib secrets set TWO`'),
      details: { missing: ['ONE', 'TWO'] },
    })
    expect(await crib.crumbs.secretsFor(callOf({ secrets: ['THERE'] }))).toEqual({ THERE: 'x' })
  })

  it('cannot be read while the store cannot be used, which is not the failure of the tool', async () => {
    const crib = await open({}, { blocked: 'a file' })
    Object.assign(crib.config, { store: join(crib.root, 'blocked/crib.db') })
    await expect(crib.crumbs.secretsFor(callOf({ secrets: ['KEY'] }))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
  })
})

describe('a rehearsal', () => {
  const within = async (crib: Crib) => {
    const rehearsal = crib.crumbs.rehearse()
    onTestFinished(() => rehearsal.close())
    const call = callOf({}, { rehearsal })
    const run = { tool: call.tool, params: {}, runId: call.id, call }
    return { rehearsal, call, session: () => crib.crumbs.broker.open(run) }
  }
  const mine = { readable: ['*'] }

  it('works on what the files hold, and leaves nothing in the store', async () => {
    const crib = await open({}, { 'crumbs/note.json': JSON.stringify(note('from a file')) })
    const { session } = await within(crib)
    const store = await session()
    await store.create(note('rehearsed'), {})
    const titles = (await store.search(mine)).map((crumb) => crumb['title'])
    expect(titles.sort()).toEqual(['from a file', 'rehearsed'])
    expect((await crib.crumbs.list()).items).toEqual([])
  })

  it('is that of the calls which its calls make, and of no other', async () => {
    const crib = await open()
    const { rehearsal, call } = await within(crib)
    const inner = callOf({}, { parent: callOf({}, { parent: call }) })
    expect([rehearsalOf(call), rehearsalOf(inner)]).toEqual([rehearsal, rehearsal])
    expect(rehearsalOf(callOf({}, { parent: callOf() }))).toBeNull()
    expect(rehearsalOf(callOf({}, { rehearsal: {} }))).toBeNull()
  })
})
