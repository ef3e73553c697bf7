// Which folder is the crib (G1): the nearest one upwards that looks like one, within borders, else the current folder.
// The command line goes by it always, the library when it asks.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** What makes any folder a crib, and what does so only for the one somebody stands in. */
const marks = ['toolcrib.yaml', '.ai']
const marksHere = [...marks, 'skills', 'crumbs', '.mcp.json']

interface Found {
  readonly root: string
  readonly passed?: { readonly folder: string; readonly because: string } | undefined
}

/**
 * The crib that `from` (default: the current folder) belongs to, as the command line finds it without `-C`: the nearest
 * folder upwards with `toolcrib.yaml` or `.ai/`, not past the home folder, a repository, a mount or another user's folder.
 *
 * @example
 * await using crib = await openCrib({ root: findCrib() })
 */
export function findCrib(from?: string, env?: NodeJS.ProcessEnv): string {
  return lookUpwards(from, env).root
}

/** The crib, and the nearest parent that looks like one and is not taken: behind a border the user did not draw. */
export function lookUpwards(from: string = process.cwd(), env: NodeJS.ProcessEnv = process.env): Found {
  const start = resolve(from)
  if (hasOneOf(start, marksHere)) return { root: start }
  const home = realPathOr(env['HOME'] || homedir())
  for (let dir = start; ; ) {
    const parent = dirname(dir)
    // The home folder's own .ai is the user's tier, not a crib.
    if (parent === dir || realPathOr(dir) === home || realPathOr(parent) === home) return { root: start }
    if (existsSync(join(dir, '.git'))) return { root: start }
    const border = borderBetween(dir, parent)
    const isCrib = hasOneOf(parent, marks)
    if (border) return { root: start, passed: isCrib ? { folder: parent, because: border } : undefined }
    if (isCrib) return { root: parent }
    dir = parent
  }
}

function hasOneOf(dir: string, names: readonly string[]): boolean {
  return names.some((name) => existsSync(join(dir, name)))
}

/** Why a parent is no ground to look on: another file system, or neither root's nor one's own. */
function borderBetween(dir: string, parent: string): string | undefined {
  const [here, above] = [statOf(dir), statOf(parent)]
  if (!here || !above || here.dev !== above.dev) return 'lies on another file system'
  const isOwn = above.uid === 0 || process.getuid === undefined || above.uid === process.getuid()
  return isOwn ? undefined : 'belongs to another user'
}

function statOf(path: string) {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
