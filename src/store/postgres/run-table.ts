// The audit chain in PostgreSQL. Position and hash are given inside the transaction by the database, so any
// number of nodes append to one chain.
import type { RunEntry, RunQuery, RunRow, SealedRun, StoredRun } from '../run-record.ts'
import type { RunTable } from '../store.ts'
import { plain } from './appender.ts'
import type { Database, Row } from './database.ts'

const columns = 'seq, body, hash, (SELECT hash FROM runs AS before WHERE before.seq = runs.seq - 1)'

export class PostgresRunTable implements RunTable {
  readonly #db: Database
  #last: Promise<unknown> = Promise.resolve()

  constructor(db: Database) {
    this.#db = db
  }

  async append(rows: readonly RunRow[]): Promise<void> {
    if (rows.length === 0) return
    const given = rows.map(([runId, kind, tool, caller, ok, body]) => ({
      run_id: plain(runId),
      kind,
      tool: plain(tool),
      caller: plain(caller),
      ok,
      body,
    }))
    // One batch after the other: over several connections they could overtake each other.
    const after = this.#last.catch(() => {})
    this.#last = after.then(() => this.#db.once('SELECT append_runs($1)', [JSON.stringify(given)]))
    await this.#last
  }

  async list(query: RunQuery): Promise<readonly SealedRun[]> {
    const values: unknown[] = [query.before ?? Number.MAX_SAFE_INTEGER]
    const where = ['seq < $1']
    const add = (sql: (place: string) => string, value: unknown): void => {
      if (value === undefined) return
      values.push(value)
      where.push(sql(`$${values.length}`))
    }
    add((n) => `tool = ${n}`, query.tool && plain(query.tool))
    add((n) => `caller = ${n}`, query.caller && plain(query.caller))
    add((n) => `surface = ${n}`, query.surface && plain(query.surface))
    add((n) => `started >= ${n} COLLATE "C"`, query.since)
    add((n) => `ok = ${n}`, query.ok === undefined ? undefined : Number(query.ok))
    add((n) => `kind = ANY (${n})`, query.kinds)
    values.push(query.limit)
    const rows = await this.#db.query(
      `SELECT ${columns} FROM runs WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT $${values.length}`,
      values,
    )
    return rows.map(sealedOf)
  }

  async get(runId: string): Promise<SealedRun | null> {
    const rows = await this.#db.query(
      `SELECT ${columns} FROM runs WHERE run_id = $1 ORDER BY kind = 'run' DESC, seq DESC LIMIT 1`,
      [plain(runId)],
    )
    return rows[0] ? sealedOf(rows[0]) : null
  }

  async read(from: number, limit: number): Promise<readonly StoredRun[]> {
    const rows = await this.#db.query(
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
  }

  async head(): Promise<{ count: number; hash: string }> {
    const [row] = await this.#db.query('SELECT count, hash FROM runs_head')
    return { count: Number(row![0]), hash: String(row![1]) }
  }
}

function sealedOf(row: Row): SealedRun {
  const [seq, body, hash, previous] = row as [number, string, string, string | null]
  return { ...(JSON.parse(body) as RunEntry), seq, hash, previous: previous ?? '' }
}
