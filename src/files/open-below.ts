// Opens what lies below a folder step by step, each step from the descriptor of the one before and through no link.
// A part that is exchanged for a link after it was looked at is refused, so that a check and its use see the same.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { isInside, pathWithin } from './is-inside.ts'
import { pathOfText } from './path-bytes.ts'
import { realPathOf } from './real-path.ts'

export interface OpenOptions {
  /** As of open(2); O_NOFOLLOW is always added. Reading, when absent. */
  readonly flags?: number
  /** Makes the folders on the way that are missing. */
  readonly makeFolders?: boolean
}

/** Opens a folder to go on from it; needs no right to list it. Node has no name for it. */
const pathOnly = process.platform === 'linux' ? 0o10_000_000 : constants.O_RDONLY
const stepFlags = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** Without it (macOS) the steps go by name: links are refused all the same, but not one put there meanwhile. */
const hasDescriptors = existsSync('/proc/self/fd')

/**
 * The descriptor of a file below `folder`. Throws what open(2) throws; ELOOP for a link anywhere on the way, EXDEV for
 * a path that is absolute or has `..`.
 */
export function openBelow(folder: string, path: string, options: OpenOptions = {}): number {
  const parts = partsOf(path)
  const name = parts.pop()
  if (name === undefined) throw fault('EISDIR', path)
  const flags = (options.flags ?? constants.O_RDONLY) | constants.O_NOFOLLOW
  return inFolder(folder, parts, options.makeFolders, (at) =>
    openSync(pathOfText(join(at, name)), flags, 0o666),
  )
}

/** Calls `use` with a path that means the folder at `path` itself, whatever its name means by then. `makeFolders`: as of `openBelow`. */
export function inFolderBelow<T>(
  folder: string,
  path: string,
  use: (at: string) => T,
  makeFolders = false,
): T {
  return inFolder(folder, partsOf(path), makeFolders, use)
}

/**
 * The bytes of a regular file that is really inside `folder`, links within it followed; undefined when the path leads
 * elsewhere, to nothing, to no regular file, or to more than `maxBytes`. `isMeant` judges where it leads, below `folder`.
 */
export function readBelow(
  folder: string,
  path: string,
  maxBytes: number,
  isMeant: (within: string) => boolean = () => true,
): Buffer | undefined {
  const root = realPathOf(folder)
  const real = root === undefined || path.includes('\0') ? undefined : realPathOf(join(root, path))
  if (root === undefined || real === undefined || !isInside(real, root)) return undefined
  if (!isMeant(pathWithin(real, root)!)) return undefined
  let descriptor: number | undefined
  try {
    descriptor = openBelow(root, pathWithin(real, root)!, {
      flags: constants.O_RDONLY | constants.O_NONBLOCK,
    })
    const stat = fstatSync(descriptor)
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(descriptor) : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Folders on the way that are kept open, by the folder they are below and their path. */
let kept: Map<string, number> | undefined
const maxKept = 256

/**
 * What `act` looks at below a folder it finds in the same folders from beginning to end, each opened once. It waits for
 * nothing, and makes, moves and removes no folder.
 */
export function inSameFolders<T>(act: () => T): T {
  if (kept || !hasDescriptors) return act()
  kept = new Map()
  try {
    return act()
  } finally {
    for (const descriptor of kept.values()) closeSync(descriptor)
    kept = undefined
  }
}

/** The descriptor of a folder that is kept open; undefined when no more are. */
function keptFolder(all: Map<string, number>, folder: string, parts: readonly string[]): number | undefined {
  let key = `${folder}\0`
  let descriptor = all.get(key)
  if (descriptor === undefined) {
    if (all.size + parts.length >= maxKept) return undefined
    descriptor = openSync(folder, pathOnly | constants.O_DIRECTORY)
    all.set(key, descriptor)
  }
  for (const name of parts) {
    key += `/${name}`
    const parent: number = descriptor
    descriptor = all.get(key)
    if (descriptor !== undefined) continue
    if (all.size >= maxKept) return undefined
    descriptor = openStep(`/proc/self/fd/${parent}/${name}`)
    all.set(key, descriptor)
  }
  return descriptor
}

function inFolder<T>(
  folder: string,
  parts: readonly string[],
  make: boolean | undefined,
  use: (at: string) => T,
): T {
  const known = kept && !make ? keptFolder(kept, folder, parts) : undefined
  if (known !== undefined) return use(`/proc/self/fd/${known}`)
  let descriptor = openSync(folder, pathOnly | constants.O_DIRECTORY)
  let at = hasDescriptors ? `/proc/self/fd/${descriptor}` : folder
  try {
    for (const name of parts) {
      const next = join(at, name)
      if (make) makeFolder(next)
      const opened = openStep(next)
      closeSync(descriptor)
      descriptor = opened
      at = hasDescriptors ? `/proc/self/fd/${descriptor}` : next
    }
    return use(at)
  } finally {
    closeSync(descriptor)
  }
}

function openStep(name: string): number {
  const path = pathOfText(name)
  try {
    return openSync(path, stepFlags)
  } catch (error) {
    // The kernel says of a link only that it is no folder.
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
    throw isLink ? fault('ELOOP', name) : error
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(pathOfText(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (isAbsolute(path) || parts.includes('..')) throw fault('EXDEV', path)
  return parts
}

const reasons = { ELOOP: 'is a link', EXDEV: 'leads out of the folder', EISDIR: 'is a folder' }

function fault(code: keyof typeof reasons, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path} ${reasons[code]}`), { code, path })
}
