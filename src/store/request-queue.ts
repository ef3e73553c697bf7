// What both databases do alike with requests that wait for their one response. A claim is a row with a node and a
// lease; how one is taken and ended is the database's own way.
import { crumbOf, eventOf } from './log-row.ts'
import type { Row, Sql } from './sql.ts'
import type { ClaimedRequest, RequestQueue } from './store.ts'

export function requestReads(
  sql: Sql,
): Pick<RequestQueue, 'renew' | 'release' | 'responseTo' | 'nextDueMs' | 'counts'> {
  return {
    async renew(node, leaseMs, ids) {
      // What is being finished this moment is skipped, so that the two never wait for each other.
      await sql.run(
        `UPDATE requests SET due = :now + $2 WHERE seq IN (
           SELECT seq FROM requests WHERE state = 'claimed' AND node = $1 ${ids ? 'AND id = ANY ($3)' : ''} FOR UPDATE SKIP LOCKED)`,
        ids ? [node, leaseMs, ids] : [node, leaseMs],
      )
    },

    async release(id, node, notBeforeMs) {
      await sql.run(
        `UPDATE requests SET state = 'waiting', node = NULL, due = $3
         WHERE id = $1 AND state = 'claimed' AND node = $2`,
        [id, node, notBeforeMs],
      )
    },

    async responseTo(id) {
      const row = await sql.first('SELECT response FROM requests WHERE id = $1', [id])
      return (row?.[0] as string | null | undefined) ?? null
    },

    async nextDueMs() {
      const row = await sql.first("SELECT min(due) FROM requests WHERE state IN ('waiting', 'claimed')")
      return (row![0] as number | null) ?? null
    },

    async counts() {
      const rows = await sql.query('SELECT state, count(*) FROM requests GROUP BY state')
      const by = Object.fromEntries(rows.map((row) => [row[0], Number(row[1])]))
      return { waiting: by['waiting'] ?? 0, claimed: by['claimed'] ?? 0, done: by['done'] ?? 0 }
    },
  }
}

/** A row with the columns of an event, then attempts and the time of the first. */
export function claimedOf(row: Row): ClaimedRequest {
  return {
    crumb: crumbOf(row[2]),
    event: eventOf(row),
    attempts: row[5] as number,
    firstAtMs: row[6] as number,
  }
}
