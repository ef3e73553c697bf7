// Appends records to the audit chain of a SQLite file. Position and hash are given inside the transaction, so
// several threads and processes can append to one chain.
import { runHash } from '../runs/run-record.ts'
import type { Database, Value } from './database.ts'

/** A record as it is handed over: the columns it is found by, then its text. */
export type RunRow = readonly [
  runId: string,
  kind: string,
  tool: string,
  caller: string,
  ok: number | null,
  body: string,
]

const rowsAtOnce = 12
const oneRow = '(?, ?, ?, ?, ?, ?, ?, ?)'
const insertOne = `INSERT INTO runs(seq, run_id, kind, tool, caller, ok, body, hash) VALUES ${oneRow}`
const insertMany = `${insertOne}${`, ${oneRow}`.repeat(rowsAtOnce - 1)}`

/** One transaction for all of them. */
export function appendRuns(db: Database, rows: readonly RunRow[]): Promise<void> {
  return db.write(() => {
    let [count, hash] = db.query('SELECT count, hash FROM runs_head').get() as [number, string]
    // Each statement costs more than a row, so rows go in by the dozen; the rest one by one.
    const inDozens = rows.length - (rows.length % rowsAtOnce)
    let values: Value[] = []
    for (const [index, [runId, kind, tool, caller, ok, body]] of rows.entries()) {
      count++
      hash = runHash(hash, count, body)
      values.push(count, runId, kind, tool, caller, ok, body, hash)
      if (index < inDozens && (index + 1) % rowsAtOnce !== 0) continue
      db.query(index < inDozens ? insertMany : insertOne).run(...values)
      values = []
    }
    db.query('UPDATE runs_head SET count = ?, hash = ?').run(count, hash)
  })
}
