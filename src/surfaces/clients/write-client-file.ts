// Writes a client's file as a careful person would: the one before is kept, links are followed only where they may lead,
// and a crash leaves the old file or the new one.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { writeAtomic } from '../../files/write-atomic.ts'
import { ToolError } from '../../tool/tool-error.ts'

/** The text of a client's file; empty when there is none. */
export function readClientFile(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

interface Writing {
  /** The project of a project's file, which must not lead out of it. */
  readonly root?: string | undefined
  /** What was there is not kept: the file beside it holds what was there before this crib. */
  readonly keepsOlder?: boolean
}

/** Gives back the file that keeps what was. */
export function writeClientFile(file: string, text: string, writing: Writing = {}): string | undefined {
  const target = targetOf(file, writing.root)
  mkdirSync(dirname(target), { recursive: true })
  const isThere = existsSync(target)
  const backup = backupOf(target)
  const fresh = `${target}.toolcrib-${process.pid}`
  try {
    if (isThere && (statSync(target).mode & 0o200) === 0)
      throw new ToolError('CONFLICT', `${file} is read-only.`, { hint: unwritableHint })
    // Never through a link of that name, which may be shipped with a folder.
    if (isThere && !writing.keepsOlder)
      writeAtomic(backup, readFileSync(target), statSync(target).mode & 0o777)
    writeFileSync(fresh, text, { flag: 'wx', mode: isThere ? statSync(target).mode & 0o777 : 0o600 })
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
      throw new ToolError('CONFLICT', `${file} cannot be written: ${code}.`, { hint: unwritableHint })
    throw error
  }
  return isThere && !writing.keepsOlder ? backup : undefined
}

/** What the file was before this crib, where that is kept. */
export function keptClientFile(file: string): string | undefined {
  const backup = backupOf(targetOf(file, undefined))
  return existsSync(backup) ? readFileSync(backup, 'utf8') : undefined
}

/**
 * Leaves a client's file as it was before this crib: what is kept beside it goes when it says the same, and a file
 * that was made for the crib goes when nothing is left in it.
 */
export function restoreClientFile(file: string, text: string, { root, isEmpty }: Restored): void {
  writeClientFile(file, text, { root, keepsOlder: true })
  const target = targetOf(file, root)
  const backup = backupOf(target)
  if (!existsSync(backup)) return isEmpty ? rmSync(target) : undefined
  if (readClientFile(backup) === text) rmSync(backup)
}

interface Restored {
  readonly root: string | undefined
  readonly isEmpty: boolean
}

const backupOf = (target: string) => `${target}.before-toolcrib`

const unwritableHint = 'Make it writable, or use --print and put the block in by hand.'

/** Where a link leads, for the user's own files; a project's file stays in its project. */
function targetOf(file: string, root: string | undefined): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  const real = nearestRealPath(file)
  if (root !== undefined && !isInside(real, nearestRealPath(root)))
    throw new ToolError('PATH_OUTSIDE', `${file} leads out of the project, to ${real}.`, {
      hint: 'Remove the link, or write to your own file with --user.',
    })
  return isLink ? real : file
}
