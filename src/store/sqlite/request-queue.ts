// Requests waiting for their one response. A claim is a row with a node and a lease; it ends in the same
// transaction that writes the response.
import type { Principal } from '../../tool/principal.ts'
import type { Clock } from '../clock.ts'
import type { CrumbDraft } from '../crumb.ts'
import { crumbOf, eventColumns, eventOf, prepareNew } from '../log-row.ts'
import type { ClaimedRequest, RequestQueue, Taken, ToolLimits } from '../store.ts'
import { takeKey } from './crumb-table.ts'
import type { Database, Value } from './database.ts'
import { appendWrite } from './log.ts'

/** When to look again after a request whose tool is busy. */
const busyMs = 250

export class SqliteRequestQueue implements RequestQueue {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  async claim(node: string, leaseMs: number, limits: ToolLimits = {}): Promise<ClaimedRequest | null> {
    // Most looks find nothing: look without a write transaction first, which would wake everybody to look again.
    if (this.#db.read(() => this.#nextFree(limits)) === null) return null
    return this.#db.write(() => {
      for (;;) {
        const seq = this.#nextFree(limits)
        if (seq === null) return null
        const claimed = this.#claimRow(seq, node, leaseMs)
        if (claimed) return claimed
      }
    })
  }

  take(id: string, node: string, leaseMs: number, limits: ToolLimits = {}): Promise<Taken> {
    return this.#db.write(() => {
      const now = this.#clock.now()
      const row = this.#db.query('SELECT seq, state, due, tool FROM requests WHERE id = ?').get(id)
      if (!row) return { state: 'unknown' }
      const [seq, state, due, tool] = row as [number, string, number, string | null]
      if (state !== 'waiting' && state !== 'claimed') return { state: 'done' }
      if (due > now) return { state: 'later', atMs: due }
      if (tool !== null && this.#busyTools(limits).includes(tool))
        return { state: 'later', atMs: now + busyMs }
      const claimed = this.#claimRow(seq, node, leaseMs)
      return claimed ? { state: 'claimed', claimed } : { state: 'done' }
    })
  }

  async renew(node: string, leaseMs: number, ids?: readonly string[]): Promise<void> {
    const until = this.#clock.now() + leaseMs
    await this.#db.write(() =>
      ids === undefined
        ? this.#db.query("UPDATE requests SET due = ? WHERE state = 'claimed' AND node = ?").run(until, node)
        : this.#db
            .query(
              `UPDATE requests SET due = ? WHERE state = 'claimed' AND node = ?
               AND id IN (SELECT value FROM json_each(?))`,
            )
            .run(until, node, JSON.stringify(ids)),
    )
  }

  async release(id: string, node: string, notBeforeMs: number): Promise<void> {
    await this.#db.write(() =>
      this.#db
        .query(
          "UPDATE requests SET state = 'waiting', node = NULL, due = ? WHERE id = ? AND state = 'claimed' AND node = ?",
        )
        .run(notBeforeMs, id, node),
    )
  }

  finish(
    id: string,
    node: string,
    response: CrumbDraft,
    also: readonly CrumbDraft[],
    principal: Principal,
  ): Promise<boolean> {
    const nowMs = this.#clock.now()
    const answer = prepareNew(response, principal, nowMs)
    const others = also.map((draft) => prepareNew(draft, principal, nowMs))
    return this.#db.write(() => {
      const claim = this.#db.query('SELECT state, node FROM requests WHERE id = ?').get(id)
      if (claim?.[0] !== 'claimed' || claim[1] !== node) return false
      if (this.#db.query("SELECT 1 FROM unique_keys WHERE scope = 'response' AND key = ?").get(id))
        return false
      appendWrite(this.#db, answer, 'created', null, principal, nowMs)
      for (const other of others) appendWrite(this.#db, other, 'created', null, principal, nowMs)
      takeKey(this.#db, { scope: 'response', key: id }, answer.crumb.id, 1)
      this.#db
        .query("UPDATE requests SET state = 'done', node = NULL, response = ? WHERE id = ?")
        .run(answer.crumb.id, id)
      return true
    })
  }

  async nextDueMs(): Promise<number | null> {
    const row = this.#db.read(() =>
      this.#db.query("SELECT min(due) FROM requests WHERE state IN ('waiting', 'claimed')").get(),
    )
    return row?.[0] === null || row === undefined ? null : Number(row[0])
  }

  async counts(): Promise<{ waiting: number; claimed: number; done: number }> {
    const rows = this.#db.read(() =>
      this.#db.query('SELECT state, count(*) FROM requests GROUP BY state').all(),
    )
    const by = Object.fromEntries(rows.map((row) => [row[0], Number(row[1])]))
    return { waiting: by['waiting'] ?? 0, claimed: by['claimed'] ?? 0, done: by['done'] ?? 0 }
  }

  /** Null: the crumb of the request is gone, and so is the request now. */
  #claimRow(seq: number, node: string, leaseMs: number): ClaimedRequest | null {
    const row = this.#db
      .query(
        `SELECT ${eventColumns}, heads.seq FROM log LEFT JOIN heads ON heads.id = log.id WHERE log.seq = ?`,
      )
      .get(seq)
    if (!row || row[5] === null) {
      this.#db.query("UPDATE requests SET state = 'gone', node = NULL WHERE seq = ?").run(seq)
      return null
    }
    this.#db
      .query(
        "UPDATE requests SET state = 'claimed', node = ?, due = ?, attempts = attempts + 1 WHERE seq = ?",
      )
      .run(node, this.#clock.now() + leaseMs, seq)
    const [attempts, firstAtMs] = this.#db
      .query('SELECT attempts, first_at FROM requests WHERE seq = ?')
      .get(seq) as [number, number]
    return { crumb: crumbOf(row[2]), event: eventOf(row), attempts, firstAtMs }
  }

  #nextFree(limits: ToolLimits): number | null {
    const busy = this.#busyTools(limits)
    const values: Value[] = [this.#clock.now()]
    if (busy.length > 0) values.push(JSON.stringify(busy))
    const row = this.#db
      .query(
        `SELECT min(seq) FROM requests WHERE state IN ('waiting', 'claimed') AND due <= ?
         ${busy.length > 0 ? 'AND (tool IS NULL OR tool NOT IN (SELECT value FROM json_each(?)))' : ''}`,
      )
      .get(...values)
    return row?.[0] === null || row === undefined ? null : Number(row[0])
  }

  /** Tools that run as often as they may. */
  #busyTools(limits: ToolLimits): string[] {
    const names = Object.keys(limits)
    if (names.length === 0) return []
    return this.#db
      .query(
        `SELECT tool, count(*) FROM (
           SELECT tool FROM requests WHERE state = 'claimed' AND due > ?1
           UNION ALL SELECT tool FROM places WHERE until > ?1)
         WHERE tool IN (SELECT value FROM json_each(?2)) GROUP BY tool`,
      )
      .all(this.#clock.now(), JSON.stringify(names))
      .filter(([tool, count]) => Number(count) >= limits[String(tool)]!)
      .map(([tool]) => String(tool))
  }
}
