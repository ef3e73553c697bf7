// What lies below a folder, looked at through descriptors and through no link, as `openBelow` opens it. Names are
// text as in `path-bytes.ts`.
import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { posix } from 'node:path'
import { inFolderBelow } from './open-below.ts'
import { pathOfText, textOfName } from './path-bytes.ts'

/** Calls `use` with a path that means the entry itself: its folder by descriptor, its name as it is. */
export function atEntryBelow<T>(folder: string, path: string, use: (entry: string | Buffer) => T): T {
  const parent = posix.dirname(path)
  return inFolderBelow(folder, parent, (at) => use(pathOfText(`${at}/${posix.basename(path)}`)))
}

/** What is at a path; undefined where nothing is, or where a link or a file stands in the way. */
export function lstatBelow(folder: string, path: string): Stats | undefined {
  try {
    return atEntryBelow(folder, path, (entry) => lstatSync(entry, { throwIfNoEntry: false }))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined
    throw error
  }
}

/** The names in a folder, sorted; '' is the folder itself. */
export function namesBelow(folder: string, path: string): string[] {
  const names = inFolderBelow(folder, path, (at) => readdirSync(at, { encoding: 'buffer' }))
  return names.map(textOfName).sort()
}

/** Where a link at a path points to, as it is written there. */
export function linkBelow(folder: string, path: string): string {
  return textOfName(atEntryBelow(folder, path, (entry) => readlinkSync(entry, { encoding: 'buffer' })))
}
