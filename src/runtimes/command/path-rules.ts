// Paths from callers, judged by where they really lead: links followed, `..` resolved, new files by their
// nearest existing folder.
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { mayWrite, type Profile } from '../../sandbox/profile.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { CompiledArg } from './compile-plan.ts'
import type { PathRule } from './emit-argv.ts'

/** The folder a command runs in: an existing one inside the project. */
export function workingDir(text: string, project: string, toolId: string, param: string): string {
  const real = text.includes('\0') ? undefined : realPathOf(resolve(project, text))
  const isFolder = real !== undefined && statSync(real, { throwIfNoEntry: false })?.isDirectory()
  if (real !== undefined && isFolder && isWithin(real, realOr(project))) return real
  throw new ToolError(
    'COMMAND_ARG_REFUSED',
    `${toolId}: "${param}" must be an existing folder inside ${project}.`,
    {
      hint: 'Give a path relative to the project.',
    },
  )
}

/** The rule for readPath and writePath: inside what the profile opens, and nothing of `.git`. */
export function pathRuleOf(cwd: string, profile: Profile, toolId: string): PathRule {
  return (text, arg) => {
    const real = text.includes('\0') ? undefined : realPathOf(resolve(cwd, text))
    if (real === undefined) throw refused(arg, toolId, 'cannot be followed to where it leads')
    if (real.split(sep).some((part) => part.toLowerCase() === '.git'))
      throw refused(arg, toolId, 'leads into .git')
    const isHidden = profile.hidden.some((path) => isWithin(real, realOr(path)))
    const mayRead =
      !isHidden && [...profile.read, ...profile.write].some((path) => isWithin(real, realOr(path)))
    if (arg.readPath && !mayRead) throw refused(arg, toolId, 'leads to where this tool may not read')
    if (arg.writePath && (isHidden || !mayWrite(profile, real, realOr)))
      throw refused(arg, toolId, 'leads to where this tool may not write')
    return real
  }
}

function refused(arg: CompiledArg, toolId: string, why: string): ToolError {
  return new ToolError('COMMAND_ARG_REFUSED', `${toolId}: the path in "${arg.param}" ${why}.`, {
    hint: 'Give a path inside the project, or widen the grants of the tool.',
  })
}

/** Links followed; a path that is not there yet by its nearest existing folder. undefined: a broken link. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined
    // A link to nowhere would be followed by whoever creates the file.
    if (!isAbsent(path)) return undefined
    const parent = dirname(path)
    const real = parent === path ? undefined : realPathOf(parent)
    return real === undefined ? undefined : join(real, basename(path))
  }
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    // Too long, or through something that is no folder.
    return false
  }
}

function realOr(path: string): string {
  return realPathOf(path) ?? path
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
