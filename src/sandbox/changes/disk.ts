// The calls with which a commit writes: the file system's own, named here so that a test can end the process, or fill
// the disk, at any one of them.
import {
  chmodSync,
  closeSync,
  fsync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'

export const realDisk = {
  chmodSync,
  fsync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
}

export type Disk = typeof realDisk

/** Files flushed at the same time: the disk makes one journey of it. */
const atOnce = 64

/** Waits until files and folders are on the disk for good. */
export async function flush(disk: Disk, paths: readonly string[]): Promise<void> {
  for (let from = 0; from < paths.length; from += atOnce) {
    const descriptors = paths.slice(from, from + atOnce).map((path) => openSync(path, 'r'))
    try {
      await flushOpened(disk, descriptors)
    } finally {
      for (const descriptor of descriptors) closeSync(descriptor)
    }
  }
}

/** The same for descriptors. */
export async function flushOpened(disk: Disk, descriptors: readonly number[]): Promise<void> {
  const flushed = await Promise.allSettled(descriptors.map((descriptor) => flushOne(disk, descriptor)))
  const failed = flushed.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
}

function flushOne(disk: Disk, descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    disk.fsync(descriptor, (error) => (error ? reject(error) : resolve()))
  })
}

/** Shorter stretches of zeros are written as they are. */
const zeros = Buffer.alloc(64 * 1024)

/** Makes a new file of pieces, with holes where long pieces are zeros; removes it again when the disk is full. */
export function writeNew(disk: Disk, path: string | Buffer, pieces: Iterable<Uint8Array>): void {
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    let start = 0
    for (const piece of pieces) {
      // The last byte is written always: the file must be as long as it was.
      for (let at = hole(piece); at < piece.length; )
        at += disk.writeSync(descriptor, piece, at, piece.length - at, start + at)
      start += piece.length
    }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** How many bytes of a piece need not be written. */
function hole(piece: Uint8Array): number {
  if (piece.length < zeros.length) return 0
  for (let at = 0; at < piece.length; at += zeros.length) {
    const part = piece.subarray(at, at + zeros.length)
    if (zeros.compare(part, 0, part.length, 0, part.length) !== 0) return 0
  }
  return piece.length - 1
}
