// Where a path leads once its links are followed. The answer is true when it is given; a reader or writer who must
// not be led astray afterwards opens the real path with `openBelow`.
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isInside, plainPath } from './is-inside.ts'

/**
 * The real path; of something missing, the real path of its nearest existing folder with the rest added. undefined:
 * a link on the way leads nowhere or in a circle, or the way goes through something that is no folder. `..` goes by
 * the names, as in `resolve`.
 */
export function realPathOf(path: string): string | undefined {
  return follow(plainPath(path), (link) => (isAbsent(link) ? link : undefined))
}

/** As `realPathOf`, with an answer in any case: what cannot be followed stands for itself. */
export function nearestRealPath(path: string): string {
  return follow(plainPath(path), (link) => link)!
}

/** `missing` says whether a path that does not lead to anything may stand for itself. */
function follow(path: string, missing: (path: string) => string | undefined): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    if (missing(path) === undefined || parent === path) return missing(path)
    const real = follow(parent, missing)
    const name = path.slice(path.lastIndexOf('/') + 1)
    return real && `${real === '/' ? '' : real}/${name}`
  }
}

/** True when both are there and the real path of one is the real folder of the other, or lies below it. */
export function isReallyInside(path: string, folder: string): boolean {
  try {
    return isInside(realpathSync.native(path), realpathSync.native(folder))
  } catch {
    return false
  }
}

/** True for a file, or a link to one, that is really inside a folder. */
export function isFileInside(file: string, folder: string): boolean {
  try {
    return statSync(file).isFile() && isReallyInside(file, folder)
  } catch {
    return false
  }
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    // Too long, or through something that is no folder.
    return false
  }
}
