// Requests in SQLite. A claim ends in the same transaction that writes the response.
import type { Clock } from '../clock.ts'
import { eventColumns, prepareNew } from '../log-row.ts'
import { claimedOf, requestReads } from '../request-queue.ts'
import type { Sql } from '../sql.ts'
import type { ClaimedRequest, RequestQueue, ToolLimits } from '../store.ts'
import type { Database, Value } from './database.ts'
import { append, takeKey } from './log-writer.ts'

/** When to look again after a request whose tool is busy. */
const busyMs = 250

export function sqliteRequestQueue(db: Database, sql: Sql, clock: Clock): RequestQueue {
  return {
    ...requestReads(sql),

    async claim(node, leaseMs, limits = {}) {
      // Most looks find nothing: look without a write transaction first, which would wake everybody to look again.
      if (db.read(() => nextFree(limits)) === null) return null
      return db.write(() => {
        for (;;) {
          const seq = nextFree(limits)
          if (seq === null) return null
          const claimed = claimRow(seq, node, leaseMs)
          if (claimed) return claimed
        }
      })
    },

    take(id, node, leaseMs, limits = {}) {
      return db.write(() => {
        const now = clock.now()
        const row = db.query('SELECT seq, state, due, tool FROM requests WHERE id = ?').get(id)
        if (!row) return { state: 'unknown' }
        const [seq, state, due, tool] = row as [number, string, number, string | null]
        if (state !== 'waiting' && state !== 'claimed') return { state: 'done' }
        if (due > now) return { state: 'later', atMs: due }
        if (tool !== null && busyTools(limits).includes(tool)) return { state: 'later', atMs: now + busyMs }
        const claimed = claimRow(seq, node, leaseMs)
        return claimed ? { state: 'claimed', claimed } : { state: 'done' }
      })
    },

    finish(id, node, response, also, principal) {
      const atMs = clock.now()
      const answer = prepareNew(response, principal, atMs)
      const others = also.map((draft) => prepareNew(draft, principal, atMs))
      return db.write(() => {
        const claim = db.query('SELECT state, node FROM requests WHERE id = ?').get(id)
        if (claim?.[0] !== 'claimed' || claim[1] !== node) return false
        if (db.query("SELECT 1 FROM unique_keys WHERE scope = 'response' AND key = ?").get(id)) return false
        for (const write of [answer, ...others]) append(db, write, { type: 'created', principal, atMs })
        takeKey(db, { scope: 'response', key: id }, answer.crumb.id)
        db.query("UPDATE requests SET state = 'done', node = NULL, response = ? WHERE id = ?").run(
          answer.crumb.id,
          id,
        )
        return true
      })
    },
  }

  /** Null: the crumb of the request is gone, and so is the request now. */
  function claimRow(seq: number, node: string, leaseMs: number): ClaimedRequest | null {
    const lives = 'SELECT 1 FROM log JOIN heads ON heads.id = log.id WHERE log.seq = ?'
    if (!db.query(lives).get(seq)) {
      db.query("UPDATE requests SET state = 'gone', node = NULL WHERE seq = ?").run(seq)
      return null
    }
    db.query(
      "UPDATE requests SET state = 'claimed', node = ?, due = ?, attempts = attempts + 1 WHERE seq = ?",
    ).run(node, clock.now() + leaseMs, seq)
    const row = db
      .query(
        `SELECT ${eventColumns}, requests.attempts, requests.first_at
         FROM log JOIN requests ON requests.seq = log.seq WHERE log.seq = ?`,
      )
      .get(seq)
    return claimedOf(row!)
  }

  function nextFree(limits: ToolLimits): number | null {
    const busy = busyTools(limits)
    const values: Value[] = [clock.now()]
    if (busy.length > 0) values.push(JSON.stringify(busy))
    const row = db
      .query(
        `SELECT min(seq) FROM requests WHERE state IN ('waiting', 'claimed') AND due <= ?
         ${busy.length > 0 ? 'AND (tool IS NULL OR tool NOT IN (SELECT value FROM json_each(?)))' : ''}`,
      )
      .get(...values)
    return row?.[0] === null || row === undefined ? null : Number(row[0])
  }

  /** Tools that run as often as they may. */
  function busyTools(limits: ToolLimits): string[] {
    const names = Object.keys(limits)
    if (names.length === 0) return []
    return db
      .query(
        `SELECT tool, count(*) FROM (
           SELECT tool FROM requests WHERE state = 'claimed' AND due > ?1
           UNION ALL SELECT tool FROM places WHERE until > ?1)
         WHERE tool IN (SELECT value FROM json_each(?2)) GROUP BY tool`,
      )
      .all(clock.now(), JSON.stringify(names))
      .filter(([tool, count]) => Number(count) >= limits[String(tool)]!)
      .map(([tool]) => String(tool))
  }
}
