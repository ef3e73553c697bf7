// The feed in PostgreSQL: the log itself, read by position. Wake-ups come from this process's own commits, and
// from others by NOTIFY, or by the bus when there is one.
import type { Client } from 'pg'
import type { Clock } from '../clock.ts'
import type { Visibility } from '../crumb.ts'
import { eventColumns, eventOf } from '../log-row.ts'
import type { EventLog, EventPage, EventQuery, LoggedEvent } from '../store.ts'
import { plain } from './appender.ts'
import type { Database, Row } from './database.ts'

const horizonCursor = 'events:horizon'
const trimRows = 10_000
/** How often is looked while nobody would tell. */
const pollMs = 1_000
const columns = `${eventColumns}, log.visibility, log.expires`
const leavers =
  'OR EXISTS (SELECT 1 FROM log AS former WHERE former.seq = log.prev AND former.schema_name = ANY ($2))'

export class PostgresEventLog implements EventLog {
  readonly #db: Database
  readonly #clock: Clock
  readonly #listeners = new Map<() => void, ReadonlySet<string> | undefined>()
  #client: Client | null = null
  #poll: NodeJS.Timeout | null = null
  #isConnecting = false
  #isClosed = false
  /** True: the bus tells of others' writes, so nobody needs to listen to the database. */
  isTold = false

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  async after(query: EventQuery): Promise<readonly LoggedEvent[]> {
    const rows = query.schemas
      ? await this.#db.query(
          `SELECT ${columns} FROM log
           WHERE seq > $1 AND (schema_name = ANY ($2) ${query.withLeavers ? leavers : ''}) ORDER BY seq LIMIT $3`,
          [query.after, query.schemas.map(plain), query.limit],
        )
      : await this.#db.query(`SELECT ${columns} FROM log WHERE seq > $1 ORDER BY seq LIMIT $2`, [
          query.after,
          query.limit,
        ])
    return rows.map(loggedOf)
  }

  async pageAfter({ after, limit, schemas, withLeavers }: EventQuery): Promise<EventPage> {
    // One statement sees one state: the end of the feed belongs to the rows beside it.
    const rows = await this.#db.query(
      `SELECT feed.last, found.* FROM feed LEFT JOIN LATERAL (
         SELECT ${columns} FROM log
         WHERE seq > $1 AND ($2::text[] IS NULL OR schema_name = ANY ($2) ${withLeavers ? leavers : ''})
         ORDER BY seq LIMIT $3
       ) AS found ON true ORDER BY found.seq`,
      [after, schemas?.map(plain) ?? null, limit],
    )
    const events = rows.filter((row) => row[1] !== null).map((row) => loggedOf(row.slice(1)))
    const last = Math.max(after, Number(rows[0]![0]))
    return { events, upTo: events.length < limit ? last : events.at(-1)!.seq }
  }

  async ofCrumb(id: string): Promise<readonly LoggedEvent[]> {
    const rows = await this.#db.query(
      `WITH RECURSIVE versions(seq, prev) AS (
         SELECT log.seq, log.prev FROM heads JOIN log ON log.seq = heads.seq WHERE heads.id = $1
         UNION ALL SELECT log.seq, log.prev FROM versions JOIN log ON log.seq = versions.prev)
       SELECT ${columns} FROM versions JOIN log ON log.seq = versions.seq ORDER BY log.seq`,
      [plain(id)],
    )
    return rows.map(loggedOf)
  }

  async chain(root: string, limit: number): Promise<readonly LoggedEvent[]> {
    const position = /^\d{1,15}$/.test(root) ? Number(root) : 0
    const rows = await this.#db.query(
      `SELECT ${columns} FROM log WHERE seq = $1 OR root = $2 ORDER BY seq LIMIT $3`,
      [position, plain(root), limit],
    )
    return rows.map(loggedOf)
  }

  async last(): Promise<number> {
    return Number((await this.#db.query('SELECT last FROM feed'))[0]![0])
  }

  async horizon(): Promise<number> {
    const rows = await this.#db.query('SELECT position FROM cursors WHERE name = $1', [horizonCursor])
    return Number(rows[0]?.[0] ?? 0)
  }

  trim(olderThanMs: number): Promise<number> {
    const before = this.#clock.now() - olderThanMs
    return this.#db.transaction('', async (query) => {
      await query('SELECT pg_advisory_xact_lock(hashtext($1))', [`toolcrib trim ${this.#db.schema}`])
      const [at] = await query('SELECT position FROM cursors WHERE name = $1', [horizonCursor])
      const old = await query(
        `SELECT seq, type FROM (SELECT seq, type, at FROM log WHERE seq > $1 ORDER BY seq LIMIT $2) AS oldest
         WHERE at < $3 AND seq < (SELECT last FROM feed) ORDER BY seq`,
        [Number(at?.[0] ?? 0), trimRows, before],
      )
      if (old.length === 0) return 0
      // A deleted crumb takes its whole history with it; the versions of a living one stay.
      const ends = old.filter(([, type]) => type === 'deleted').map(([seq]) => seq)
      const gone = await query(
        `WITH RECURSIVE versions(seq, prev) AS (
           SELECT seq, prev FROM log WHERE seq = ANY ($1)
           UNION ALL SELECT log.seq, log.prev FROM versions JOIN log ON log.seq = versions.prev)
         DELETE FROM log WHERE seq IN (SELECT seq FROM versions) RETURNING seq`,
        [ends],
      )
      await query(
        `INSERT INTO cursors(name, position, working, attempts, note) VALUES ($1, $2, 0, 0, 'null')
         ON CONFLICT (name) DO UPDATE SET position = excluded.position`,
        [horizonCursor, old.at(-1)![0]],
      )
      return gone.length
    })
  }

  onAppend(listener: () => void, schemas?: ReadonlySet<string>): () => void {
    this.#listeners.set(listener, schemas)
    if (!this.#poll) {
      this.#poll = setInterval(() => this.#look(), pollMs)
      this.#poll.unref()
      this.#look()
    }
    return () => this.#listeners.delete(listener)
  }

  /** Something was written, of these schemas or of any: who waits for it looks. */
  ring(written?: ReadonlySet<string | null>): void {
    for (const [listener, schemas] of this.#listeners)
      if (!written || !schemas || [...written].some((schema) => schema !== null && schemas.has(schema)))
        listener()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#poll) clearInterval(this.#poll)
    this.#listeners.clear()
    await this.#client?.end().catch(() => {})
  }

  /** Without a connection that listens: get one, and look oneself until it is there. */
  #look(): void {
    if (this.isTold || this.#client || this.#isClosed) return
    this.ring()
    if (!this.#isConnecting) void this.#listen()
  }

  async #listen(): Promise<void> {
    this.#isConnecting = true
    const client = this.#db.client()
    const drop = (): void => {
      if (this.#client === client) this.#client = null
    }
    client.on('error', drop)
    client.on('end', drop)
    client.on('notification', () => this.ring())
    try {
      await client.connect()
      await client.query(`LISTEN "toolcrib:${this.#db.schema}"`)
      this.#client = client
      if (this.#isClosed) await client.end()
      else this.ring()
    } catch {
      // The next poll tries again; queries tell what is wrong.
      await client.end().catch(() => {})
    }
    this.#isConnecting = false
  }
}

function loggedOf(row: Row): LoggedEvent {
  return {
    seq: row[0] as number,
    event: eventOf(row as never),
    visibility: row[5] as Visibility,
    expiresMs: row[6] as number | null,
  }
}
