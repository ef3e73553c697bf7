// When a folder changed last. This is asked before every call, and for every tool of a crib where all are looked at:
// within one look the folders are taken to stay as they are.
import { statIfThere } from '../files/stat-if-there.ts'

export interface FolderState {
  /** Of its names or its own record, whichever is later. */
  readonly changedMs: number
  readonly inode: number
}

let look: Map<string, FolderState | null> | null = null

/** Null where there is no such folder. */
export function folderState(folder: string): FolderState | null {
  const seen = look?.get(folder)
  if (seen !== undefined) return seen
  const stat = statIfThere(folder)
  const state = stat?.isDirectory()
    ? { changedMs: Math.max(stat.mtimeMs, stat.ctimeMs), inode: stat.ino }
    : null
  look?.set(folder, state)
  return state
}

/** Asks for each folder once, until `work` is done; it waits for nothing. */
export function inOneLook<Result>(work: () => Result): Result {
  if (look) return work()
  look = new Map()
  try {
    return work()
  } finally {
    look = null
  }
}
