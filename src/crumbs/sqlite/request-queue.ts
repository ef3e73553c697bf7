// Requests waiting for their one response. A claim is a row with a node and a lease; it ends in the same
// transaction that writes the response.
import type { Clock } from '../clock.ts'
import type { Actor, CrumbDraft } from '../crumb.ts'
import type { ClaimedRequest, RequestQueue } from '../store.ts'
import { takeKey } from './crumb-table.ts'
import type { Database } from './database.ts'
import { appendWrite, crumbOf, eventColumns, eventOf, prepareNew } from './log.ts'

export class SqliteRequestQueue implements RequestQueue {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  async claim(node: string, leaseMs: number): Promise<ClaimedRequest | null> {
    // Most looks find nothing: look without a write transaction first.
    if (this.#db.read(() => this.#nextFree()) === null) return null
    return this.#db.write(() => {
      for (;;) {
        const seq = this.#nextFree()
        if (seq === null) return null
        const row = this.#db
          .query(
            `SELECT ${eventColumns}, heads.seq FROM log LEFT JOIN heads ON heads.id = log.id WHERE log.seq = ?`,
          )
          .get(seq)
        if (!row || row[5] === null) {
          this.#db.query("UPDATE requests SET state = 'gone', node = NULL WHERE seq = ?").run(seq)
          continue
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
    })
  }

  async renew(node: string, leaseMs: number): Promise<void> {
    await this.#db.write(() =>
      this.#db
        .query("UPDATE requests SET due = ? WHERE state = 'claimed' AND node = ?")
        .run(this.#clock.now() + leaseMs, node),
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
    actor: Actor,
  ): Promise<boolean> {
    const nowMs = this.#clock.now()
    const answer = prepareNew(response, actor, nowMs)
    const others = also.map((draft) => prepareNew(draft, actor, nowMs))
    return this.#db.write(() => {
      const claim = this.#db.query('SELECT state, node FROM requests WHERE id = ?').get(id)
      if (claim?.[0] !== 'claimed' || claim[1] !== node) return false
      if (this.#db.query("SELECT 1 FROM unique_keys WHERE scope = 'response' AND key = ?").get(id))
        return false
      appendWrite(this.#db, answer, 'created', null, actor, nowMs)
      for (const other of others) appendWrite(this.#db, other, 'created', null, actor, nowMs)
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

  #nextFree(): number | null {
    const row = this.#db
      .query("SELECT min(seq) FROM requests WHERE state IN ('waiting', 'claimed') AND due <= ?")
      .get(this.#clock.now())
    return row?.[0] === null || row === undefined ? null : Number(row[0])
  }
}
