// Finishes what a process that died left behind (E11): a journal that was complete is carried through, or rolled back
// where the project has changed since; anything less had changed nothing. Called once, at the start of a crib.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLiveNode } from '../../config/node-identity.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { ChangeSet } from './change-set.ts'
import { close, keepRecord, takeBack } from './commit-changes.ts'
import { filePieces, verified } from './content-source.ts'
import { type Disk, realDisk } from './disk.ts'
import { stateBelow } from './entry-state.ts'
import type { Images } from './images.ts'
import { carryThrough, isOneOf, isPut, type Journal, type OpenJournal, strayed } from './journal.ts'
import { journalName, ownerOfJournal } from './other-commits.ts'

export interface Recovered {
  readonly run: string
  readonly state: 'carried-through' | 'rolled-back'
}

export interface RecoverOptions {
  /** Where everything is put in place, whatever a journal says. */
  readonly project: string
  readonly images: Images
  /** Called for what was carried through, before its journal is closed. */
  record?(set: ChangeSet, run: string): void | Promise<void>
  readonly disk?: Disk
  /** Whether the process that wrote a journal still works on it. */
  isAlive?(node: string): boolean
}

/** What became of each open journal in the folder. */
export async function recover(journals: string, options: RecoverOptions): Promise<Recovered[]> {
  const { isAlive = isLiveNode } = options
  const found: Recovered[] = []
  for (const name of existsSync(journals) ? readdirSync(journals).sort() : []) {
    const { node, run } = ownerOfJournal(name)
    if (isAlive(node)) continue
    const folder = claimed(join(journals, name), join(journals, journalName(run)), options)
    const state = folder && (await recoverOne(folder, run, options))
    if (state) found.push({ run, state })
  }
  return found
}

/** Two may start at once: a journal is of whoever gives it his name. Undefined: somebody else has. */
function claimed(
  folder: string,
  own: string,
  { disk = realDisk }: Pick<RecoverOptions, 'disk'>,
): string | undefined {
  try {
    disk.renameSync(folder, own)
    return own
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return undefined
    throw error
  }
}

async function recoverOne(
  folder: string,
  run: string,
  { project, images, record, disk = realDisk }: RecoverOptions,
): Promise<Recovered['state'] | undefined> {
  const [forward, back, done] = ['journal', 'back', 'done'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const open = [forward, back].find((path) => existsSync(path))
  if (!open) {
    const isClosed = existsSync(done)
    disk.rmSync(folder, { recursive: true, force: true })
    return isClosed ? undefined : 'rolled-back'
  }
  const content = readJournal(open, folder)
  if (!content) {
    disk.rmSync(folder, { recursive: true, force: true })
    return 'rolled-back'
  }
  const journal: OpenJournal = { ...content, project, folder, disk }
  if (open === back || !isWhole(journal) || !carriedThrough(journal)) {
    takeBack(journal)
    return 'rolled-back'
  }
  const kept = keepReplaced(journal, images)
  await keepRecord(journal, { images, ...(record && { record: (set) => record(set, run) }) })
  await close({ ...journal, images: kept })
  return 'carried-through'
}

/** Undefined: the power failed before it was on the disk, and nothing was done yet. */
function readJournal(file: string, folder: string): Journal | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Journal
  } catch (cause) {
    if (!readdirSync(folder).some((name) => /^o\d+$/.test(name))) return undefined
    throw new ToolError('INTERNAL', `The journal of a commit in ${folder} cannot be read.`, {
      hint: 'The files o0, o1 … in it are what the commit had replaced. Put back what you need, then remove the folder.',
      cause,
    })
  }
}

function carriedThrough(journal: OpenJournal): boolean {
  if (strayed(journal).length > 0) return false
  try {
    carryThrough(journal)
    return true
  } catch {
    return false
  }
}

/** Whether the new entries that lie ready are what was written: the power may have failed before they were flushed. */
function isWhole({ folder, transitions }: OpenJournal): boolean {
  return transitions.every((transition, index) => {
    const now = isPut(transition) ? stateBelow(folder, `n${index}`) : undefined
    if (!now) return true
    const { sha256, target } = transition.after!
    return now.sha256 === sha256 && now.target === target
  })
}

/** Images that the power failure took are made again of what the journal replaced; gives the files of all. */
function keepReplaced({ folder, transitions }: OpenJournal, images: Images): string[] {
  return transitions.flatMap(({ before, after }, index) => {
    if (before?.type !== 'file' || before.sha256 === after?.sha256) return []
    const digest = before.sha256!
    try {
      if (images.read(digest) === undefined) images.drop(digest)
      return [images.put(digest, verified(`o${index}`, before, filePieces(folder, `o${index}`)))]
    } catch {
      // Not replaced by this commit, or changed since by whoever had it open: undo will say so.
      return []
    }
  })
}
