// A file system of its own that can be filled to the last byte.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { tempFolder } from './temp-folder.ts'

/** A folder on a file system of this size; undefined where this user may not mount one. */
export function smallDisk(megabytes: number): string | undefined {
  const folder = join(realpathSync(tempFolder()), 'disk')
  mkdirSync(folder)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  if (mounted.status !== 0) return undefined
  onTestFinished(() => void spawnSync('umount', ['-l', folder]))
  return folder
}

/** Writes until nothing more goes in; the function given back makes space again. */
export function fill(folder: string): () => void {
  const file = join(folder, 'ballast')
  const handle = openSync(file, 'w')
  for (const size of [65_536, 4_096, 512, 1]) {
    const block = Buffer.alloc(size, 1)
    try {
      for (;;) writeSync(handle, block)
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }
  }
  closeSync(handle)
  return () => rmSync(file)
}
