// Reads the state of an entry below a folder: through no link, in pieces, and without believing what it was a moment
// ago.
import { createHash } from 'node:crypto'
import { chmodSync, closeSync, constants, fstatSync, readSync, type Stats } from 'node:fs'
import { atEntryBelow, linkBelow, lstatBelow } from '../../files/look-below.ts'
import { openBelow } from '../../files/open-below.ts'
import type { EntryState } from './change-set.ts'

/** Larger files are not compared line by line, merged or shown. */
export const maxTextBytes = 4 * 1024 * 1024
const pieceBytes = 1024 * 1024
/** Where a NUL byte makes a file binary, as in git. */
const probedBytes = 8_000

/** What is at a path; undefined when nothing is. */
export function stateBelow(folder: string, path: string): EntryState | undefined {
  const stat = lstatBelow(folder, path)
  return stat && stateOf(folder, path, stat)
}

/**
 * As `stateBelow`, for an entry that was looked at already. What changed before it was read to its end has a stamp that
 * nothing has (E12). `take` is given the bytes of a file read in one piece.
 */
export function stateOf(
  folder: string,
  path: string,
  stat: Stats,
  take?: (bytes: Buffer) => void,
): EntryState {
  const common = { mode: stat.mode & 0o7777, stamp: stampOf(stat) }
  if (stat.isDirectory()) return { type: 'folder', size: 0, ...common }
  if (stat.isSymbolicLink()) {
    const target = linkBelow(folder, path)
    return { type: 'link', size: stat.size, target, ...common }
  }
  if (!stat.isFile()) return { type: 'other', size: 0, ...common }
  const descriptor = openFile(folder, path)
  try {
    const content = digestOf(descriptor, take)
    const isSame = stampOf(fstatSync(descriptor)) === common.stamp
    return { type: 'file', ...content, ...common, ...(!isSame && { stamp: `${common.stamp}!` }) }
  } finally {
    closeSync(descriptor)
  }
}

/** What differs as soon as anybody has changed the entry. To read a file without the right to, we change it ourselves. */
export function stampOf(stat: Stats): string {
  const changedAtMs = (stat.mode & 0o400) === 0 ? stat.mtimeMs : stat.ctimeMs
  return `${stat.ino}:${stat.size}:${stat.mtimeMs}:${changedAtMs}`
}

/** The change time in a stamp. */
export function changedAtMs(stamp: string): number {
  return Number(stamp.slice(stamp.lastIndexOf(':') + 1))
}

/** A descriptor of a regular file, to read; also of one whose owner took that right from himself. */
export function openFile(folder: string, path: string): number {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  try {
    return openBelow(folder, path, { flags })
  } catch (error) {
    const stat = lstatBelow(folder, path)
    if ((error as NodeJS.ErrnoException).code !== 'EACCES' || !stat?.isFile()) throw error
    atEntryBelow(folder, path, (entry) => chmodSync(entry, stat.mode | 0o400))
    try {
      return openBelow(folder, path, { flags })
    } finally {
      atEntryBelow(folder, path, (entry) => chmodSync(entry, stat.mode & 0o7777))
    }
  }
}

/** The bytes of a file, piece by piece. */
export function* piecesOf(descriptor: number): Generator<Buffer> {
  const stat = fstatSync(descriptor)
  if (!stat.isFile()) throw new Error('It is no regular file any more.')
  const bytes = Math.min(pieceBytes, stat.size + 1)
  for (;;) {
    const piece = Buffer.allocUnsafe(bytes)
    const length = readSync(descriptor, piece, 0, bytes, null)
    if (length === 0) return
    yield piece.subarray(0, length)
  }
}

/** Whether bytes are text, by their beginning. */
export function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, probedBytes).includes(0)
}

/** The state of a file with these bytes. */
export function stateOfBytes(bytes: Buffer, mode: number): EntryState {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return {
    type: 'file',
    mode,
    size: bytes.length,
    sha256,
    ...(isText(bytes) && { lines: countLines(bytes) }),
  }
}

function digestOf(
  descriptor: number,
  take?: (bytes: Buffer) => void,
): Pick<EntryState, 'size' | 'sha256' | 'lines'> {
  const hash = createHash('sha256')
  let size = 0
  let breaks = 0
  let last = 10
  let hasText = true
  let first: Buffer | undefined
  for (const piece of piecesOf(descriptor)) {
    first ??= piece
    hash.update(piece)
    if (size === 0) hasText = isText(piece)
    if (hasText) breaks += countBreaks(piece)
    size += piece.length
    last = piece.at(-1)!
  }
  const lines = breaks + (last === 10 ? 0 : 1)
  if (first?.length === size) take?.(first)
  return { size, sha256: hash.digest('hex'), ...(hasText && { lines }) }
}

function countLines(bytes: Buffer): number {
  return countBreaks(bytes) + (bytes.length === 0 || bytes.at(-1) === 10 ? 0 : 1)
}

function countBreaks(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1
  return count
}
