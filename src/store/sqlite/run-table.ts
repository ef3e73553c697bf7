// The audit chain in SQLite: where it is read and handed over to be written.
import type { RunEntry, RunQuery, RunRow, SealedRun, StoredRun } from '../run-record.ts'
import type { RunTable } from '../store.ts'
import type { Database, Row, Value } from './database.ts'
import { RunWriter } from './run-writer.ts'

const columns = `seq, body, hash, (SELECT hash FROM runs AS before WHERE before.seq = runs.seq - 1)`

export class SqliteRunTable implements RunTable {
  readonly #db: Database
  readonly #writer: RunWriter

  constructor(db: Database) {
    this.#db = db
    this.#writer = new RunWriter(db)
  }

  async append(rows: readonly RunRow[]): Promise<void> {
    if (rows.length > 0) await this.#writer.append(rows)
  }

  /** Lets go of the thread, where there is one. */
  close(): Promise<void> {
    return this.#writer.close()
  }

  async list(query: RunQuery): Promise<readonly SealedRun[]> {
    const where = ['seq < ?']
    const values: Value[] = [query.before ?? Number.MAX_SAFE_INTEGER]
    const add = (column: string, value: Value | undefined): void => {
      if (value === undefined) return
      where.push(`${column} = ?`)
      values.push(value)
    }
    add('tool', query.tool)
    add('caller', query.caller)
    add('surface', query.surface)
    if (query.since !== undefined) {
      where.push('started >= ?')
      values.push(query.since)
    }
    add('ok', query.ok === undefined ? undefined : Number(query.ok))
    if (query.kinds) {
      where.push(`kind IN (${query.kinds.map(() => '?').join(', ')})`)
      values.push(...query.kinds)
    }
    return this.#db.read(() =>
      this.#db
        .query(`SELECT ${columns} FROM runs WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT ?`)
        .all(...values, query.limit)
        .map(sealedOf),
    )
  }

  async get(runId: string): Promise<SealedRun | null> {
    const row = this.#db.read(() =>
      this.#db
        .query(`SELECT ${columns} FROM runs WHERE run_id = ? ORDER BY kind = 'run' DESC, seq DESC LIMIT 1`)
        .get(runId),
    )
    return row ? sealedOf(row) : null
  }

  async read(from: number, limit: number): Promise<readonly StoredRun[]> {
    return this.#db.read(() =>
      this.#db
        .query(
          'SELECT seq, body, hash, run_id, kind, tool, caller, ok FROM runs WHERE seq >= ? ORDER BY seq LIMIT ?',
        )
        .all(from, limit)
        .map(([seq, body, hash, runId, kind, tool, caller, ok]) => ({
          seq: Number(seq),
          body: String(body),
          hash: String(hash),
          runId: String(runId),
          kind: String(kind),
          tool: String(tool),
          caller: String(caller),
          ok: ok === null ? null : ok === 1,
        })),
    )
  }

  async head(): Promise<{ count: number; hash: string }> {
    const row = this.#db.read(() => this.#db.query('SELECT count, hash FROM runs_head').get())
    return { count: Number(row?.[0] ?? 0), hash: String(row?.[1] ?? '') }
  }
}

function sealedOf(row: Row): SealedRun {
  const [seq, body, hash, previous] = row as [number, string, string, string | null]
  return { ...(JSON.parse(body) as RunEntry), seq, hash, previous: previous ?? '' }
}
