// Takes change sets back, as a change set of its own that is committed like any other, so that undo can be undone (E14).

import { ToolError } from '../../tool/tool-error.ts'
import {
  type Change,
  type ChangeSet,
  type EntryState,
  isSameState,
  type Transition,
  transitionsOf,
} from './change-set.ts'
import { type CommitOptions, commitChanges } from './commit-changes.ts'
import { imageSource } from './content-source.ts'
import { type Contents, describeChange } from './describe-change.ts'
import type { Images } from './images.ts'
import { resolveConflicts } from './resolve-conflicts.ts'

/** What an undo would do: nothing about what is as it was before already. */
export interface UndoPlan {
  readonly set: ChangeSet
  /** Paths that something else has changed since. */
  readonly conflicts: readonly string[]
}

export type UndoOptions = Omit<CommitOptions, 'madeAtMs'>

/** Puts back what the change sets changed, given newest first. Throws CONFLICT with the paths, unless told otherwise. */
export async function undoChanges(sets: readonly ChangeSet[], options: UndoOptions): Promise<ChangeSet> {
  const set = reversed(sets, options.images)
  return await commitChanges(set, imageSource(options.images), { onConflict: 'refuse', ...options })
}

/** The same without changing anything (`--dry-run`). */
export function planUndo(
  sets: readonly ChangeSet[],
  options: Pick<UndoOptions, 'images' | 'project' | 'onConflict'>,
): UndoPlan {
  const set = reversed(sets, options.images)
  const source = imageSource(options.images)
  const { conflicts, transitions } = resolveConflicts(set, { onConflict: 'refuse', ...options, source })
  const open = new Set([...conflicts, ...transitions.map(({ path }) => path)])
  const isOpen = (change: Change) => transitionsOf(change).some(({ path }) => open.has(path))
  return { set: { changes: set.changes.filter(isOpen) }, conflicts }
}

/** The bytes of a committed change set, as far as they are kept: to show the difference later. */
export function imageContents(images: Images): Contents {
  const read = (state: EntryState | undefined) => (state?.sha256 ? images.read(state.sha256) : undefined)
  return { before: ({ before }) => read(before), after: ({ after }) => read(after) }
}

/** One way back per path, over all the sets. */
function reversed(sets: readonly ChangeSet[], images: Images): ChangeSet {
  const ways = new Map<string, Transition>()
  for (const { path, before, after } of sets.flatMap(({ changes }) => changes.flatMap(transitionsOf))) {
    const later = ways.get(path)
    // Something else changed it between two of the runs: that would be lost, so it is a conflict.
    const isStale = later?.isStale || (later !== undefined && !isSameState(later.after, after))
    ways.set(path, { path, before: later ? later.before : after, after: before, isStale })
  }
  const changes = [...ways.values()].flatMap((way) => describeChange(way, imageContents(images)) ?? [])
  mustBeKept(changes, images)
  return { changes }
}

function mustBeKept(changes: readonly Change[], images: Images): void {
  const gone = changes.filter(
    ({ before, after }) =>
      after?.type === 'file' && after.sha256 !== before?.sha256 && !images.has(after.sha256!),
  )
  if (gone.length === 0) return
  const paths = gone.map(({ path }) => path)
  throw new ToolError(
    'CONFLICT',
    `It cannot be undone: what ${paths.length} files held before is no longer kept.`,
    {
      hint: 'Raise effects.keep (days, bytes) to keep it longer.',
      details: { paths },
    },
  )
}
