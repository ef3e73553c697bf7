// Walks the audit chain from its start and names the first record that is not what was written. A chain that
// was cut at its end is noticed by the head; to notice a rewritten whole, keep the head hash somewhere else.
import { canonicalJson } from '../../tool/json.ts'
import type { RunTable } from '../store.ts'
import { chainStart, type RunEntry, runHash, type StoredRun } from './run-record.ts'

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
  const expected = await runs.head()
  let hash = chainStart
  let count = 0
  for (;;) {
    const page = await runs.read(count + 1, pageSize)
    for (const record of page) {
      if (record.seq > expected.count && count >= expected.count) break
      const reason = faultOf(record, count + 1, hash)
      if (reason !== null) return { ok: false, count, head: hash, broken: { seq: count + 1, reason } }
      hash = record.hash
      count++
    }
    if (page.length < pageSize || count >= expected.count) break
  }
  if (count < expected.count)
    return {
      ok: false,
      count,
      head: hash,
      broken: { seq: count + 1, reason: `${expected.count - count} records are missing at the end` },
    }
  if (hash !== expected.hash)
    return {
      ok: false,
      count,
      head: hash,
      broken: { seq: count, reason: 'the head of the chain was changed' },
    }
  return { ok: true, count, head: hash }
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
