// The names in a folder. It is read again only when it changed: this is asked before every call.
import { readdirSync } from 'node:fs'
import { type FolderState, folderState } from './folder-state.ts'

interface Known extends FolderState {
  readonly names: readonly string[]
}

/** A folder changed just now may change again within one tick of the clock and keep its time. */
const settledMs = 100
const maxKnown = 10_000
const known = new Map<string, Known>()

/** Empty where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  const state = folderState(folder)
  if (!state) return []
  const { changedMs, inode } = state
  const last = known.get(folder)
  if (last?.changedMs === changedMs && last.inode === inode) return last.names
  const names = readdirSync(folder)
  if (known.size >= maxKnown) known.clear()
  if (Date.now() - changedMs > settledMs) known.set(folder, { changedMs, inode, names })
  else known.delete(folder)
  return names
}
