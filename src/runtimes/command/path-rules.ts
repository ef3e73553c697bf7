// Paths from callers, judged by where they really lead: links followed, `..` resolved, new files by their
// nearest existing folder.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath, realPathOf } from '../../files/real-path.ts'
import type { NamedPath } from '../../sandbox/access/path-access.ts'
import { mayWrite, type Profile } from '../../sandbox/profile.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { CompiledArg } from './compile-plan.ts'
import type { PathRule } from './emit-argv.ts'

/** The folder a command runs in: an existing one inside the project. */
export function workingDir(text: string, project: string, toolId: string, param: string): string {
  const real = text.includes('\0') ? undefined : realPathOf(resolve(project, text))
  const isFolder = real !== undefined && statSync(real, { throwIfNoEntry: false })?.isDirectory()
  if (real !== undefined && isFolder && isInside(real, nearestRealPath(project))) return real
  throw new ToolError(
    'COMMAND_ARG_REFUSED',
    `${toolId}: "${param}" must be an existing folder inside ${project}.`,
    {
      hint: 'Give a path relative to the project.',
    },
  )
}

/** The rule for readPath and writePath: inside what the profile opens, and nothing of `.git`. */
export function pathRuleOf(
  cwd: string,
  profile: Profile,
  toolId: string,
  reached: (named: NamedPath) => void = () => {},
): PathRule {
  return (text, arg) => {
    const real = text.includes('\0') ? undefined : realPathOf(resolve(cwd, text))
    if (real === undefined) throw refused(arg, toolId, 'cannot be followed to where it leads')
    if (real.split('/').some((part) => part.toLowerCase() === '.git'))
      throw refused(arg, toolId, 'leads into .git')
    const isHidden = profile.hidden.some((path) => isInside(real, nearestRealPath(path)))
    const mayRead =
      !isHidden && [...profile.read, ...profile.write].some((path) => isInside(real, nearestRealPath(path)))
    if (arg.readPath) reached({ path: real, use: 'read', isDenied: !mayRead })
    if (arg.readPath && !mayRead) throw refused(arg, toolId, 'leads to where this tool may not read')
    const isWritable = !isHidden && mayWrite(profile, real, nearestRealPath)
    if (arg.writePath) reached({ path: real, use: 'write', isDenied: !isWritable })
    if (arg.writePath && !isWritable) throw refused(arg, toolId, 'leads to where this tool may not write')
    return real
  }
}

function refused(arg: CompiledArg, toolId: string, why: string): ToolError {
  return new ToolError('COMMAND_ARG_REFUSED', `${toolId}: the path in "${arg.param}" ${why}.`, {
    hint: 'Give a path inside the project, or widen the grants of the tool.',
  })
}
