// A layer whose changes are put in place in several steps, while its process runs (E13). What a step put in place is no
// change of the next one; what others did to the same files since is brought onto the layer.
import { chmodSync, closeSync, constants, ftruncateSync, rmdirSync, unlinkSync, writeSync } from 'node:fs'
import { atEntryBelow, lstatBelow } from '../../files/look-below.ts'
import { openBelow } from '../../files/open-below.ts'
import { type ChangeSet, type EntryState, isSameState, transitionsOf } from './change-set.ts'
import { filePieces } from './content-source.ts'
import { stateBelow, stateOf } from './entry-state.ts'
import { type Layer, readNotes } from './layer.ts'
import { isWhiteout, lowerView } from './lower-view.ts'
import type { KnownStates } from './read-changes.ts'

export class LayerSteps {
  readonly #known = new Map<string, EntryState | null>()

  /** What the steps so far left at paths. */
  get known(): KnownStates {
    return this.#known
  }

  /** Takes note of what a step put in place. */
  note(set: ChangeSet, layer: Layer): void {
    for (const { path, after } of set.changes.flatMap(transitionsOf)) this.#known.set(path, after ?? null)
    for (const path of readNotes(layer).opaque)
      if (!this.#known.has(path)) this.#known.set(path, stateBelow(layer.upper, path) ?? null)
  }

  /** Brings onto the layer what others did to files that it has changed and has not touched since. */
  follow(layer: Layer): void {
    const lower = lowerView(layer)
    for (const [path, known] of this.#known) {
      const low = lower.lstat(path)
      const now = low && stateOf(lower.folderOf(path), path, low)
      if (isSameState(known ?? undefined, now)) continue
      const up = lstatBelow(layer.upper, path)
      const own = up && !isWhiteout(up) ? stateOf(layer.upper, path, up) : undefined
      if (!isSameState(known ?? undefined, own)) continue
      if (own?.type === 'file' && now?.type === 'file') rewrite(layer.upper, path, lower.folderOf(path), now)
      else if (up && own?.type !== 'folder') atEntryBelow(layer.upper, path, (entry) => unlinkSync(entry))
      else if (up) removeEmpty(layer.upper, path)
      this.#known.set(path, now ?? null)
    }
  }
}

/** In place: whoever has the file open goes on with the same one. */
function rewrite(upper: string, path: string, from: string, { mode }: EntryState): void {
  const descriptor = openBelow(upper, path, { flags: constants.O_WRONLY | constants.O_NONBLOCK })
  try {
    ftruncateSync(descriptor, 0)
    for (const piece of filePieces(from, path))
      for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at, piece.length - at)
  } finally {
    closeSync(descriptor)
  }
  if (!lstatBelow(upper, path)?.isSymbolicLink())
    atEntryBelow(upper, path, (entry) => chmodSync(entry, mode & 0o1777))
}

function removeEmpty(upper: string, path: string): void {
  try {
    atEntryBelow(upper, path, (entry) => rmdirSync(entry))
  } catch {
    // The run has put something into it since.
  }
}
