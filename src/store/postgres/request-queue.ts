// Requests waiting for their one response, in PostgreSQL. Claims skip rows that others look at; the response ends
// the claim in the transaction that appends it. All times are the database's.
import type { Principal } from '../../tool/principal.ts'
import type { Clock } from '../clock.ts'
import type { CrumbDraft } from '../crumb.ts'
import { Gather } from '../gather.ts'
import { crumbOf, eventOf, prepareNew } from '../log-row.ts'
import type { ClaimedRequest, RequestQueue, Taken, ToolLimits } from '../store.ts'
import { type Appender, opOf } from './appender.ts'
import type { Database, Row } from './database.ts'

export class PostgresRequestQueue implements RequestQueue {
  readonly #db: Database
  readonly #clock: Clock
  readonly #appender: Appender
  readonly #takes = new Gather<Take, Taken>((takes) => this.#takeAll(takes))

  constructor(db: Database, clock: Clock, appender: Appender) {
    this.#db = db
    this.#clock = clock
    this.#appender = appender
  }

  async claim(node: string, leaseMs: number, limits: ToolLimits = {}): Promise<ClaimedRequest | null> {
    const rows = await this.#db.once('SELECT * FROM claim_next($1, $2, $3)', [
      node,
      leaseMs,
      JSON.stringify(limits),
    ])
    return rows[0] ? claimedOf(rows[0]) : null
  }

  async take(id: string, node: string, leaseMs: number, limits: ToolLimits = {}): Promise<Taken> {
    return this.#takes.ask({ id, how: JSON.stringify([node, leaseMs, limits]) })
  }

  /** What is taken in the same way is taken in one call. */
  async #takeAll(takes: readonly Take[]): Promise<Taken[]> {
    const found = new Map<string, Taken>()
    for (const how of new Set(takes.map((take) => take.how))) {
      const [node, leaseMs, limits] = JSON.parse(how) as [string, number, ToolLimits]
      const ids = takes.filter((take) => take.how === how).map(({ id }) => id)
      const rows = await this.#db.once('SELECT * FROM claim_many($1, $2, $3, $4)', [
        [...new Set(ids)],
        node,
        leaseMs,
        JSON.stringify(limits),
      ])
      for (const [id, ...row] of rows) found.set(`${how} ${id}`, takenOf(row))
    }
    return takes.map(({ id, how }) => found.get(`${how} ${id}`)!)
  }

  async renew(node: string, leaseMs: number, ids?: readonly string[]): Promise<void> {
    // What is being finished this moment is skipped, so that the two never wait for each other.
    await this.#db.run(
      `UPDATE requests SET due = now_ms() + $2 WHERE seq IN (
         SELECT seq FROM requests WHERE state = 'claimed' AND node = $1 AND ($3::text[] IS NULL OR id = ANY ($3))
         FOR UPDATE SKIP LOCKED)`,
      [node, leaseMs, ids ?? null],
    )
  }

  async release(id: string, node: string, notBeforeMs: number): Promise<void> {
    await this.#db.run(
      `UPDATE requests SET state = 'waiting', node = NULL, due = $3
       WHERE id = $1 AND state = 'claimed' AND node = $2`,
      [id, node, notBeforeMs],
    )
  }

  async finish(
    id: string,
    node: string,
    response: CrumbDraft,
    also: readonly CrumbDraft[],
    principal: Principal,
  ): Promise<boolean> {
    const nowMs = this.#clock.now()
    const results = await this.#appender.append([
      {
        ...opOf(prepareNew(response, principal, nowMs), 'finish', 'created', principal, nowMs),
        claim: id,
        node,
        scope: 'response',
        key: id,
      },
      ...also.map((draft) => opOf(prepareNew(draft, principal, nowMs), 'also', 'created', principal, nowMs)),
    ])
    return !results[0]!.lost
  }

  async nextDueMs(): Promise<number | null> {
    const [row] = await this.#db.query("SELECT min(due) FROM requests WHERE state IN ('waiting', 'claimed')")
    return (row![0] as number | null) ?? null
  }

  async counts(): Promise<{ waiting: number; claimed: number; done: number }> {
    const rows = await this.#db.query('SELECT state, count(*) FROM requests GROUP BY state')
    const by = Object.fromEntries(rows.map((row) => [row[0], Number(row[1])]))
    return { waiting: by['waiting'] ?? 0, claimed: by['claimed'] ?? 0, done: by['done'] ?? 0 }
  }
}

interface Take {
  readonly id: string
  /** Node, lease and limits, as JSON. */
  readonly how: string
}

function takenOf(row: Row): Taken {
  const [state, atMs, ...rest] = row as [Taken['state'], number, ...unknown[]]
  if (state === 'claimed') return { state, claimed: claimedOf(rest) }
  return state === 'later' ? { state, atMs } : { state }
}

function claimedOf(row: Row): ClaimedRequest {
  return {
    crumb: crumbOf(row[2]),
    event: eventOf(row as never),
    attempts: row[5] as number,
    firstAtMs: row[6] as number,
  }
}
