// Walks the audit chain from its start and names the first record that is not what was written. A chain that
// was cut at its end is noticed by the head; to notice a rewritten whole, keep the head hash somewhere else.

import { chainStart, type RunEntry, runHash, type StoredRun } from '../store/run-record.ts'
import type { RunTable } from '../store/store.ts'
import { canonicalJson } from '../tool/json.ts'

export interface Verdict {
  readonly ok: boolean
  /** Records that were checked and are good. */
  readonly count: number
  /** Hash of the last good record. */
  readonly head: string
  readonly broken?: { readonly seq: number; readonly reason: string }
}

const pageSize = 1000

export async function verifyRuns(runs: RunTable): Promise<Verdict> {
  let hash = chainStart
  let count = 0
  const broken = (seq: number, reason: string): Verdict => ({
    ok: false,
    count,
    head: hash,
    broken: { seq, reason },
  })
  for (;;) {
    const page = await runs.read(count + 1, pageSize)
    for (const record of page) {
      const reason = faultOf(record, count + 1, hash)
      if (reason !== null) return broken(count + 1, reason)
      hash = record.hash
      count++
    }
    if (page.length === pageSize) continue
    const expected = await runs.head()
    if (expected.count === count) {
      return expected.hash === hash
        ? { ok: true, count, head: hash }
        : broken(count, 'the head of the chain was changed')
    }
    if (expected.count < count) return broken(expected.count + 1, 'the record was not written by the crib')
    // More were written while we looked; when there is nothing more to read, they were taken away.
    if (page.length === 0)
      return broken(count + 1, `${expected.count - count} records are missing at the end`)
  }
}

function faultOf(record: StoredRun, seq: number, previous: string): string | null {
  if (record.seq !== seq) return 'the record is missing'
  if (runHash(previous, seq, record.body) !== record.hash) return 'the record or its place was changed'
  const entry = JSON.parse(record.body) as RunEntry
  const columns = [record.runId, record.kind, record.tool, record.caller, record.ok]
  const written = [entry.runId, entry.kind, entry.tool, entry.caller, entry.ok ?? null]
  return canonicalJson(columns) === canonicalJson(written)
    ? null
    : 'the columns do not say what the record says'
}
