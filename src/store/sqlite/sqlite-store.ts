// The embedded store: all tables over one SQLite file.
import { type Clock, systemClock } from '../clock.ts'
import { smallTables } from '../small-tables.ts'
import type { CrumbStore } from '../store.ts'
import { SqliteCrumbTable } from './crumb-table.ts'
import { Database } from './database.ts'
import { SqliteEventLog } from './event-log.ts'
import { SqliteRequestQueue } from './request-queue.ts'
import { SqliteRunTable } from './run-table.ts'
import { smallSqlOf } from './small-sql.ts'
import { WordIndex } from './word-index.ts'

/** Opens (and makes, and brings up to date) the store in `file`; `:memory:` keeps nothing. */
export function openSqliteStore(file: string, clock: Clock = systemClock): CrumbStore {
  const db = new Database(file)
  const words = new WordIndex(db)
  const runs = new SqliteRunTable(db)
  return {
    kind: 'sqlite',
    clock,
    lease: { ms: 60_000, renewMs: 15_000 },
    crumbs: new SqliteCrumbTable(db, clock, words),
    events: new SqliteEventLog(db, clock),
    requests: new SqliteRequestQueue(db, clock),
    runs,
    ...smallTables(smallSqlOf(db, clock)),
    async check() {
      db.read(() => db.query('SELECT 1').get())
    },
    async close() {
      await runs.close()
      words.close()
      db.close()
    },
  }
}
