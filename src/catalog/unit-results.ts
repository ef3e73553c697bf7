// What parsing one unit gave, kept as long as none of its files changed. The stamp of a file is its size and
// time; a file touched but not changed is recognised by its digest and not parsed again.
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { folderIdentity } from '../config/folder-identity.ts'
import { makeFolder } from '../config/make-folder.ts'
import { writeAtomic } from '../files/write-atomic.ts'
import type { Unit } from '../formats/format.ts'
import type { JsonObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'

export interface UnitResult {
  /** Per file: size, time, digest (null when it could not be read). */
  readonly stamps: readonly (readonly [number, number, string | null])[]
  readonly tools: readonly Tool[]
  readonly problems: readonly Problem[]
  readonly facts: readonly JsonObject[]
}

export type UnitResults = Map<string, UnitResult>

/** The name of a unit in the cache. */
export function unitKey(unit: Unit): string {
  return `${unit.format}|${unit.scanned.dir}|${unit.files.map((file) => file.path).join(',')}|${unit.note ?? ''}`
}

/** True when no file of the unit changed since the result was made at `savedAt`. */
export function isFresh(unit: Unit, result: UnitResult, savedAt: number): boolean {
  return unit.files.every((file, index) => {
    const stamp = result.stamps[index]
    // A file as young as the cache may have been written twice within one tick of the clock.
    return (
      stamp !== undefined &&
      stamp[0] === file.size &&
      stamp[1] === file.mtimeMs &&
      file.mtimeMs < savedAt - 50
    )
  })
}

/** A JSON document of the crib's cache; null when absent, damaged, made under another key or in another folder. */
export function readCacheFile<T>(
  file: string,
  key: string,
): { readonly savedAt: number; readonly data: T } | null {
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8'))
    return stored.key === key && stored.at === folderIdentity(file) ? stored : null
  } catch {
    return null
  }
}

/** Written whole or not at all; a crib on a read-only or full disk works without its cache. */
export function writeCacheFile(file: string, key: string, data: unknown): void {
  try {
    makeFolder(dirname(file))
    const text = JSON.stringify({ key, at: folderIdentity(file), savedAt: Date.now(), data })
    writeAtomic(file, text, 0o666, { isDurable: false })
  } catch {
    // see above
  }
}
