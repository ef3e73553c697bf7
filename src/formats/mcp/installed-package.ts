// The package of a foreign server as `toolcrib add` installed it: version and integrity are kept beside it (D9).
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isPlainObject } from '../../tool/json.ts'
import type { PackageRunner } from './package-runner.ts'
import { installedFile, packageFolder } from './server-folder.ts'

export interface InstalledPackage {
  /** As the entry names it. */
  readonly spec: string
  readonly name: string
  readonly version: string
  readonly integrity: string
  /** The file to start, relative to the folder. */
  readonly bin: string
  /** What starts that file; Node where none is named. */
  readonly program?: string
}

/** What was installed for a server; undefined: nothing, or another package than its entry names now. */
export function installedPackage(
  state: string,
  name: string,
  runner: PackageRunner,
): InstalledPackage | undefined {
  const folder = packageFolder(state, name)
  let found: unknown
  try {
    found = JSON.parse(readFileSync(join(folder, installedFile), 'utf8'))
  } catch {
    return undefined
  }
  if (!isPlainObject(found) || found['spec'] !== runner.spec || typeof found['bin'] !== 'string')
    return undefined
  return existsSync(join(folder, found['bin'])) ? (found as object as InstalledPackage) : undefined
}
