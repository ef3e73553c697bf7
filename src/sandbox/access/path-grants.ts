// From paths that were seen to the few scopes that open them: a file by itself, the folder of several, and never more
// than the parent folder of what was seen.
import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { scopeFault } from '../scope-path.ts'
import { isSensitivePath } from './sensitive.ts'

export interface SeenPath {
  /** From the crib's folder; `.` is the folder itself. */
  readonly path: string
  /** The folder itself must be opened: its entries are listed, or it gets new ones. */
  readonly isFolder: boolean
}

/** Entries of a folder that are looked through for what must not be opened by the way. */
const maxLooked = 5_000

/** Scopes in code-unit order; '' opens the whole crib. */
export function scopesOf(seen: readonly SeenPath[], project: string): string[] {
  const folders = new Set(seen.flatMap(({ path, isFolder }) => (isFolder ? [path] : [])))
  const files = new Map<string, Set<string>>()
  for (const { path, isFolder } of seen) {
    if (isFolder) continue
    const folder = posix.dirname(path)
    files.set(folder, (files.get(folder) ?? new Set()).add(path))
  }
  const scopes = new Set([...folders].map(folderScope))
  for (const [folder, own] of files) {
    const isShared = own.size > 1 && folder !== '.' && sensitiveInside(join(project, folder)) === undefined
    const odd = [...own].some((path) => scopeFault(path) !== undefined)
    if ((isShared || odd) && folder !== '.') scopes.add(folderScope(folder))
    else for (const path of own) scopes.add(path)
  }
  return withoutNested([...scopes])
}

function folderScope(folder: string): string {
  return folder === '.' ? '' : `${folder}/**`
}

/** The place that a scope opens, from the crib's folder. */
function placeOf(scope: string): string {
  return scope === '' ? '.' : scope.replace(/\/\*\*$/, '')
}

/** Whether all that one scope opens is opened by another. */
export function isWithin(inner: string, outer: string): boolean {
  return outer === '' || isInside(join('/', placeOf(inner)), join('/', placeOf(outer)))
}

function withoutNested(scopes: readonly string[]): string[] {
  return scopes.filter((one) => !scopes.some((other) => other !== one && isWithin(one, other))).sort()
}

/** A file below a folder that holds keys or passwords; undefined when none is found. */
export function sensitiveInside(folder: string): string | undefined {
  let left = maxLooked
  const search = (at: string): string | undefined => {
    for (const entry of entriesOf(at)) {
      if (left-- <= 0) return undefined
      const path = join(at, entry.name)
      if (isSensitivePath(path)) return path
      const found = entry.isDirectory() && entry.name !== 'node_modules' ? search(path) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
  return search(folder)
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
