// The embedded store: all tables over one SQLite file.
import { type Clock, systemClock } from '../clock.ts'
import { crumbTable } from '../crumb-table.ts'
import { runTable } from '../run-table.ts'
import { smallTables } from '../small-tables.ts'
import type { CrumbStore } from '../store.ts'
import { Database } from './database.ts'
import { sqliteEventLog } from './event-log.ts'
import { sqliteFullText } from './full-text.ts'
import { sqliteLogWriter } from './log-writer.ts'
import { sqliteRequestQueue } from './request-queue.ts'
import { RunWriter } from './run-writer.ts'
import { sqliteSql } from './sql.ts'

/** Opens (and makes, and brings up to date) the store in `file`; `:memory:` keeps nothing. */
export function openSqliteStore(file: string, clock: Clock = systemClock): CrumbStore {
  const db = new Database(file)
  const words = sqliteFullText(db)
  const sql = sqliteSql(db, clock)
  const runWriter = new RunWriter(db)
  return {
    kind: 'sqlite',
    clock,
    lease: { ms: 60_000, renewMs: 15_000 },
    crumbs: crumbTable({ sql, clock, words, writer: sqliteLogWriter(db), keepsJoinOrder: true }),
    events: sqliteEventLog(db, sql, clock),
    requests: sqliteRequestQueue(db, sql, clock),
    runs: runTable(sql, (rows) => runWriter.append(rows)),
    ...smallTables(sql),
    async check() {
      db.read(() => db.query('SELECT 1').get())
    },
    async close() {
      await runWriter.close()
      words.close()
      db.close()
    },
  }
}
