// The feed in SQLite: what is read is shared; here is how a process hears of new events, and a quick look at the end.
import type { Clock } from '../clock.ts'
import { eventReads } from '../event-log.ts'
import type { Sql } from '../sql.ts'
import type { EventLog } from '../store.ts'
import type { Database } from './database.ts'

export function sqliteEventLog(db: Database, sql: Sql, clock: Clock): EventLog {
  /** What the last look at the end saw, when it was, and after how many commits of this process. */
  let end = { last: 0, lookedAt: Number.NEGATIVE_INFINITY, commits: -1 }
  const last = (): number => Number(db.query('SELECT max(seq) FROM log').get()?.[0] ?? 0)
  const endsAt = (position: number, maxAgeMs = 0): boolean => {
    const now = performance.now()
    const { commits } = db
    if (now - end.lookedAt >= maxAgeMs || end.commits !== commits)
      end = { last: db.read(last), lookedAt: now, commits }
    return end.last <= position
  }
  const reads = eventReads(sql, clock)
  return {
    ...reads,
    endsAt,
    // Every commit is told to everybody, so most looks find nothing.
    pageAfter: async (query) =>
      endsAt(query.after) ? { events: [], upTo: query.after } : reads.pageAfter(query),
    // Which schemas were written is not known here: every commit is told.
    onAppend: (listener) => db.onCommit(listener),
  }
}
