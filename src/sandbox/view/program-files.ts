// Which files a program outside /usr needs beside itself: an interpreter's own libraries, and nothing of the
// home folder it may be installed in.

import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { beginsWith } from '../../files/begins-with.ts'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { statIfThere } from '../../files/stat-if-there.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { isInHostRoot } from './host-root.ts'

const known = new Map<string, readonly string[]>()

/**
 * Absolute paths to show read-only so that `file` can start: every link on the way, and its prefix when it has one.
 * What lies in the project says where else to look (links, `pyvenv.cfg`, shims), and is believed only as far as it
 * leads to an interpreter (G9): throws PATH_OUTSIDE otherwise.
 */
export function programFiles(file: string, project: string): readonly string[] {
  if (isInside(file, project) || isInside(nearestRealPath(file), nearestRealPath(project))) {
    const found = find(file)
    for (const path of found) mustBeInterpreter(path, file, project)
    return found
  }
  let found = known.get(file)
  if (!found) {
    found = find(file)
    known.set(file, found)
  }
  return found
}

/** What a program of the project leads to outside of it: a binary of an interpreter, or the folder of one. */
function mustBeInterpreter(path: string, file: string, project: string): void {
  const real = nearestRealPath(path)
  if (!existsSync(real) || isInside(real, nearestRealPath(project)) || isInHostRoot(real, true)) return
  if (isInterpreter(real)) return
  throw new ToolError(
    'PATH_OUTSIDE',
    `${file} leads out of the crib to ${real}, which is no interpreter: it is not shown to tools.`,
    {
      hint: 'Look at its links and at pyvenv.cfg; make the environment anew (python3 -m venv .venv), or name the program itself.',
      details: { path: real, by: file },
    },
  )
}

/** No script and no text: what is executed as it is. */
const elfMark = '\x7fELF'

/** Whether a real path is the binary of an interpreter, or the folder of one. */
export function isInterpreter(real: string): boolean {
  if (statIfThere(real)?.isDirectory()) return real !== dirname(real) && holdsPython(real)
  return /^(?:python|pypy|node|deno|bun)[\d.]*[a-z]*$/.test(basename(real)) && beginsWith(real, elfMark)
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
  for (let next = linkTarget(file); next !== undefined && steps.length < 16; next = linkTarget(next))
    steps.push(next)
  try {
    const real = realpathSync(file)
    if (!steps.includes(real)) steps.push(real)
  } catch {
    // A missing program is the supervisor's error to tell.
  }
  return steps
}

function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path))
  } catch {
    // No link, or nothing there.
    return undefined
  }
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
  return holdsPython(prefix) ? prefix : undefined
}

/** Whether a folder has a Python with its standard library. */
function holdsPython(prefix: string): boolean {
  const lib = join(prefix, 'lib')
  try {
    return readdirSync(lib).some((name) => /^python\d/.test(name) && existsSync(join(lib, name, 'os.py')))
  } catch {
    return false
  }
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
