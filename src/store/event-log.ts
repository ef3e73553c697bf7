// The feed: the log itself, read by position. What lies before the horizon is no longer promised. How a process hears
// of new events is the database's own way.
import type { Clock } from './clock.ts'
import type { Visibility } from './crumb.ts'
import { eventColumns, eventOf } from './log-row.ts'
import { type Row, type Sql, Values } from './sql.ts'
import type { EventLog, EventQuery, LoggedEvent } from './store.ts'

const horizonCursor = 'events:horizon'
/** How many events are looked at in one transaction. */
const trimRows = 10_000
const ended = `WHERE seq <= $1 AND state NOT IN ('waiting', 'claimed')
  AND NOT EXISTS (SELECT 1 FROM heads WHERE heads.id = requests.id)`
const columns = `${eventColumns}, log.visibility, log.expires`

export function eventReads(sql: Sql, clock: Clock): Omit<EventLog, 'onAppend' | 'endsAt'> {
  const horizon = async (): Promise<number> => {
    const row = await sql.first('SELECT position FROM cursors WHERE name = $1', [horizonCursor])
    return Number(row?.[0] ?? 0)
  }
  return {
    async after(query) {
      const values = new Values()
      return (await sql.query(selectAfter(query, values), values.list)).map(loggedOf)
    },

    async pageAfter(query) {
      // One statement sees one state: the end of the feed belongs to the rows beside it.
      const values = new Values()
      const rows = await sql.query(
        `SELECT feed_end.last, found.* FROM (SELECT coalesce(max(seq), 0) AS last FROM log) AS feed_end
         LEFT JOIN (${selectAfter(query, values)}) AS found ON true ORDER BY found.seq`,
        values.list,
      )
      const events = rows.filter((row) => row[1] !== null).map((row) => loggedOf(row.slice(1)))
      const last = Math.max(query.after, Number(rows[0]![0]))
      return { events, upTo: events.length < query.limit ? last : events.at(-1)!.seq }
    },

    async ofCrumb(id) {
      const rows = await sql.query(
        `WITH RECURSIVE versions(seq, prev) AS (
           SELECT log.seq, log.prev FROM heads JOIN log ON log.seq = heads.seq WHERE heads.id = $1
           UNION ALL SELECT log.seq, log.prev FROM versions JOIN log ON log.seq = versions.prev)
         SELECT ${columns} FROM versions JOIN log ON log.seq = versions.seq ORDER BY log.seq`,
        [id],
      )
      return rows.map(loggedOf)
    },

    async chain(root, limit) {
      const position = /^\d{1,15}$/.test(root) ? Number(root) : 0
      const rows = await sql.query(
        `SELECT ${columns} FROM log WHERE seq = $1
         UNION ALL
         SELECT ${columns} FROM log WHERE log.causation IS NOT NULL AND log.root = $2
         ORDER BY 1 LIMIT $3`,
        [position, root, limit],
      )
      return rows.map(loggedOf)
    },

    async last() {
      return Number((await sql.first('SELECT coalesce(max(seq), 0) FROM log'))![0])
    },

    horizon,

    async trim(olderThanMs) {
      const before = clock.now() - olderThanMs
      for (let gone = 0; ; ) {
        const old = await sql.query(
          `SELECT seq, type, schema_name FROM (SELECT seq, type, at, schema_name FROM log WHERE seq > $1 ORDER BY seq LIMIT $2) AS oldest
           WHERE at < $3 AND seq < (SELECT max(seq) FROM log) ORDER BY seq`,
          [await horizon(), trimRows, before],
        )
        if (old.length > 0) gone += await forget(old)
        if (old.length < trimRows) return gone
      }
    },
  }

  /** Takes away what ended among these events, and the requests before their last that nobody can ask for again. */
  async function forget(old: readonly Row[]): Promise<number> {
    const ends = old.filter(([, type]) => type === 'deleted').map(([seq]) => seq as number)
    const catalogs = old.filter(([, , schema]) => schema === 'tool.catalog.v1').map(([seq]) => seq as number)
    const last = old.at(-1)![0] as number
    const [gone] = await sql.runInTurn('trim', [
      // A deleted crumb takes its whole history with it; the versions of a living one stay. But the crib writes its
      // catalog anew with each change of a tool, and nobody asks what it was.
      {
        sql: `DELETE FROM log WHERE seq IN (
                WITH RECURSIVE versions(seq, prev) AS (
                  SELECT seq, prev FROM log WHERE seq = ANY ($1)
                  UNION ALL SELECT log.seq, log.prev FROM versions JOIN log ON log.seq = versions.prev)
                SELECT seq FROM versions)
              OR (seq = ANY ($2) AND NOT EXISTS (SELECT 1 FROM heads WHERE heads.seq = log.seq))`,
        values: [ends, catalogs],
      },
      {
        sql: `DELETE FROM unique_keys WHERE scope = 'response' AND key IN (SELECT id FROM requests ${ended})`,
        values: [last],
      },
      { sql: `DELETE FROM requests ${ended}`, values: [last] },
      {
        sql: `INSERT INTO cursors(name, position, working, attempts, note) VALUES ($1, $2, 0, 0, 'null')
              ON CONFLICT (name) DO UPDATE SET position = excluded.position`,
        values: [horizonCursor, last],
      },
    ])
    return gone!
  }
}

function selectAfter(query: EventQuery, values: Values): string {
  const after = values.add(query.after)
  let where = `log.seq > ${after}`
  if (query.schemas) {
    const schemas = values.add(query.schemas)
    const leavers = query.withLeavers
      ? `OR EXISTS (SELECT 1 FROM log AS former
           WHERE former.seq = log.prev AND former.schema_name = ANY (${schemas}))`
      : ''
    where += ` AND (log.schema_name = ANY (${schemas}) ${leavers})`
  }
  return `SELECT ${columns} FROM log WHERE ${where} ORDER BY log.seq LIMIT ${values.add(query.limit)}`
}

function loggedOf(row: Row): LoggedEvent {
  return {
    seq: row[0] as number,
    event: eventOf(row),
    visibility: row[5] as Visibility,
    expiresMs: row[6] as number | null,
  }
}
