// Makes folders for what a crib keeps.
import { mkdirSync } from 'node:fs'
import { sep } from 'node:path'
import { makeStateFolder } from './state-folder.ts'

/** Makes a folder with all above it; a `.toolcrib/` among them as a state folder. */
export function makeFolder(path: string, mode?: number): void {
  const steps = path.split(sep)
  const at = steps.lastIndexOf('.toolcrib')
  if (at >= 0) makeStateFolder(steps.slice(0, at + 1).join(sep))
  mkdirSync(path, { recursive: true, mode })
}
