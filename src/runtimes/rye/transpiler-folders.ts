// The folders a Node worker must read to turn TypeScript into JavaScript: the transpiler's packages, wherever npm
// put them (beside Toolcrib or inside it).
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const packages = ['oxc-parser', 'oxc-transform', '@oxc-parser', '@oxc-transform', '@oxc-project']
const known = new Map<string, readonly string[]>()

/** Folders of the packages as seen from the worker's bootstrap file; none for workers that are not JavaScript. */
export function transpilerFolders(bootstrap: string): readonly string[] {
  if (!bootstrap.endsWith('.mjs')) return []
  let folders = known.get(bootstrap)
  if (!folders) {
    const places = createRequire(bootstrap).resolve.paths('oxc-parser') ?? []
    folders = packages.flatMap((name) =>
      places
        .map((place) => join(place, name))
        .filter((folder) => existsSync(folder))
        .slice(0, 1),
    )
    known.set(bootstrap, folders)
  }
  return folders
}
