// Makes folders for what a crib keeps. `.toolcrib/` is private and leaves itself out of every repository (G4).
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Makes a folder with all above it; a `.toolcrib/` among them gets mode 0700 and a `.gitignore` that names everything. */
export function makeFolder(path: string, mode?: number): void {
  const steps = path.split(sep)
  const at = steps.lastIndexOf('.toolcrib')
  if (at >= 0) {
    const state = steps.slice(0, at + 1).join(sep)
    const made = mkdirSync(state, { recursive: true, mode: 0o700 })
    if (made !== undefined) writeFileSync(join(state, '.gitignore'), '*\n')
  }
  mkdirSync(path, { recursive: true, mode })
}
