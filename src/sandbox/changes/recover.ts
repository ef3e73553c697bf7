// Finishes what a process that died left behind (E11): a journal that was complete is carried through, or rolled back
// where the project has changed since; anything less had changed nothing. Called once, at the start of a crib.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLiveNode } from '../../config/node-identity.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { ChangeSet } from './change-set.ts'
import { finish, takeBack } from './commit-changes.ts'
import { type Disk, realDisk } from './disk.ts'
import type { Images } from './images.ts'
import { carryThrough, type Journal, type OpenJournal, strayed } from './journal.ts'

export interface Recovered {
  readonly run: string
  readonly state: 'carried-through' | 'rolled-back'
}

export interface RecoverOptions {
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
    const [node, run = ''] = name.split('_', 2)
    if (isAlive(node!)) continue
    const state = await recoverOne(join(journals, name), decodeURIComponent(run), options)
    if (state) found.push({ run: decodeURIComponent(run), state })
  }
  return found
}

async function recoverOne(
  folder: string,
  run: string,
  { images, record, disk = realDisk }: RecoverOptions,
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
  const journal: OpenJournal = { ...readJournal(open, folder), folder, disk }
  if (open === back || !carriedThrough(journal)) {
    takeBack(journal)
    return 'rolled-back'
  }
  await finish(journal, { images, ...(record && { record: (set) => record(set, run) }) })
  return 'carried-through'
}

function readJournal(file: string, folder: string): Journal {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Journal
  } catch (cause) {
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
