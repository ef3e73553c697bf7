import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresMissing, startPostgres } from '../../test/helpers/servers/postgres.mjs'
import { verifyRuns } from '../runs/verify-runs.ts'
import { cribPrincipal } from '../tool/principal.ts'
import { copyStore } from './copy-store.ts'
import { openPostgresEnd } from './postgres/copy-end.ts'
import { openPostgresStore } from './postgres/postgres-store.ts'
import { rowOf } from './run-record.ts'
import { openSqliteEnd } from './sqlite/copy-end.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'

const missing = postgresMissing()
if (missing !== null) console.log(`Copying stores is skipped: ${missing}.`)

const draft = {
  title: 't',
  context: { s: 'é\0💡' },
  tags: ['b', 'a'],
  visibility: 'team',
  sensitivity: 'low',
} as const

describe.skipIf(missing !== null)('store copy', () => {
  let server: PostgresServer
  let dir: string

  beforeAll(async () => {
    server = await startPostgres()
    dir = mkdtempSync(join(tmpdir(), 'copy-'))
  })
  afterAll(async () => {
    await server.remove()
    rmSync(dir, { recursive: true, force: true })
  })

  it('moves an embedded crib to PostgreSQL and back, with the same checksums', async () => {
    const file = join(dir, 'from.db')
    const from = openSqliteStore(file)
    const { id } = await from.crumbs.create(draft, cribPrincipal, { unique: { scope: 's', key: 'k' } })
    await from.crumbs.update(id, 1, { ...draft, title: 'two' }, { ...cribPrincipal, root: '1', depth: 1 })
    for (let n = 0; n < 1500; n++)
      await from.crumbs.create({ ...draft, title: `n${n}` }, cribPrincipal, {
        request: { tool: 'x', dedupeMs: 1 },
      })
    const gone = await from.crumbs.create(draft, cribPrincipal)
    await from.crumbs.remove(gone.id, null, cribPrincipal, 'api')
    await from.cursors.set('c', { position: 5, working: 0, attempts: 0, note: { a: [1] } })
    await from.runs.append([
      rowOf({
        kind: 'run',
        runId: 'r',
        tool: 't',
        caller: 'c',
        surface: 'cli',
        startedAt: '2025-01-01T00:00:00Z',
        ok: true,
      }),
    ])
    await from.secrets.insert({
      id: 'i',
      owner: 'local',
      name: 'K',
      scopeType: 'owner',
      scopeId: '',
      sealed: 's',
      createdAt: 'c',
      updatedAt: 'u',
    })
    await from.close()

    const there = await copy(openSqliteEnd(file), await openPostgresEnd(server.url()))
    const back = await copy(await openPostgresEnd(server.url()), openSqliteEnd(join(dir, 'back.db')))
    expect(back).toEqual(there)
    expect(there.tables.find(({ name }) => name === 'log')!.rows).toBe(1504)
    expect(there.tables.find(({ name }) => name === 'tags')!.rows).toBe(3002)

    const store = await openPostgresStore(server.url())
    expect((await store.crumbs.history(id)).map(({ title }) => title)).toEqual(['two', 't'])
    expect(
      await store.crumbs.create(draft, cribPrincipal, { unique: { scope: 's', key: 'k' } }),
    ).toMatchObject({
      id,
      isNew: false,
    })
    expect(await verifyRuns(store.runs)).toMatchObject({ ok: true, count: 1 })
    await store.crumbs.create(draft, cribPrincipal)
    expect(await store.events.last()).toBe(1505)
    expect(await store.requests.claim('node', 1000)).toMatchObject({ attempts: 1 })
    await store.close()
  })

  it('refuses a target that is not empty, and changes nothing in it', async () => {
    const file = join(dir, 'full.db')
    const store = openSqliteStore(file)
    await store.crumbs.create(draft, cribPrincipal)
    await store.close()
    await expect(copy(openSqliteEnd(join(dir, 'empty.db')), openSqliteEnd(file))).rejects.toMatchObject({
      code: 'STORE_NOT_EMPTY',
    })
  })

  it('leaves an empty target behind when the source cannot be read to its end', async () => {
    const broken = openSqliteEnd(join(dir, 'broken.db'))
    const target = await openPostgresEnd(`${server.url()}?schema=half`)
    const failing = {
      ...broken,
      read: (work: Parameters<typeof broken.read>[0]) =>
        broken.read((pages) =>
          work((table) => {
            if (table.name === 'runs') throw new Error('the disk is gone')
            return pages(table)
          }),
        ),
    } as typeof broken
    await expect(copyStore(failing, target)).rejects.toThrow('the disk is gone')
    expect(await target.isEmpty()).toBe(true)
    await Promise.all([broken.close(), target.close()])
  })

  async function copy(from: Awaited<ReturnType<typeof openPostgresEnd>>, to: typeof from) {
    try {
      return await copyStore(from, to)
    } finally {
      await from.close()
      await to.close()
    }
  }
})
