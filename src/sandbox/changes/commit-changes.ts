// Commits a change set all or nothing (E11): the new entries and the journal are written and flushed together, then
// everything is put in place by renames, then the journal is closed. Whatever stops it, `recover` finishes it or takes it
// back. Until the journal is closed it holds what was replaced, so the kept images need not be on the disk before that.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join, posix } from 'node:path'
import { lstatBelow } from '../../files/look-below.ts'
import { inFolderBelow, inSameFolders } from '../../files/open-below.ts'
import { pathOfText } from '../../files/path-bytes.ts'
import { errorData, isToolError, ToolError } from '../../tool/tool-error.ts'
import { noteBases } from './bases.ts'
import { type Change, type ChangeSet, isSameState, type Transition, transitionsOf } from './change-set.ts'
import { type ContentSource, filePieces, verified } from './content-source.ts'
import { type Contents, describeChange } from './describe-change.ts'
import { type Disk, flush, flushOpened, realDisk, writeNew } from './disk.ts'
import { maxTextBytes } from './entry-state.ts'
import type { Images } from './images.ts'
import { inTurn } from './in-turn.ts'
import { carryThrough, isOneOf, isPut, type Journal, type OpenJournal, rollBack, strayed } from './journal.ts'
import { closedBy, journalName, waitForOthers } from './other-commits.ts'
import { type ConflictOptions, type Resolved, resolveConflicts } from './resolve-conflicts.ts'

export interface CommitOptions extends Omit<ConflictOptions, 'source'> {
  readonly run: string
  /** Where open journals lie: a folder on the project's file system that no tool sees. */
  readonly journals: string
  /** Called with what is about to be put in place, before anything is: nobody reads it unannounced. */
  announce?(set: ChangeSet): void
  /** Called with what was committed, before the journal is closed: a record cannot be lost. */
  record?(set: ChangeSet): void | Promise<void>
  /** Given: nobody waits until the journal is closed. From here on a failure of the power undoes nothing. */
  later?(closing: Promise<void>): void
  readonly disk?: Disk
}

/** How often a commit begins again when files change under its hands. */
const maxAttempts = 3

/** Gives what was really changed: merged paths with their merged content. Throws CONFLICT with the paths. */
export async function commitChanges(
  set: ChangeSet,
  source: ContentSource,
  options: CommitOptions,
): Promise<ChangeSet> {
  const paths = set.changes.flatMap(transitionsOf).map(({ path }) => join(options.project, path))
  const { later } = options
  return await new Promise((resolve, reject) => {
    // Whoever wants one of the same paths waits until the journal is closed.
    const closing = inTurn(paths, async () => {
      const journal = await commitNow(set, source, options)
      if (later) {
        resolve(journal?.set ?? { changes: [] })
        await new Promise(setImmediate)
      }
      options.images.putSoon()
      if (journal) await close(journal)
      resolve(journal?.set ?? { changes: [] })
    }).catch(reject)
    later?.(closing)
  })
}

/** Everything is in place and recorded; undefined: nothing was to be done. */
async function commitNow(
  set: ChangeSet,
  source: ContentSource,
  options: CommitOptions,
): Promise<ClosingJournal | undefined> {
  for (let attempt = 1; ; ) {
    const resolved = inSameFolders(() => resolveConflicts(set, { ...options, source }))
    if (resolved.conflicts.length > 0) throw conflictError(resolved.conflicts)
    if (resolved.transitions.length === 0) return undefined
    const { journal, images } = await prepare(resolved, set, { source, options })
    const ahead = await waitForOthers(journal)
    if (ahead !== undefined) {
      removeJournal(journal)
      await closedBy(ahead)
      continue
    }
    // From here to the last rename nothing else of this process runs, and no other commits the same paths.
    const paths = inSameFolders(() => strayed(journal))
    if (paths.length === 0) {
      announced(journal, options)
      apply(journal)
      await keepRecord(journal, options)
      return { ...journal, images }
    }
    removeJournal(journal)
    if (attempt++ === maxAttempts) throw conflictError(paths)
  }
}

/** Keeps the present content of everything a change set replaces; also for one that is held, as the base of a merge. */
export function keepImages(transitions: readonly Transition[], project: string, images: Images): string[] {
  return transitions.flatMap(({ path, before, after, isStale }) => {
    const isNone = before?.type !== 'file' || before.sha256 === after?.sha256 || isStale
    return isNone ? [] : [images.put(before.sha256!, verified(path, before, filePieces(project, path)))]
  })
}

/** A journal whose steps are done, with the files of the images that it must not outlive. */
export interface ClosingJournal extends OpenJournal {
  readonly images: readonly string[]
}

/** Lays everything ready. When it cannot, nothing was changed. */
async function prepare(
  resolved: Resolved,
  set: ChangeSet,
  { source, options }: { source: ContentSource; options: CommitOptions },
): Promise<{ readonly journal: OpenJournal; readonly images: readonly string[] }> {
  const { project, run, images, journals, disk = realDisk } = options
  const { transitions } = resolved
  const folder = join(journals, journalName(run))
  const done = inSameFolders(() => committedSet(resolved, set, project))
  const journal: OpenJournal = { run, project, transitions, set: done, folder, disk }
  try {
    mkdirSync(journals, { recursive: true, mode: 0o700 })
    disk.mkdirSync(folder, 0o700)
    const { kept, written } = inSameFolders(() => ({
      kept: keepImages(transitions, project, images),
      written: layAllReady(journal, resolved.merged, { source, images }),
    }))
    const content: Journal = { run, project, transitions, set: journal.set }
    const file = join(folder, 'journal')
    writeNew(disk, file, [Buffer.from(JSON.stringify(content))])
    // What of it a failure of the power leaves is looked at by its digests, so their order does not matter.
    await flush(disk, [...written, file, folder, journals])
    return { journal, images: kept }
  } catch (error) {
    removeJournal(journal)
    throw commitError(error)
  }
}

/** Gives the new files. */
function layAllReady(
  journal: OpenJournal,
  merged: Resolved['merged'],
  { source, images }: { source: ContentSource; images: Images },
): string[] {
  return journal.transitions.flatMap((transition, index) => {
    if (!isPut(transition)) return []
    const fresh = join(journal.folder, `n${index}`)
    const bytes = merged.get(transition.path)
    const text = isKeptAfter(transition) ? [] : undefined
    layReady(journal, transition, { fresh, source: bytes ? { pieces: () => [bytes] } : source, text })
    // Later: what a power failure takes of it is only a merge or a picture less.
    if (text) images.keepSoon(transition.after!.sha256!, text)
    return transition.after!.type === 'file' ? [fresh] : []
  })
}

/** `text` is given the bytes. */
function layReady(
  { disk, project }: OpenJournal,
  { path, before, after }: Transition,
  { fresh, source, text }: { fresh: string; source: ContentSource; text: Uint8Array[] | undefined },
): void {
  if (after!.type === 'link') return disk.symlinkSync(pathOfText(after!.target!), fresh)
  writeNew(disk, fresh, withCopy(source.pieces(path, after!), text))
  const modifiedAt = source.modifiedAt?.(path)
  if (modifiedAt) disk.lutimesSync(fresh, modifiedAt, modifiedAt)
  const owner = before && lstatBelow(project, path)
  if (owner && (owner.uid !== process.getuid?.() || owner.gid !== process.getgid?.())) {
    try {
      disk.lchownSync(fresh, owner.uid, owner.gid)
    } catch (error) {
      if (!isOneOf(error, 'EPERM', 'EINVAL')) throw error
    }
  }
}

/** Texts are kept as they are after the commit too: for merges and for the difference. */
function isKeptAfter({ after }: Transition): boolean {
  return after?.lines !== undefined && after.size <= maxTextBytes
}

function* withCopy(pieces: Iterable<Uint8Array>, copy: Uint8Array[] | undefined): Generator<Uint8Array> {
  for (const piece of pieces) {
    copy?.push(piece)
    yield piece
  }
}

function announced(journal: OpenJournal, { announce }: CommitOptions): void {
  try {
    announce?.(journal.set)
  } catch (error) {
    removeJournal(journal)
    throw commitError(error)
  }
}

function apply(journal: OpenJournal): void {
  try {
    carryThrough(journal)
  } catch (error) {
    takeBack(journal)
    throw commitError(error)
  }
}

/** Rolls an open journal back; from its first step on, no other process carries it through. */
export function takeBack(journal: OpenJournal): void {
  const { folder, disk } = journal
  const [forward, back] = [join(folder, 'journal'), join(folder, 'back')]
  try {
    disk.renameSync(forward, back)
  } catch (error) {
    if (!isOneOf(error, 'ENOENT')) throw error
  }
  rollBack(journal)
  removeJournal(journal)
}

/** Has what is in place recorded. */
export async function keepRecord(
  { transitions, set }: OpenJournal,
  { record, images }: Pick<CommitOptions, 'record' | 'images'>,
): Promise<void> {
  await record?.(set)
  noteBases(images.folder, transitions)
}

/** Makes what is in place durable and closes the journal; where that fails the next start tries it again. */
export async function close(journal: ClosingJournal): Promise<void> {
  const { folder, disk, images } = journal
  if (!(await flushFolders(journal)) || !(await flushImages(disk, images))) return
  disk.renameSync(join(folder, 'journal'), join(folder, 'done'))
  removeJournal(journal)
}

async function flushImages(disk: Disk, images: readonly string[]): Promise<boolean> {
  try {
    await flush(disk, [...images, ...new Set(images.map((path) => posix.dirname(path)))])
    return true
  } catch {
    return false
  }
}

async function flushFolders({ disk, project, transitions }: OpenJournal): Promise<boolean> {
  const descriptors: number[] = []
  try {
    for (const path of new Set(transitions.map((transition) => posix.dirname(transition.path)))) {
      try {
        descriptors.push(inFolderBelow(project, path, (at) => openSync(`${at}/.`, 'r')))
      } catch (error) {
        // Removed with what was in it.
        if (!isOneOf(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error
      }
    }
    await flushOpened(disk, descriptors)
    return true
  } catch {
    return false
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}

function removeJournal({ folder, disk }: OpenJournal): void {
  disk.rmSync(folder, { recursive: true, force: true })
}

/** The change set as it will be in place. */
function committedSet({ transitions, merged }: Resolved, set: ChangeSet, project: string): ChangeSet {
  const byPath = new Map(transitions.map((transition) => [transition.path, transition]))
  const contents: Contents = {
    before: ({ path }) => Buffer.concat([...filePieces(project, path)]),
    after: ({ path }) => merged.get(path),
  }
  const changes = set.changes.flatMap((change): Change[] => {
    const own = transitionsOf(change)
    const real = own.flatMap(({ path }) => byPath.get(path) ?? [])
    const isAsWanted =
      real.length === own.length &&
      own.every(
        (one, index) =>
          isSameState(one.before, real[index]!.before) && isSameState(one.after, real[index]!.after),
      )
    const { isStale, ...plain } = change
    return isAsWanted ? [plain] : real.flatMap((transition) => describeChange(transition, contents) ?? [])
  })
  return { changes }
}

function conflictError(paths: readonly string[]): ToolError {
  const names = paths.slice(0, 5).map((path) => JSON.stringify(path))
  const more = paths.length > names.length ? ` and ${paths.length - names.length} more` : ''
  return new ToolError(
    'CONFLICT',
    `Changed by somebody else meanwhile: ${names.join(', ')}${more}. Nothing was committed.`,
    {
      hint: 'Look at the difference (`toolcrib runs show <run> --diff`), then run the tool again. To write over what is there, set effects.onConflict to overwrite.',
      details: { paths: [...paths] },
    },
  )
}

function commitError(error: unknown): ToolError {
  if (isToolError(error)) return error
  return new ToolError(
    'TOOL_FAILED',
    `The changes could not be committed, nothing was changed: ${errorData(error).message}`,
    {
      hint: 'Free the disk or fix the rights. What a run wrote is kept: `toolcrib runs accept <run>` puts it in place.',
      cause: error,
    },
  )
}
