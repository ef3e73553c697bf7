// Requests in PostgreSQL. Claims skip rows that others look at; the response ends the claim in the transaction that
// appends it. All times are the database's.
import { Gather } from '../gather.ts'
import { prepareNew } from '../log-row.ts'
import { claimedOf, requestReads } from '../request-queue.ts'
import type { Row, Sql } from '../sql.ts'
import type { RequestQueue, Taken, ToolLimits } from '../store.ts'
import { type Appender, opOf } from './appender.ts'
import type { Database } from './database.ts'

export function postgresRequestQueue(db: Database, sql: Sql, appender: Appender): RequestQueue {
  const takes = new Gather<Take, Taken>((asked) => takeAll(db, asked))
  return {
    ...requestReads(sql),

    async claim(node, leaseMs, limits = {}) {
      const values = [node, leaseMs, JSON.stringify(limits)]
      const [row] = await db.once('SELECT * FROM claim_next($1, $2, $3)', values)
      return row ? claimedOf(row) : null
    },

    take: (id, node, leaseMs, limits = {}) => takes.ask({ id, how: JSON.stringify([node, leaseMs, limits]) }),

    async finish(id, node, response, also, principal) {
      const nowMs = db.clock.now()
      const answer = opOf(prepareNew(response, principal, nowMs), {
        kind: 'finish',
        type: 'created',
        principal,
        atMs: nowMs,
      })
      const results = await appender.append([
        { ...answer, claim: id, node, scope: 'response', key: id },
        ...also.map((draft) =>
          opOf(prepareNew(draft, principal, nowMs), {
            kind: 'also',
            type: 'created',
            principal,
            atMs: nowMs,
          }),
        ),
      ])
      return !results[0]!.lost
    },
  }
}

interface Take {
  readonly id: string
  /** Node, lease and limits, as JSON. */
  readonly how: string
}

/** What is taken in the same way is taken in one call. */
async function takeAll(db: Database, takes: readonly Take[]): Promise<Taken[]> {
  const found = new Map<string, Taken>()
  for (const how of new Set(takes.map((take) => take.how))) {
    const [node, leaseMs, limits] = JSON.parse(how) as [string, number, ToolLimits]
    const ids = takes.filter((take) => take.how === how).map(({ id }) => id)
    const rows = await db.once('SELECT * FROM claim_many($1, $2, $3, $4)', [
      [...new Set(ids)],
      node,
      leaseMs,
      JSON.stringify(limits),
    ])
    for (const [id, ...row] of rows) found.set(`${how} ${id}`, takenOf(row))
  }
  return takes.map(({ id, how }) => found.get(`${how} ${id}`)!)
}

function takenOf(row: Row): Taken {
  const [state, atMs, ...rest] = row as [Taken['state'], number, ...unknown[]]
  if (state === 'claimed') return { state, claimed: claimedOf(rest) }
  return state === 'later' ? { state, atMs } : { state }
}
