// One commit as steps that can be carried through, or taken back, from any point at which the process may die (E11).
// Beside the journal lie the new entries (`n0`, `n1` …) and, once replaced, the old ones (`o0`, `o1` …): which of them
// are there says how far it came. Every step goes through the descriptor of its folder.
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { atEntryBelow, lstatBelow } from '../../files/look-below.ts'
import { inSameFolders } from '../../files/open-below.ts'
import type { ChangeSet, Transition } from './change-set.ts'
import type { Disk } from './disk.ts'
import { stampOf } from './entry-state.ts'

export interface Journal {
  readonly run: string
  readonly project: string
  readonly transitions: readonly Transition[]
  /** The same in the words of E6, for the record. */
  readonly set: ChangeSet
}

/** A journal with the folder that holds it. */
export interface OpenJournal extends Journal {
  readonly folder: string
  readonly disk: Disk
}

export type Step = {
  readonly do: 'open' | 'remove' | 'put' | 'make' | 'mode'
  readonly index: number
} & Transition

/** What must be done, in this order: shut folders opened, removals from the inside out, new folders, files, rights. */
export function stepsOf({ transitions }: Pick<Journal, 'transitions'>): Step[] {
  const all = transitions.map((transition, index) => ({ ...transition, index }))
  const outward = all.toSorted((one, other) => depth(other.path) - depth(one.path))
  const of = (list: typeof all, kind: Step['do'], is: (transition: Transition) => boolean): Step[] =>
    list.filter(is).map((transition) => ({ ...transition, do: kind }))
  return [
    ...of(outward.toReversed(), 'open', isShut),
    ...of(outward, 'remove', isRemoved),
    ...of(outward.toReversed(), 'make', ({ before, after }) => isFolder(after) && !isFolder(before)),
    ...of(all, 'put', isPut),
    ...of(
      outward,
      'mode',
      ({ before, after }) => after !== undefined && (isFolder(after) || isModeOnly(before, after)),
    ),
  ]
}

/** Whether the new entry of a transition must be laid ready before the commit. */
export function isPut({ before, after }: Transition): boolean {
  return after !== undefined && !isFolder(after) && !isModeOnly(before, after)
}

/** What stands there must go first: a file is replaced in one step, a folder is not. */
function isRemoved({ before, after }: Transition): boolean {
  return before !== undefined && (after === undefined || isFolder(before) !== isFolder(after))
}

/** A folder whose owner took himself the right to change what is in it. */
function isShut({ before }: Transition): boolean {
  return isFolder(before) && (before!.mode & 0o300) !== 0o300
}

function isModeOnly(before: Transition['before'], after: Transition['after']): boolean {
  return before?.type === 'file' && after?.type === 'file' && before.sha256 === after.sha256
}

function isFolder(state: Transition['before']): boolean {
  return state?.type === 'folder'
}

function depth(path: string): number {
  return path.split('/').length
}

/** Paths in the project that are no longer what the journal expects, among those it has not touched yet. */
export function strayed(journal: OpenJournal): string[] {
  const { project, folder, transitions } = journal
  return transitions.flatMap((transition, index) => {
    const { path, before } = transition
    const isTouched =
      isThere(join(folder, `o${index}`)) || (isPut(transition) && !isThere(join(folder, `n${index}`)))
    if (isTouched || isFolder(before)) return []
    const stat = lstatBelow(project, path)
    // A folder that was made already, or by somebody else, is what is wanted.
    if (!before) return stat && !(stat.isDirectory() && isFolder(transition.after)) ? [path] : []
    if (isFolder(transition.after) && stat?.isDirectory()) return []
    const isModeSet =
      isModeOnly(before, transition.after) && stat && (stat.mode & 0o7777) === transition.after!.mode
    return stat && (isModeSet || stampOf(stat) === before.stamp) ? [] : [path]
  })
}

/** Does every step that was not done yet. */
export function carryThrough(journal: OpenJournal): void {
  const steps = stepsOf(journal)
  const all = () => {
    for (const step of steps) {
      const isDone = step.do === 'remove' && isThere(join(journal.folder, `o${step.index}`))
      if (!isDone) atEntryBelow(journal.project, step.path, (entry) => forward(journal, step, entry))
    }
  }
  // Files alone move no folder.
  if (steps.every((step) => step.do === 'put')) inSameFolders(all)
  else all()
}

/** Takes back every step that was done, last first. */
export function rollBack(journal: OpenJournal): void {
  for (const step of stepsOf(journal).toReversed()) {
    try {
      atEntryBelow(journal.project, step.path, (entry) => backward(journal, step, entry))
    } catch (error) {
      // Its folder was not made, is gone already, or is no folder any more: nothing of ours is there.
      if (!isOneOf(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error
    }
  }
}

function forward({ folder, disk }: OpenJournal, step: Step, entry: string | Buffer): void {
  const { before, after, index } = step
  const [fresh, old] = [join(folder, `n${index}`), join(folder, `o${index}`)]
  if (step.do === 'make') tolerate(() => disk.mkdirSync(entry, 0o700), 'EEXIST')
  else if (step.do === 'mode') setMode(disk, entry, after!.mode)
  else if (step.do === 'open') setMode(disk, entry, before!.mode | 0o700)
  else if (step.do === 'remove') {
    disk.renameSync(entry, old)
    if (isFolder(before)) mustBeEmpty(old, step.path)
  } else if (isThere(fresh)) {
    if (!isThere(old)) {
      mustBeAsJudged(entry, step)
      if (before && !isFolder(before)) keepOld(disk, entry, old)
    }
    if (after!.type === 'file') setMode(disk, fresh, after!.mode)
    disk.renameSync(fresh, entry)
  }
}

/** Between the first file of a large commit and the last a person may have written one (E12). */
function mustBeAsJudged(entry: string | Buffer, { path, before }: Step): void {
  const stat = lstatSync(entry, { throwIfNoEntry: false })
  const isAsJudged = isFolder(before) ? !stat : (stat && stampOf(stat)) === before?.stamp
  if (!isAsJudged) throw new Error(`${path} changed at this moment.`)
}

/** Somebody may have put something into a folder at the last moment. */
function mustBeEmpty(folder: string, path: string): void {
  if (readdirSync(folder).length > 0) throw new Error(`${path} is not empty any more.`)
}

/** A second name for what is about to be replaced, so that the path is never empty; without links it is, for a moment. */
function keepOld(disk: Disk, entry: string | Buffer, old: string): void {
  try {
    disk.linkSync(entry, old)
  } catch (error) {
    if (!isOneOf(error, 'EPERM', 'EXDEV', 'EOPNOTSUPP', 'EMLINK')) throw error
    disk.renameSync(entry, old)
  }
}

/** Needs no room on the disk: a full one must not stop it. */
function backward({ folder, disk }: OpenJournal, step: Step, entry: string | Buffer): void {
  const { before, after, index } = step
  const old = join(folder, `o${index}`)
  const isReplaced = before !== undefined && !isFolder(before)
  if (step.do === 'open') setMode(disk, entry, before!.mode)
  else if (step.do === 'mode') {
    if (isShut(step)) setMode(disk, entry, before!.mode | 0o700)
    else if (before?.type === after!.type) setMode(disk, entry, before.mode)
    else if (lstatSync(entry, { throwIfNoEntry: false })?.isDirectory()) setMode(disk, entry, 0o700)
  } else if (step.do === 'make') tolerate(() => disk.rmdirSync(entry), 'ENOENT', 'ENOTDIR', 'ENOTEMPTY')
  else if (step.do === 'remove' || isReplaced) tolerate(() => disk.renameSync(old, entry), 'ENOENT')
  else if (!isThere(join(folder, `n${index}`)))
    tolerate(() => disk.unlinkSync(entry), 'ENOENT', 'EISDIR', 'EPERM')
}

/** Follows no link: what is there is a folder or a file, or nothing is done. */
function setMode(disk: Pick<Disk, 'chmodSync'>, entry: string | Buffer, mode: number): void {
  const stat = lstatSync(entry, { throwIfNoEntry: false })
  if (stat && !stat.isSymbolicLink() && (stat.mode & 0o7777) !== mode) disk.chmodSync(entry, mode)
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function tolerate(act: () => void, ...codes: readonly string[]): void {
  try {
    act()
  } catch (error) {
    if (!isOneOf(error, ...codes)) throw error
  }
}

export function isOneOf(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
