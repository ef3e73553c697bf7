// The store for many machines: all tables over one PostgreSQL database.
import { crumbTable } from '../crumb-table.ts'
import { eventReads } from '../event-log.ts'
import { runTable } from '../run-table.ts'
import { smallTables } from '../small-tables.ts'
import type { CrumbStore } from '../store.ts'
import { runAppender } from './append-runs.ts'
import { Appender, schemasOf } from './appender.ts'
import { Database, type DatabaseOptions } from './database.ts'
import { postgresFullText } from './full-text.ts'
import { postgresLogWriter } from './log-writer.ts'
import { PostgresOutbox } from './outbox.ts'
import { postgresRequestQueue } from './request-queue.ts'
import { postgresSql } from './sql.ts'
import { WakeUps } from './wake-ups.ts'

export interface PostgresStore extends CrumbStore {
  readonly kind: 'postgres'
  readonly db: Database
  /** What the bus must tell the others. */
  readonly outbox: PostgresOutbox
  /** How this process hears of new events. */
  readonly wakeUps: WakeUps
}

/** Opens the store at a `postgres://` address, and makes its tables or brings them up to date. */
export async function openPostgresStore(url: string, options: DatabaseOptions = {}): Promise<PostgresStore> {
  const db = await Database.open(url, options)
  const { clock } = db
  const appender = new Appender(db)
  const words = postgresFullText(db)
  const sql = postgresSql(db)
  const wakeUps = new WakeUps(db)
  appender.onCommit((committed) => {
    words.schedule()
    wakeUps.ring(schemasOf(committed.events))
  })
  return {
    kind: 'postgres',
    db,
    clock,
    lease: { ms: 4_500, renewMs: 1_500 },
    crumbs: crumbTable({ sql, clock, words, writer: postgresLogWriter(appender), keepsJoinOrder: false }),
    events: {
      ...eventReads(sql, clock),
      onAppend: (listener, schemas) => wakeUps.onAppend(listener, schemas),
    },
    wakeUps,
    requests: postgresRequestQueue(db, sql, appender),
    runs: runTable(sql, runAppender(db)),
    ...smallTables(sql),
    outbox: new PostgresOutbox(db, appender, wakeUps),
    async check() {
      await db.once('SELECT 1', [])
    },
    async close() {
      await appender.close()
      words.close()
      await wakeUps.close()
      await db.close()
    },
  }
}
