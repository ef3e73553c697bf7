// Replaces a file in one step: readers see the old content or the new, never half of it.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export function writeAtomic(file: string, content: string | Uint8Array, mode: number): void {
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.${Date.now().toString(36)}.tmp`)
  const handle = openSync(draft, 'wx', mode)
  try {
    try {
      const bytes = Buffer.from(content)
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
