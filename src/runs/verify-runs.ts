// Walks the audit chain and names the first record that is not what was written. It begins after the last record that
// retention removed, whose hash is kept. A chain that was cut at its end is noticed by the head, and one that was
// rewritten together with its head by its seal (chain-seal.ts).

import { type RunEntry, runHash, type StoredRun } from '../store/run-record.ts'
import type { RunTable } from '../store/store.ts'
import { canonicalJson } from '../tool/json.ts'

export interface Verdict {
  readonly ok: boolean
  /** Records that were checked and are good. */
  readonly count: number
  /** Records before them that `runs.keep` removed. */
  readonly removed: number
  /** Hash of the last good record. */
  readonly head: string
  readonly broken?: { readonly seq: number; readonly reason: string }
}

const pageSize = 1000

export async function verifyRuns(runs: RunTable): Promise<Verdict> {
  for (;;) {
    const base = await runs.base()
    const verdict = await verifyFrom(runs, base)
    // Records that were removed while we looked are no fault.
    if (verdict.ok || (await runs.base()).count === base.count) return verdict
  }
}

async function verifyFrom(
  runs: RunTable,
  base: { readonly count: number; readonly hash: string },
): Promise<Verdict> {
  let { count: last, hash } = base
  const verdict = (ok: boolean): Verdict => ({
    ok,
    count: last - base.count,
    removed: base.count,
    head: hash,
  })
  const broken = (seq: number, reason: string): Verdict => ({ ...verdict(false), broken: { seq, reason } })
  for (;;) {
    const page = await runs.read(last + 1, pageSize)
    for (const record of page) {
      const reason = faultOf(record, last + 1, hash)
      if (reason !== null) return broken(last + 1, reason)
      hash = record.hash
      last++
    }
    if (page.length === pageSize) continue
    const expected = await runs.head()
    if (expected.count === last)
      return expected.hash === hash ? verdict(true) : broken(last, 'the head of the chain was changed')
    if (expected.count < last) return broken(expected.count + 1, 'the record was not written by the crib')
    // More were written while we looked; when there is nothing more to read, they were taken away.
    if (page.length === 0) return broken(last + 1, `${expected.count - last} records are missing at the end`)
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
