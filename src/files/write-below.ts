// Writes a file of a project for somebody who asked for it. A folder may be shipped with links, and a tool may leave one:
// none leads a write out of the project, and what lies at the name itself is replaced, never written through.
import { lstatSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ToolError } from '../tool/tool-error.ts'
import { isInside, pathWithin } from './is-inside.ts'
import { inFolderBelow } from './open-below.ts'
import { nearestRealPath, realPathOf } from './real-path.ts'
import { writeAtomic } from './write-atomic.ts'

interface WriteOptions {
  /** Of a file that is new; one that is there keeps its own. */
  readonly mode?: number
  /** Something of that name, a link included, is EEXIST. */
  readonly isNew?: boolean
}

/** Gives the path as it was named. Folders on the way are made. Throws PATH_OUTSIDE for a way out of `folder`. */
export function writeBelow(
  folder: string,
  path: string,
  text: string,
  { mode = 0o644, isNew }: WriteOptions = {},
): string {
  const { root, within } = placeBelow(folder, path)
  const write = (at: string) => {
    const file = join(at, basename(within))
    if (isNew) return writeFileSync(file, text, { flag: 'wx', mode })
    const known = lstatSync(file, { throwIfNoEntry: false })
    writeAtomic(file, text, known?.isFile() ? known.mode & 0o777 : mode)
  }
  inFolderBelow(root, dirname(within), write, true)
  return join(folder, path)
}

/** Where a path below a folder is to be written, its folders' links followed. Throws PATH_OUTSIDE for a way out. */
export function placeBelow(folder: string, path: string): { readonly root: string; readonly within: string } {
  const root = nearestRealPath(folder)
  const named = join(folder, path)
  const above = realPathOf(dirname(named))
  if (above === undefined || !isInside(above, root))
    throw new ToolError(
      'PATH_OUTSIDE',
      `${named} would be written outside ${folder}: a link on the way leads ${above === undefined ? 'nowhere' : `to ${above}`}.`,
      { hint: 'Remove the link, or put a folder in its place.' },
    )
  return { root, within: join(pathWithin(above, root)!, basename(named)) }
}
