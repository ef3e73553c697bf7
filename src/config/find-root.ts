// Which folder is the crib (G1): the nearest one upwards that looks like one, within borders, else the current folder.
// The command line goes by it always, the library when it asks.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** What makes any folder a crib, and what does so only for the one somebody stands in. */
const marks = ['toolcrib.yaml', '.ai']
const marksHere = [...marks, 'skills', 'crumbs', '.mcp.json']

/**
 * The crib that `from` (default: the current folder) belongs to, as the command line finds it without `-C`: the nearest
 * folder upwards with `toolcrib.yaml` or `.ai/`, not past the home folder, a repository, a mount or another user's folder.
 *
 * @example
 * await using crib = await openCrib({ root: findCrib() })
 */
export function findCrib(from: string = process.cwd(), env: NodeJS.ProcessEnv = process.env): string {
  const start = resolve(from)
  if (hasOneOf(start, marksHere)) return start
  const home = realPathOr(env['HOME'] || homedir())
  for (let dir = start; ; ) {
    const parent = dirname(dir)
    // The home folder's own .ai is the user's tier, not a crib.
    if (parent === dir || realPathOr(dir) === home || realPathOr(parent) === home) return start
    if (existsSync(join(dir, '.git')) || !isSameGround(dir, parent)) return start
    if (hasOneOf(parent, marks)) return parent
    dir = parent
  }
}

function hasOneOf(dir: string, names: readonly string[]): boolean {
  return names.some((name) => existsSync(join(dir, name)))
}

/** True when the parent lies on the same file system and belongs to root or to whoever asks. */
function isSameGround(dir: string, parent: string): boolean {
  const [here, above] = [statOf(dir), statOf(parent)]
  if (!here || !above || here.dev !== above.dev) return false
  return above.uid === 0 || process.getuid === undefined || above.uid === process.getuid()
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
