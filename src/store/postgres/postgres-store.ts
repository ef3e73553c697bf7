// The store for many machines: all tables over one PostgreSQL database.
import { smallTables } from '../small-tables.ts'
import type { CrumbStore } from '../store.ts'
import { Appender, schemasOf } from './appender.ts'
import { PostgresCrumbTable } from './crumb-table.ts'
import { Database, type DatabaseOptions } from './database.ts'
import { PostgresEventLog } from './event-log.ts'
import { PostgresOutbox } from './outbox.ts'
import { PostgresRequestQueue } from './request-queue.ts'
import { PostgresRunTable } from './run-table.ts'
import { smallSqlOf } from './small-sql.ts'
import { WordIndex } from './word-index.ts'

export interface PostgresStore extends CrumbStore {
  readonly kind: 'postgres'
  readonly db: Database
  /** What the bus must tell the others. */
  readonly outbox: PostgresOutbox
  readonly events: PostgresEventLog
}

/** Opens the store at a `postgres://` address, and makes its tables or brings them up to date. */
export async function openPostgresStore(url: string, options: DatabaseOptions = {}): Promise<PostgresStore> {
  const db = await Database.open(url, options)
  const { clock } = db
  const appender = new Appender(db)
  const words = new WordIndex(db)
  const events = new PostgresEventLog(db, clock)
  appender.onCommit((committed) => {
    words.schedule()
    events.ring(schemasOf(committed.events))
  })
  return {
    kind: 'postgres',
    db,
    clock,
    lease: { ms: 4_500, renewMs: 1_500 },
    crumbs: new PostgresCrumbTable(db, clock, appender, words),
    events,
    requests: new PostgresRequestQueue(db, clock, appender),
    runs: new PostgresRunTable(db),
    ...smallTables(smallSqlOf(db)),
    outbox: new PostgresOutbox(db, appender, events),
    async check() {
      await db.once('SELECT 1', [])
    },
    async close() {
      await appender.close()
      words.close()
      await events.close()
      await db.close()
    },
  }
}
