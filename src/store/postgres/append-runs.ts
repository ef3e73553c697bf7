// Appends records to the audit chain: the database gives position and hash inside the transaction.
import type { RunRow } from '../run-record.ts'
import { plain } from './appender.ts'
import type { Database } from './database.ts'

export function runAppender(db: Database): (rows: readonly RunRow[]) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  return async (rows) => {
    const given = rows.map(([runId, kind, tool, caller, ok, body]) => ({
      run_id: plain(runId),
      kind,
      tool: plain(tool),
      caller: plain(caller),
      ok,
      body,
    }))
    // One batch after the other: over several connections they could overtake each other.
    const former = last.catch(() => {})
    last = former.then(() => db.once('SELECT append_runs($1)', [JSON.stringify(given)]))
    await last
  }
}
