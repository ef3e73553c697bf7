// A database with the tables of 0.1.0 (its first three steps) is brought up to date with what it holds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from '../../../test/helpers/servers/postgres.mjs'
import { verifyRuns } from '../../runs/verify-runs.ts'
import { cribPrincipal } from '../../tool/principal.ts'
import { rowOf } from '../run-record.ts'
import { migrations } from './migrations.ts'
import { openPostgresStore } from './postgres-store.ts'

const stepsOf010 = 3

describe.skipIf(postgresMissing() !== null)('a PostgreSQL store of 0.1.0', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.remove())

  it('opens with its crumbs and a whole audit chain, and is written on', async () => {
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: server.url(), options: '-c search_path=toolcrib' })
    await client.connect()
    await client.query('CREATE SCHEMA toolcrib; CREATE TABLE schema_version (version integer NOT NULL)')
    for (const step of migrations.slice(0, stepsOf010)) await client.query(step)
    await client.query('INSERT INTO schema_version VALUES ($1)', [stepsOf010])
    const [run_id, kind, tool, caller, ok, body] = rowOf({
      kind: 'run',
      runId: 'run-of-010',
      tool: 'hello',
      caller: 'ada',
      surface: 'cli',
      startedAt: '2025-06-01T12:00:00.000Z',
      ok: true,
    })
    await client.query('SELECT append_runs($1)', [JSON.stringify([{ run_id, kind, tool, caller, ok, body }])])
    const crumb = {
      id: 'c1',
      owner_id: 'local',
      title: 'Harbour',
      context: { text: 'ships' },
      tags: ['a'],
      visibility: 'team',
      sensitivity: 'low',
      version: 1,
      created_at: '2025-06-01T12:00:00.000Z',
      updated_at: '2025-06-01T12:00:00.000Z',
      created_by: 'ada',
      updated_by: 'ada',
    }
    const op = {
      kind: 'create',
      type: 'created',
      id: crumb.id,
      version: 1,
      at: Date.parse(crumb.created_at),
      owner: 'local',
      visibility: 'team',
      creator: 'ada',
      tags: '["a"]',
      body: JSON.stringify(crumb),
    }
    await client.query('SELECT append($1, false)', [JSON.stringify([op])])
    await client.end()

    const store = await openPostgresStore(server.url())
    try {
      expect((await store.crumbs.list({ viewer: null, tags: ['a'], limit: 5 })).crumbs).toMatchObject([crumb])
      expect(await verifyRuns(store.runs)).toMatchObject({ ok: true, count: 1, removed: 0 })
      const next = { title: 'Port', context: {}, tags: [], visibility: 'team', sensitivity: 'low' } as const
      expect((await store.crumbs.update('c1', 1, next, cribPrincipal)).version).toBe(2)
      expect(await store.runs.trim('2026-01-01T00:00:00Z')).toBe(1)
      expect(await verifyRuns(store.runs)).toMatchObject({ ok: true, count: 0, removed: 1 })
    } finally {
      await store.close()
    }
  })
})
