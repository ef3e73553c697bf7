// Replaces a file in one step: readers see the old content or the new, never half of it. What fails leaves no draft.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

interface Writing {
  /** It survives a loss of power, which costs a wait for the disk; what can be made anew need not. */
  readonly isDurable?: boolean
}

export function writeAtomic(
  file: string,
  content: string | Uint8Array,
  mode: number,
  { isDurable = true }: Writing = {},
): void {
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.${Date.now().toString(36)}.tmp`)
  const handle = openSync(draft, 'wx', mode)
  try {
    try {
      const bytes = Buffer.from(content)
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
      if (isDurable) fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
