// Whose is the state folder of a crib? `.toolcrib/` holds what the host believes: tokens, records, schedules, unfinished
// commits, packages. One that came with the folder (a clone, an archive, another user) counts for nothing until the
// user accepted it (G2). It is told by what no archive carries along and no stranger can know beforehand.
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Holds which folder it was written in; tools do not see the state folder, wherever it is. */
const markName = 'made-here'
const ignoreName = '.gitignore'
const maxMarkBytes = 200

export type StateStanding = 'own' | 'foreign' | 'link' | 'of-another-user'

export function stateFolderOf(root: string): string {
  return join(root, '.toolcrib')
}

/** One that is missing or holds nothing is the user's own. */
export function standingOfState(state: string): StateStanding {
  const stat = lstatSync(state, { throwIfNoEntry: false })
  if (!stat) return 'own'
  if (!stat.isDirectory()) return 'link'
  if (!isOwners(stat)) return 'of-another-user'
  return isMarked(state, stat) || holdsNothing(state) ? 'own' : 'foreign'
}

/**
 * Makes the state folder where it is missing: private, out of every repository (G4), and known to be made here. One that
 * is there is filled, never replaced: with the folder the kernel would take away what hides it from tools that run.
 */
export function makeStateFolder(state: string): void {
  const stat = lstatSync(state, { throwIfNoEntry: false })
  if (stat && (!stat.isDirectory() || isMarked(state, stat) || !holdsNothing(state))) return
  mkdirSync(state, { recursive: true, mode: 0o700 })
  writeAnew(join(state, ignoreName), '*\n')
  markState(state)
}

/** The folder counts as made here from now on. */
export function markState(state: string): void {
  const file = join(state, markName)
  const before = lstatSync(state)
  writeAnew(file, '')
  const after = lstatSync(state)
  // Where the file system keeps no time of birth, another one stands in its place that changes.
  const hasBirth = after.birthtimeMs > 0 && before.birthtimeMs === after.birthtimeMs
  writeFileSync(file, `${after.ino}:${hasBirth ? after.birthtimeMs : ''}`)
}

/** Through no link; another process may do the same at this moment. */
function writeAnew(file: string, text: string): void {
  rmSync(file, { force: true })
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** What changes when another folder stands in its place. */
export function identityOfState(state: string): string {
  const { ino, birthtimeMs } = lstatSync(state)
  return `${ino}:${birthtimeMs}`
}

function isMarked(state: string, { ino, birthtimeMs, ctimeMs }: Stats): boolean {
  const file = join(state, markName)
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size > maxMarkBytes) return false
  const mark = readFileSync(file, 'utf8')
  // The number alone can be guessed, so it counts only where the file system keeps no time of birth.
  const hasBirth = birthtimeMs > 0 && birthtimeMs !== ctimeMs
  return mark === `${ino}:${birthtimeMs}` || (!hasBirth && mark === `${ino}:`)
}

/** Nothing but what is made first, which nobody believes without the rest. */
function holdsNothing(state: string): boolean {
  try {
    const entries = readdirSync(state, { withFileTypes: true })
    return entries.every((entry) => entry.isFile() && [ignoreName, markName].includes(entry.name))
  } catch {
    return false
  }
}

/** Whoever owns the folder can write the mark too; root can write everything anyway. */
function isOwners({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === 0 || uid === process.getuid()
}
