// What a change set puts in place that somebody might read as a definition, a module or a setting (E8).
import { posix } from 'node:path'
import { linkTo, type WrittenEntry } from '../../trust/set-aside.ts'
import { type ChangeSet, type EntryState, type Transition, transitionsOf } from './change-set.ts'
import { stateBelow } from './entry-state.ts'

/** `mayBeRead` judges by the path; programs count whatever they are called. */
export function writtenEntries(
  set: ChangeSet,
  project: string,
  mayBeRead: (path: string) => boolean,
): WrittenEntry[] {
  return set.changes.flatMap(transitionsOf).flatMap((transition) => {
    const path = posix.join(project, transition.path)
    const content = newContent(transition)
    const isProgram = ((transition.after?.mode ?? 0) & 0o111) !== 0
    return content !== undefined && (isProgram || mayBeRead(path)) ? [{ path, content }] : []
  })
}

/** The same for what a call made by itself: nobody kept it, so it is what is there now. */
export function madeEntries(
  { changes }: ChangeSet,
  project: string,
  mayBeRead: (path: string) => boolean,
): WrittenEntry[] {
  return changes.flatMap(({ kind, path }) => {
    const full = posix.join(project, path)
    const state = kind === 'created' ? stateNow(project, path) : undefined
    if (!state || !((state.mode & 0o111) !== 0 || mayBeRead(full))) return []
    const content = newContent({ path, before: undefined, after: state })
    return content === undefined ? [] : [{ path: full, content }]
  })
}

/** Undefined also for what goes or changes its kind while it is read: its maker may still be at work. */
function stateNow(project: string, path: string): EntryState | undefined {
  try {
    return stateBelow(project, path)
  } catch {
    return undefined
  }
}

/** What is there that was not there before; undefined when only rights changed, or it is gone. */
function newContent({ before, after }: Transition): string | undefined {
  if (after?.type === 'link') return before?.target === after.target ? undefined : linkTo(after.target!)
  return after?.type === 'file' && before?.sha256 !== after.sha256 ? after.sha256 : undefined
}
