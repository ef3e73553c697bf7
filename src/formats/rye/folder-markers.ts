// Whether a folder holds one of some files. One look at the folder tells whether the answer still stands, which
// costs less than a look for each of them; this is asked before every call.
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type FolderState, folderState } from '../folder-state.ts'

interface Known extends FolderState {
  readonly markers: readonly string[]
  readonly has: boolean
}

/** A folder changed just now may change again within one tick of the clock and keep its time. */
const settledMs = 100
const maxKnown = 10_000
const known = new Map<string, Known>()

export function hasMarker(folder: string, markers: readonly string[]): boolean {
  const state = folderState(folder)
  if (!state) return false
  const { changedMs, inode } = state
  const last = known.get(folder)
  if (last?.changedMs === changedMs && last.inode === inode && last.markers === markers) return last.has
  const has = markers.some((marker) => existsSync(join(folder, marker)))
  if (known.size >= maxKnown) known.clear()
  const isSettled = Date.now() - changedMs > settledMs
  if (isSettled && markers.every((marker) => isOfFolder(folder, marker)))
    known.set(folder, { markers, changedMs, inode, has })
  else known.delete(folder)
  return has
}

/** Whether the folder itself changes when a marker comes or goes: not with one below it, nor with what a link names. */
function isOfFolder(folder: string, marker: string): boolean {
  if (marker.includes('/')) return false
  return !lstatSync(join(folder, marker), { throwIfNoEntry: false })?.isSymbolicLink()
}
