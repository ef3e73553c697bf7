// The feed in SQLite: the log itself, read by position. What lies before the horizon is no longer promised.
import type { Clock } from '../clock.ts'
import type { Visibility } from '../crumb.ts'
import { eventColumns, eventOf } from '../log-row.ts'
import type { EventLog, EventPage, EventQuery, LoggedEvent } from '../store.ts'
import type { Database, Row } from './database.ts'

const horizonCursor = 'events:horizon'
const trimRows = 10_000
const leavers = `OR EXISTS (SELECT 1 FROM log AS former
  WHERE former.seq = log.prev AND former.schema_name IN (SELECT value FROM json_each(?2)))`

function loggedOf(row: Row): LoggedEvent {
  return {
    seq: row[0] as number,
    event: eventOf(row),
    visibility: row[5] as Visibility,
    expiresMs: row[6] as number | null,
  }
}

export class SqliteEventLog implements EventLog {
  readonly #db: Database
  readonly #clock: Clock
  /** What the last look at the end saw, when it was, and after how many commits of this process. */
  #end = { last: 0, lookedAt: Number.NEGATIVE_INFINITY, commits: -1 }

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  async after(query: EventQuery): Promise<readonly LoggedEvent[]> {
    return this.#db.read(() => this.#after(query))
  }

  async pageAfter(query: EventQuery): Promise<EventPage> {
    return this.#db.read(() => {
      // First the end, then the page: what is written in between is in the next one.
      const last = this.#last()
      if (last <= query.after) return { events: [], upTo: query.after }
      const events = this.#after(query)
      const read = events.at(-1)?.seq ?? 0
      return { events, upTo: events.length < query.limit ? Math.max(last, read) : read }
    })
  }

  endsAt(position: number, maxAgeMs = 0): boolean {
    const now = performance.now()
    const { commits } = this.#db
    if (now - this.#end.lookedAt >= maxAgeMs || this.#end.commits !== commits)
      this.#end = { last: this.#db.read(() => this.#last()), lookedAt: now, commits }
    return this.#end.last <= position
  }

  async ofCrumb(id: string): Promise<readonly LoggedEvent[]> {
    return this.#db.read(() =>
      this.#db
        .query(
          `WITH RECURSIVE versions(seq, prev) AS (
             SELECT log.seq, log.prev FROM heads JOIN log ON log.seq = heads.seq WHERE heads.id = ?
             UNION ALL SELECT log.seq, log.prev FROM versions JOIN log ON log.seq = versions.prev)
           SELECT ${eventColumns}, log.visibility, log.expires FROM versions JOIN log ON log.seq = versions.seq
           ORDER BY log.seq`,
        )
        .all(id)
        .map(loggedOf),
    )
  }

  async chain(root: string, limit: number): Promise<readonly LoggedEvent[]> {
    return this.#db.read(() =>
      this.#db
        .query(
          `SELECT ${eventColumns}, log.visibility, log.expires FROM log WHERE seq = ?
           UNION ALL
           SELECT ${eventColumns}, log.visibility, log.expires FROM log
           WHERE causation IS NOT NULL AND json_extract(causation, '$.root') = ?
           ORDER BY 1 LIMIT ?`,
        )
        .all(Number(root), root, limit)
        .map(loggedOf),
    )
  }

  async last(): Promise<number> {
    return this.#db.read(() => this.#last())
  }

  async horizon(): Promise<number> {
    return this.#db.read(() => this.#horizon())
  }

  trim(olderThanMs: number): Promise<number> {
    const before = this.#clock.now() - olderThanMs
    return this.#db.write(() => {
      const from = this.#horizon()
      const old = this.#db
        .query(
          `SELECT seq, type FROM (SELECT seq, type, at FROM log WHERE seq > ? ORDER BY seq LIMIT ?)
           WHERE at < ? AND seq < (SELECT max(seq) FROM log)`,
        )
        .all(from, trimRows, before)
      if (old.length === 0) return 0
      let gone = 0
      for (const [seq, type] of old) {
        // A deleted crumb takes its whole history with it; the versions of a living one stay.
        if (type === 'deleted') gone += this.#deleteChain(seq as number)
      }
      this.#db
        .query(
          `INSERT INTO cursors(name, position, working, attempts, note) VALUES (?, ?, 0, 0, 'null')
           ON CONFLICT(name) DO UPDATE SET position = excluded.position`,
        )
        .run(horizonCursor, old.at(-1)![0]!)
      return gone
    })
  }

  /** Which schemas were written is not known here: every commit is told. */
  onAppend(listener: () => void): () => void {
    return this.#db.onCommit(listener)
  }

  #after(query: EventQuery): LoggedEvent[] {
    const rows = query.schemas
      ? this.#db
          .query(
            `SELECT ${eventColumns}, visibility, expires FROM log WHERE seq > ?1
             AND (schema_name IN (SELECT value FROM json_each(?2)) ${query.withLeavers ? leavers : ''})
             ORDER BY seq LIMIT ?3`,
          )
          .all(query.after, JSON.stringify(query.schemas), query.limit)
      : this.#db
          .query(`SELECT ${eventColumns}, visibility, expires FROM log WHERE seq > ? ORDER BY seq LIMIT ?`)
          .all(query.after, query.limit)
    return rows.map(loggedOf)
  }

  #last(): number {
    return Number(this.#db.query('SELECT max(seq) FROM log').get()?.[0] ?? 0)
  }

  #horizon(): number {
    return Number(this.#db.query('SELECT position FROM cursors WHERE name = ?').get(horizonCursor)?.[0] ?? 0)
  }

  #deleteChain(seq: number): number {
    return this.#db
      .query(
        `DELETE FROM log WHERE seq IN (
           WITH RECURSIVE versions(seq, prev) AS (
             SELECT seq, prev FROM log WHERE seq = ?
             UNION ALL SELECT log.seq, log.prev FROM versions JOIN log ON log.seq = versions.prev)
           SELECT seq FROM versions)`,
      )
      .run(seq)
  }
}
