// Remembers what a path held before recent commits, and while a long call was under way. When somebody else has changed
// a file meanwhile, the content that both began with is found here, and the two can be merged (E12).
import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Transition } from './change-set.ts'
import { changedAtMs } from './entry-state.ts'

/** Name of the log beside the images. */
export const recentName = 'recent'
const maxBytes = 4 * 1024 * 1024

/** What a path held from one time until another. */
export interface Base {
  readonly path: string
  readonly sha256: string
  readonly sinceMs: number
  readonly untilMs: number
}

type Line = readonly [untilMs: number, path: string, digest: string, sinceMs: number]

/** Notes what a commit replaced. */
export function noteBases(folder: string, transitions: readonly Transition[]): void {
  const untilMs = Date.now()
  const bases = transitions.flatMap(({ path, before, isStale }): Base[] =>
    before?.lines !== undefined && before.stamp !== undefined && !isStale
      ? [{ path, sha256: before.sha256!, sinceMs: changedAtMs(before.stamp), untilMs }]
      : [],
  )
  noteAll(folder, bases)
}

/** Notes what a path holds now; its image is kept beside. */
export function noteBase(folder: string, base: Base): void {
  noteAll(folder, [base])
}

/** A full disk costs only later merges. */
function noteAll(folder: string, bases: readonly Base[]): void {
  if (bases.length === 0) return
  const lines = bases.map(({ untilMs, path, sha256, sinceMs }): Line => [untilMs, path, sha256, sinceMs])
  const file = join(folder, recentName)
  try {
    appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
    if (statSync(file).size > maxBytes) renameSync(file, `${file}.old`)
  } catch {
    // As the comment above says.
  }
}

/** Digest of what a path held at a time, as far as that was noted. */
export function findBase(folder: string, path: string, atMs: number): string | undefined {
  for (const name of [recentName, `${recentName}.old`]) {
    for (const [untilMs, held, digest, sinceMs] of readLines(join(folder, name)))
      if (held === path && sinceMs <= atMs && untilMs >= atMs) return digest
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
