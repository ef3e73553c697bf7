// Values that reach a program as files: each in a fresh folder of its own that only this user can enter.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TempFile } from './emit-argv.ts'

export interface MadeFiles {
  readonly folders: readonly string[]
  remove(): void
}

/** Writes the files and puts their paths into `argv`. */
export function makeTempFiles(files: readonly TempFile[], argv: string[]): MadeFiles {
  const folders: string[] = []
  const remove = () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const file of files) {
      const folder = mkdtempSync(join(realpathSync(tmpdir()), 'toolcrib-'))
      folders.push(folder)
      const path = join(folder, 'value')
      writeFileSync(path, file.text, { mode: 0o600, flag: 'wx' })
      argv[file.index] = path
    }
  } catch (error) {
    remove()
    throw error
  }
  return { folders, remove }
}
