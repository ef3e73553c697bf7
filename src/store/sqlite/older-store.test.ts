// The fixture was written by version 0.1.0: notes, a schedule, three answered requests, a secret, a seed and two runs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { verifyRuns } from '../../runs/verify-runs.ts'
import { cribPrincipal } from '../../tool/principal.ts'
import type { CrumbStore } from '../store.ts'
import { openSqliteStore } from './sqlite-store.ts'

const fixture = new URL('../../../test/helpers/fixtures/store-0.1.0.db.gz', import.meta.url)

let dir: string
let store: CrumbStore
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'older-'))
  const file = join(dir, 'crib.db')
  writeFileSync(file, gunzipSync(readFileSync(fixture)))
  store = openSqliteStore(file)
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

it('a store of 0.1.0 opens with its crumbs, their history and their words', async () => {
  const { crumbs } = await store.crumbs.list({ viewer: null, tags: ['a', 'b'], limit: 10 })
  expect(crumbs.map(({ title, version }) => [title, version])).toEqual([['Harbour', 2]])
  expect((await store.crumbs.history(crumbs[0]!.id)).map(({ context }) => context)).toEqual([
    { text: 'two ships in the harbour' },
    { text: 'ships in the harbour' },
  ])
  const found = await store.crumbs.search({ viewer: null, words: 'ships', limit: 5 })
  expect(found.map(({ crumb }) => crumb.title)).toEqual(['Harbour'])
  expect((await store.events.after({ after: 0, limit: 100 })).length).toBe(17)
})

it('its audit chain, requests, secrets and seeds are there', async () => {
  expect(await verifyRuns(store.runs)).toMatchObject({ ok: true, count: 2, removed: 0 })
  expect((await store.runs.get('run-of-010'))?.caller).toBe('ada')
  expect(await store.requests.counts()).toEqual({ waiting: 0, claimed: 0, done: 3 })
  expect((await store.secrets.list('local')).map(({ name }) => name)).toEqual(['KEY'])
  expect((await store.seeds.list()).map(({ file }) => file)).toEqual(['crumbs/note.json'])
})

it('it is written on: crumbs, and runs that are removed when they are old', async () => {
  const [harbour] = (await store.crumbs.list({ viewer: null, tags: ['b'], limit: 1 })).crumbs
  const draft = { title: 'Port', context: {}, tags: ['b'], visibility: 'team', sensitivity: 'low' } as const
  expect((await store.crumbs.update(harbour!.id, 2, draft, cribPrincipal)).version).toBe(3)
  expect(await store.runs.trim('2100-01-01T00:00:00Z')).toBe(2)
  expect(await verifyRuns(store.runs)).toMatchObject({ ok: true, count: 0, removed: 2 })
})
