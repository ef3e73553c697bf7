// What changed in the text of an approved file (G24): the text that was approved against the one that is there.
import { readFileSync, statSync } from 'node:fs'
import type { Crib } from '../../crib/crib.ts'
import type { EntryState } from '../../sandbox/changes/change-set.ts'
import { unifiedDiff } from '../../sandbox/changes/unified-diff.ts'
import type { DriftEntry } from '../../trust/lock/lock.ts'

const maxLines = 500
const maxBytes = 1_048_576

/** The entry, with the difference of the text where it speaks of a file. */
export function withFileDiff(entry: DriftEntry, { lock }: Pick<Crib, 'lock'>): DriftEntry {
  const path = /^file (.+)$/s.exec(entry.field)?.[1]
  if (path === undefined) return entry
  const before = typeof entry.before === 'string' ? lock.approvedTexts.read(entry.before) : undefined
  if (typeof entry.before === 'string' && !before)
    return { ...entry, diff: 'The text that was approved is not kept any more; only its digest is known.' }
  const after = entry.after === null ? undefined : readFile(lock.fileAt(path))
  if (!before && !after) return { ...entry, diff: 'It is a folder, or too large to be shown.' }
  const change = {
    kind: before ? (after ? 'changed' : 'deleted') : 'created',
    path,
    before: before && stateOf(before),
    after: after && stateOf(after),
    isText: true,
    added: 0,
    removed: 0,
  } as const
  const contents = { before: () => before, after: () => after }
  return { ...entry, diff: unifiedDiff({ changes: [change] }, contents, { lines: maxLines }) }
}

function stateOf(bytes: Buffer): EntryState {
  const isBinary = bytes.includes(0)
  return {
    type: 'file',
    mode: 0o644,
    size: bytes.length,
    sha256: bytes.toString('base64'),
    lines: isBinary ? undefined : 1,
  }
}

function readFile(file: string): Buffer | undefined {
  try {
    return statSync(file).size > maxBytes ? undefined : readFileSync(file)
  } catch {
    return undefined
  }
}
