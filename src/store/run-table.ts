// The audit chain as it is read, and how its oldest records go. Each database appends in its own way: position and
// hash are given inside the transaction, so that any number of processes append to one chain.

import { runConditions } from './run-conditions.ts'
import type { RunEntry, RunQuery, RunRow, SealedRun } from './run-record.ts'
import { runStats } from './run-stats.ts'
import { type Row, type Sql, Values } from './sql.ts'
import type { RunTable } from './store.ts'

const columns = 'seq, body, hash, (SELECT hash FROM runs AS former WHERE former.seq = runs.seq - 1)'
/** How many records are looked at in one transaction. */
const trimRows = 10_000

export function runTable(sql: Sql, append: (rows: readonly RunRow[]) => Promise<void>): RunTable {
  const base = async (): Promise<{ count: number; hash: string }> => {
    const row = await sql.first('SELECT base, base_hash FROM runs_head')
    return { count: Number(row![0]), hash: String(row![1]) }
  }
  return {
    async append(rows) {
      if (rows.length > 0) await append(rows)
    },

    async list(query: RunQuery) {
      const values = new Values()
      const where = [
        `seq < ${values.add(query.before ?? Number.MAX_SAFE_INTEGER)}`,
        ...runConditions(query, values),
      ]
      const rows = await sql.query(
        `SELECT ${columns} FROM runs WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT ${values.add(query.limit)}`,
        values.list,
      )
      return rows.map(sealedOf)
    },

    stats: (query) => runStats(sql, query),

    async get(runId) {
      const row = await sql.first(
        `SELECT ${columns} FROM runs WHERE run_id = $1 ORDER BY kind = 'run' DESC, seq DESC LIMIT 1`,
        [runId],
      )
      return row ? sealedOf(row) : null
    },

    async idsFrom(beginning, limit) {
      const rows = await sql.query(
        `SELECT DISTINCT run_id FROM runs WHERE run_id >= $1 COLLATE "C" AND run_id < $2 COLLATE "C" AND run_id NOT LIKE '%.%' LIMIT $3`,
        [beginning, `${beginning}\u{10ffff}`, limit],
      )
      return rows.map(([runId]) => String(runId)).sort()
    },

    async read(from, limit) {
      const rows = await sql.query(
        'SELECT seq, body, hash, run_id, kind, tool, caller, ok FROM runs WHERE seq >= $1 ORDER BY seq LIMIT $2',
        [from, limit],
      )
      return rows.map(([seq, body, hash, runId, kind, tool, caller, ok]) => ({
        seq: Number(seq),
        body: String(body),
        hash: String(hash),
        runId: String(runId),
        kind: String(kind),
        tool: String(tool),
        caller: String(caller),
        ok: ok === null ? null : ok === 1,
      }))
    },

    async head() {
      const row = await sql.first('SELECT count, hash FROM runs_head')
      return { count: Number(row![0]), hash: String(row![1]) }
    },

    base,

    async trim(before) {
      for (let gone = 0; ; ) {
        const { count } = await base()
        const rows = await sql.query(
          'SELECT seq, hash, started FROM runs WHERE seq > $1 ORDER BY seq LIMIT $2',
          [count, trimRows],
        )
        const firstKept = rows.findIndex(([, , started]) => String(started) >= before)
        const last = rows[(firstKept < 0 ? rows.length : firstKept) - 1]
        if (!last) return gone
        const [seq, hash] = last as [number, string]
        const [, removed] = await sql.runInTurn('runs', [
          { sql: 'UPDATE runs_head SET base = $1, base_hash = $2 WHERE base < $1', values: [seq, hash] },
          { sql: 'DELETE FROM runs WHERE seq <= $1', values: [seq] },
        ])
        gone += removed!
      }
    },
  }
}

function sealedOf(row: Row): SealedRun {
  const [seq, body, hash, previous] = row as [number, string, string, string | null]
  return { ...(JSON.parse(body) as RunEntry), seq, hash, previous: previous ?? '' }
}
