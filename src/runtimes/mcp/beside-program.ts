// What a server writes beside its own program is kept in a folder of its own, over which every file of the pinned
// package is shown read-only (D10). So it is there tomorrow, and the package stays what was pinned.
import { closeSync, constants, lstatSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../../config/make-folder.ts'
import { inFolderBelow, openBelow } from '../../files/open-below.ts'
import type { InstalledPackage } from '../../formats/mcp/installed-package.ts'
import { type PackageFiles, packageFiles } from '../../formats/mcp/package-files.ts'
import { layerFolder } from '../../formats/mcp/server-folder.ts'
import type { OverMount } from '../../sandbox/fence.ts'
import { ToolError } from '../../tool/tool-error.ts'

/** Names that change which code Node loads. */
const steering = ['node_modules', 'package.json']

/** The mounts over the package of a server; none where its package has too many files. */
export function besideProgram(
  state: string,
  name: string,
  installed: InstalledPackage,
): readonly OverMount[] {
  const pinned = packageFiles(state, name, installed)
  if (!pinned) return []
  const { folder } = pinned
  const layer = layerFolder(state, name)
  makeFolder(layer, 0o700)
  try {
    makePlaces(layer, pinned)
  } catch (error) {
    throw unfit(layer, name, (error as Error).message)
  }
  const shown = [...pinned.trees, ...pinned.files].map((path) => join(folder, path))
  return [
    { source: layer, target: folder, isWritable: true },
    ...shown.map((path) => ({ source: path, target: path, isWritable: false })),
  ]
}

/** Makes the names that are mounted over. The server wrote to this folder: no link in it is followed. */
function makePlaces(layer: string, { files, trees, folders }: PackageFiles): void {
  const flags = constants.O_CREAT | constants.O_WRONLY | constants.O_NONBLOCK
  for (const path of [...folders, ...trees]) {
    if (path === '') continue
    inFolderBelow(layer, dirname(path), (at) => mkdirSync(join(at, basename(path)), { recursive: true }))
    inFolderBelow(layer, path, () => undefined)
  }
  for (const path of files) closeSync(openBelow(layer, path, { flags }))
  for (const at of folders) refuseSteering(layer, at, [...files, ...trees])
}

/** What decides which code is loaded comes with the package, or not at all. */
function refuseSteering(layer: string, folder: string, pinned: readonly string[]): void {
  for (const name of steering) {
    const path = join(folder, name)
    if (pinned.includes(path)) continue
    const isThere = inFolderBelow(layer, folder, (at) => lstatSync(join(at, name), { throwIfNoEntry: false }))
    if (isThere) throw new Error(`${path} would change which code it loads`)
  }
}

function unfit(layer: string, name: string, why: string): ToolError {
  return new ToolError(
    'CONFLICT',
    `What the MCP server "${name}" wrote beside its program does not go with its package: ${why}.`,
    { hint: `Look at ${layer}, keep what you need of it, and remove it; the server starts anew then.` },
  )
}
