// Which files a program outside /usr needs beside itself: an interpreter's own libraries, and nothing of the
// home folder it may be installed in.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { nearestRealPath } from '../../files/real-path.ts'

const known = new Map<string, readonly string[]>()

/** Absolute paths to show read-only so that `file` can start: every link on the way, and its prefix when it has one. */
export function programFiles(file: string): readonly string[] {
  let found = known.get(file)
  if (!found) {
    found = find(file)
    known.set(file, found)
  }
  return found
}

function find(file: string): string[] {
  const paths = new Set<string>()
  for (const step of linkSteps(file)) {
    paths.add(step)
    const manager = versionManager(step)
    if (manager !== undefined) paths.add(manager)
    const prefix = interpreterPrefix(step)
    if (prefix === undefined) continue
    paths.add(prefix)
    const base = virtualEnvironmentHome(prefix)
    if (base !== undefined) for (const path of find(base)) paths.add(path)
  }
  return [...paths]
}

/** The path itself and each path it links to, up to the real file. */
function linkSteps(file: string): string[] {
  const steps = [file]
  let current = file
  while (steps.length < 16 && lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink()) {
    current = resolve(dirname(current), readlinkSync(current))
    steps.push(current)
  }
  try {
    const real = realpathSync(file)
    if (!steps.includes(real)) steps.push(real)
  } catch {
    // A missing program is the supervisor's error to tell.
  }
  return steps
}

/** `…/bin/python3` → `…` when that folder is an interpreter's own and not somebody's home or `~/.local`. */
function interpreterPrefix(file: string): string | undefined {
  const bin = dirname(file)
  const prefix = dirname(bin)
  // A link may stand in the way (`.venv` that leads to `/`): what counts is what would be shown.
  if (!bin.endsWith('/bin') || ['/', '/usr', '/usr/local'].includes(nearestRealPath(prefix))) return undefined
  if (existsSync(join(prefix, 'pyvenv.cfg')) || existsSync(join(prefix, 'conda-meta'))) return prefix
  // `~/.local` has `lib/python3.x/site-packages` too, but no standard library and no headers of Node.
  if (existsSync(join(prefix, 'include', 'node', 'node.h'))) return prefix
  const lib = join(prefix, 'lib')
  if (!existsSync(lib)) return undefined
  const isPython = readdirSync(lib).some(
    (name) => /^python\d/.test(name) && existsSync(join(lib, name, 'os.py')),
  )
  return isPython ? prefix : undefined
}

/** `~/.pyenv/shims/python3` → `~/.pyenv`: a shim starts another program of its version manager. */
function versionManager(file: string): string | undefined {
  const root = /^(.*\/\.?(?:asdf|mise|nodenv|pyenv|rbenv))\/shims\/[^/]+$/.exec(file)?.[1]
  return root !== undefined && nearestRealPath(root) !== '/' ? root : undefined
}

/** The interpreter a Python virtual environment was made from. */
function virtualEnvironmentHome(prefix: string): string | undefined {
  try {
    const home = /^home\s*=\s*(.+)$/m.exec(readFileSync(join(prefix, 'pyvenv.cfg'), 'utf8'))?.[1]?.trim()
    return home ? join(home, 'python3') : undefined
  } catch {
    return undefined
  }
}
