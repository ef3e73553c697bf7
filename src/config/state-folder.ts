// Whose is the state folder of a crib? `.toolcrib/` holds what the host believes: tokens, records, schedules, unfinished
// commits, packages. One that came with the folder (a clone, an archive, another user) counts for nothing until the
// user accepted it (G2). It is told by what no archive carries along and no stranger can know beforehand.
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Holds which folder it was written in; tools do not see the state folder, wherever it is. */
const markName = 'made-here'
const mostMarkBytes = 200

export type StateStanding = 'own' | 'foreign' | 'link' | 'of-another-user'

export function stateFolderOf(root: string): string {
  return join(root, '.toolcrib')
}

/** One that is missing or empty is the user's own. */
export function standingOfState(state: string): StateStanding {
  const stat = lstatSync(state, { throwIfNoEntry: false })
  if (!stat) return 'own'
  if (!stat.isDirectory()) return 'link'
  if (!isOwners(stat)) return 'of-another-user'
  return isMarked(state, stat) || isEmpty(state) ? 'own' : 'foreign'
}

/** Makes the state folder where it is missing: private, out of every repository (G4), and known to be made here. */
export function makeStateFolder(state: string): void {
  if (lstatSync(state, { throwIfNoEntry: false }) && !isEmpty(state)) return
  mkdirSync(dirname(state), { recursive: true })
  const draft = mkdtempSync(`${state}-`)
  try {
    writeFileSync(join(draft, '.gitignore'), '*\n')
    markState(draft)
    renameSync(draft, state)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another process was faster.
    if (!lstatSync(state, { throwIfNoEntry: false })) throw error
  }
}

/** The folder counts as made here from now on. */
export function markState(state: string): void {
  const file = join(state, markName)
  const before = lstatSync(state)
  rmSync(file, { force: true })
  writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
  const after = lstatSync(state)
  // Where the file system keeps no time of birth, another one stands in its place that changes.
  const hasBirth = after.birthtimeMs > 0 && before.birthtimeMs === after.birthtimeMs
  writeFileSync(file, `${after.ino}:${hasBirth ? after.birthtimeMs : ''}`)
}

/** What changes when another folder stands in its place. */
export function identityOfState(state: string): string {
  const { ino, birthtimeMs } = lstatSync(state)
  return `${ino}:${birthtimeMs}`
}

function isMarked(state: string, { ino, birthtimeMs }: Stats): boolean {
  const file = join(state, markName)
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size > mostMarkBytes) return false
  const mark = readFileSync(file, 'utf8')
  return mark === `${ino}:${birthtimeMs}` || mark === `${ino}:`
}

function isEmpty(state: string): boolean {
  try {
    return readdirSync(state).length === 0
  } catch {
    return false
  }
}

/** Whoever owns the folder can write the mark too; root can write everything anyway. */
function isOwners({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === 0 || uid === process.getuid()
}
