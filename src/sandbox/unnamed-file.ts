// A file that has bytes but no name: what a child must read without anyone seeing it in argv or on disk.
import { randomUUID } from 'node:crypto'
import { constants, openSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's O_TMPFILE: an unlinked file in the given folder. */
const temporary = 0o20200000

/** An open descriptor at the start of the bytes; the caller closes it. */
export function unnamedFile(bytes: Uint8Array): number {
  const fd = open()
  // Written by position, so that the reader starts at the beginning.
  let written = 0
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written, written)
  return fd
}

function open(): number {
  for (const folder of ['/dev/shm', tmpdir()]) {
    try {
      return openSync(folder, temporary | constants.O_RDWR, 0o600)
    } catch {
      // This folder's file system has no unnamed files: try the next.
    }
  }
  const path = join(tmpdir(), `toolcrib-${randomUUID()}`)
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
  unlinkSync(path)
  return fd
}
