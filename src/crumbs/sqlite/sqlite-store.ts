// The embedded store: all tables over one SQLite file.
import { type Clock, systemClock } from '../clock.ts'
import type { CrumbStore } from '../store.ts'
import { SqliteCrumbTable } from './crumb-table.ts'
import { Database } from './database.ts'
import { SqliteEventLog } from './event-log.ts'
import { SqliteRequestQueue } from './request-queue.ts'
import { SqliteRunTable } from './run-table.ts'
import {
  SqliteCursorTable,
  SqliteLeaseTable,
  SqliteNodeTable,
  SqliteSecretTable,
  SqliteSeedTable,
} from './small-tables.ts'
import { WordIndex } from './word-index.ts'

/** Opens (and makes, and brings up to date) the store in `file`; `:memory:` keeps nothing. */
export function openSqliteStore(file: string, clock: Clock = systemClock): CrumbStore {
  const db = new Database(file)
  const words = new WordIndex(db)
  return {
    kind: 'sqlite',
    clock,
    lease: { ms: 60_000, renewMs: 15_000 },
    crumbs: new SqliteCrumbTable(db, clock, words),
    events: new SqliteEventLog(db, clock),
    requests: new SqliteRequestQueue(db, clock),
    leases: new SqliteLeaseTable(db, clock),
    cursors: new SqliteCursorTable(db),
    secrets: new SqliteSecretTable(db),
    runs: new SqliteRunTable(db),
    seeds: new SqliteSeedTable(db),
    nodes: new SqliteNodeTable(db, clock),
    async check() {
      db.read(() => db.query('SELECT 1').get())
    },
    async close() {
      words.close()
      db.close()
    },
  }
}
