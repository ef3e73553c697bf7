// Remembers what a path held before recent commits. When a file was committed by another run while this one was under
// way, the content that both began with is found here, and the two can be merged (E12).
import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Transition } from './change-set.ts'
import { changedAtMs } from './entry-state.ts'

/** Name of the log beside the images. */
export const recentName = 'recent'
const maxBytes = 4 * 1024 * 1024

/** Time of the commit, path, digest and change time of what was there before. */
type Line = readonly [atMs: number, path: string, digest: string, changedAtMs: number]

/** Notes what a commit replaced. A full disk costs only later merges. */
export function noteBases(folder: string, transitions: readonly Transition[]): void {
  const lines = transitions.flatMap(({ path, before, isStale }): Line[] =>
    before?.lines !== undefined && before.stamp !== undefined && !isStale
      ? [[Date.now(), path, before.sha256!, changedAtMs(before.stamp)]]
      : [],
  )
  if (lines.length === 0) return
  const file = join(folder, recentName)
  try {
    appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
    if (statSync(file).size > maxBytes) renameSync(file, `${file}.old`)
  } catch {
    // As the comment above says.
  }
}

/** Digest of what a path held at a time, if a commit has replaced it since. */
export function findBase(folder: string, path: string, atMs: number): string | undefined {
  for (const name of [recentName, `${recentName}.old`]) {
    for (const [committedAtMs, changed, digest, changedAt] of readLines(join(folder, name)))
      if (changed === path && changedAt <= atMs && committedAtMs >= atMs) return digest
  }
  return undefined
}

function readLines(file: string): Line[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line)
  } catch {
    return []
  }
}
