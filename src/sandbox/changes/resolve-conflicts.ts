// Compares a change set with the project as it is now (E12): what nobody else touched goes on, text that changed in
// other places is merged, the rest is a conflict.
import { posix } from 'node:path'
import { lstatBelow, namesBelow } from '../../files/look-below.ts'
import { findBase } from './bases.ts'
import { type ChangeSet, type EntryState, isSameState, type Transition, transitionsOf } from './change-set.ts'
import { type ContentSource, filePieces } from './content-source.ts'
import { maxTextBytes, stampOf, stateOf, stateOfBytes } from './entry-state.ts'
import type { Images } from './images.ts'
import { mergeLines } from './line-diff.ts'

export interface ConflictOptions {
  readonly project: string
  readonly images: Images
  readonly source: ContentSource
  /** What to do with a path that somebody else changed. Default: `merge`. */
  readonly onConflict?: 'merge' | 'overwrite' | 'refuse' | undefined
  /** When the layer was made. */
  readonly madeAtMs?: number | undefined
}

export interface Resolved {
  /** From what is in the project now to what shall be there. */
  readonly transitions: readonly Transition[]
  /** New content of the paths that were merged. */
  readonly merged: ReadonlyMap<string, Buffer>
  readonly conflicts: readonly string[]
}

export function resolveConflicts(set: ChangeSet, options: ConflictOptions): Resolved {
  const wanted = set.changes.flatMap(transitionsOf)
  const transitions: Transition[] = []
  const merged = new Map<string, Buffer>()
  const conflicts: string[] = []
  for (const transition of wanted) {
    const { path, after } = transition
    const current = currentState(options.project, transition)
    if (isSameState(current, after) || isMadeAlready(transition, current)) continue
    if (isUntouched(transition, current)) transitions.push({ path, before: current, after })
    else if (canOverwrite(current, after) && options.onConflict === 'overwrite')
      transitions.push({ path, before: current, after })
    else {
      const bytes = options.onConflict === 'refuse' ? undefined : merge(transition, current, options)
      if (bytes) {
        merged.set(path, bytes)
        transitions.push({
          path,
          before: current,
          after: stateOfBytes(bytes, mergedMode(transition, current!)),
        })
      } else conflicts.push(path)
    }
  }
  return {
    transitions,
    merged,
    conflicts: [
      ...new Set([
        ...conflicts,
        ...newInRemoved(wanted, options.project),
        ...withoutFolder(wanted, options.project),
      ]),
    ],
  }
}

/** What is at a path now; read again only when it looks different. */
function currentState(project: string, { path, before }: Transition): EntryState | undefined {
  const stat = lstatBelow(project, path)
  if (stat && before?.stamp === stampOf(stat)) return before
  return stat && stateOf(project, path, stat)
}

function isUntouched({ before, isStale }: Transition, current: EntryState | undefined): boolean {
  if (before?.type === 'folder' && current?.type === 'folder') return true
  return !isStale && isSameState(before, current)
}

/** Two runs may make the same folder. */
function isMadeAlready({ before, after }: Transition, current: EntryState | undefined): boolean {
  return after?.type === 'folder' && before?.type !== 'folder' && current?.type === 'folder'
}

/** A folder with what others have in it is not replaced by a file. */
function canOverwrite(current: EntryState | undefined, after: EntryState | undefined): boolean {
  return current?.type !== 'folder' || after?.type === 'folder'
}

function merge(
  transition: Transition,
  current: EntryState | undefined,
  options: ConflictOptions,
): Buffer | undefined {
  const { path, before, after, isStale } = transition
  if (!isMergeable(before) || !isMergeable(after) || !isMergeable(current)) return undefined
  const { images, source, madeAtMs, project } = options
  const digest = isStale ? madeAtMs && findBase(images.folder, path, madeAtMs) : before!.sha256
  const base = digest ? images.read(digest) : undefined
  if (!base) return undefined
  const [own, other] = [[...source.pieces(path, after!)], [...filePieces(project, path)]]
  return mergeLines(base, Buffer.concat(own), Buffer.concat(other))
}

export function isMergeable(state: EntryState | undefined): boolean {
  return state?.lines !== undefined && state.size <= maxTextBytes
}

/** Rights that the run changed count; others stay as they are now. */
function mergedMode({ before, after }: Transition, current: EntryState): number {
  return before?.mode === after!.mode ? current.mode : after!.mode
}

/** What somebody else put into folders that are to be removed. */
function newInRemoved(wanted: readonly Transition[], project: string): string[] {
  const gone = new Set(wanted.filter(({ before }) => before).map(({ path }) => path))
  return wanted.flatMap(({ path, before, after }) => {
    const isRemoved = before?.type === 'folder' && after?.type !== 'folder'
    if (!isRemoved || !lstatBelow(project, path)?.isDirectory()) return []
    return namesBelow(project, path)
      .map((name) => `${path}/${name}`)
      .filter((child) => !gone.has(child))
  })
}

/** What would be put into a folder that somebody else removed or replaced. */
function withoutFolder(wanted: readonly Transition[], project: string): string[] {
  const made = new Set(wanted.filter(({ after }) => after?.type === 'folder').map(({ path }) => path))
  const isFolder = new Map<string, boolean>([['.', true]])
  return wanted.flatMap(({ path, after }) => {
    const parent = posix.dirname(path)
    if (!after || made.has(parent)) return []
    if (!isFolder.has(parent)) isFolder.set(parent, lstatBelow(project, parent)?.isDirectory() ?? false)
    return isFolder.get(parent) ? [] : [path]
  })
}
