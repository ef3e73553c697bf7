// Which folder a cache was written in, told by what an archive cannot carry along: a crib that comes with a ready
// `.toolcrib/` must not be believed what its files mean.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Device, inode and birth of the folder a file lies in; empty when there is none. */
export function folderIdentity(file: string): string {
  const stat = statSync(dirname(file), { throwIfNoEntry: false })
  return stat ? `${stat.dev}:${stat.ino}:${stat.birthtimeMs}` : ''
}
