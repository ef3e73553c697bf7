// Appends records to the audit chain of a SQLite file. Position and hash are given inside the transaction, so
// several threads and processes can append to one chain.
import { type RunRow, runHash } from '../run-record.ts'
import type { Database, Value } from './database.ts'
import { insertRows, rowInsert } from './row-insert.ts'

const runInsert = rowInsert(
  'INSERT INTO runs(seq, run_id, kind, tool, caller, ok, body, hash)',
  '(?, ?, ?, ?, ?, ?, ?, ?)',
)

/** One transaction for all of them. */
export function appendRuns(db: Database, rows: readonly RunRow[]): Promise<void> {
  return db.write(() => {
    let [count, hash] = db.query('SELECT count, hash FROM runs_head').get() as [number, string]
    const chained = rows.map(([runId, kind, tool, caller, ok, body]): readonly Value[] => {
      count++
      hash = runHash(hash, count, body)
      return [count, runId, kind, tool, caller, ok, body, hash]
    })
    insertRows(db, runInsert, chained)
    db.query('UPDATE runs_head SET count = ?, hash = ?').run(count, hash)
  })
}
