// The files of a server's package that stay as they were pinned, whatever the server writes beside them (D10).
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { InstalledPackage } from './installed-package.ts'
import { packageFolder } from './server-folder.ts'

/** Each file of the package is a mount; a package with more keeps its folder read-only. */
const maxFiles = 400

export interface PackageFiles {
  /** The folder of the package; the paths below are relative to it. */
  readonly folder: string
  readonly files: readonly string[]
  /** Each `node_modules`, which counts as one. */
  readonly trees: readonly string[]
  readonly folders: readonly string[]
}

/** Undefined where the package has too many files for a layer, or cannot be read. */
export function packageFiles(
  state: string,
  name: string,
  installed: InstalledPackage,
): PackageFiles | undefined {
  const folder = join(packageFolder(state, name), 'node_modules', installed.name)
  const files: string[] = []
  const trees: string[] = []
  const folders = ['']
  try {
    for (const at of folders) {
      for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
        const path = join(at, entry.name)
        if (entry.isDirectory()) (entry.name === 'node_modules' ? trees : folders).push(path)
        else if (entry.isFile()) files.push(path)
      }
      if (files.length > maxFiles) return undefined
    }
  } catch {
    return undefined
  }
  return { folder, files, trees, folders }
}
