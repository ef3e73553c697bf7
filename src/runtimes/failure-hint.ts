// Why a program failed, where the fence or a missing package is the reason: what it said, read once for all runtimes.
import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import type { Profile } from '../sandbox/profile.ts'

export interface FailedRun {
  readonly toolId: string
  /** The end of what it wrote to standard error. */
  readonly said: string
  /** Absolute path of what was started. */
  readonly program: string
  readonly cwd: string
  readonly project: string
  readonly profile: Profile
}

/** What to do next; undefined when the program's own words must do. */
export function failureHint(run: FailedRun): string | undefined {
  return missingPackage(run) ?? unseenFile(run)
}

/** D6: a package that the interpreter does not find. */
function missingPackage({ said, program, project }: FailedRun): string | undefined {
  const python = /ModuleNotFoundError: No module named ['"]([\w.]+)['"]/.exec(said)?.[1]
  if (python !== undefined) {
    const name = python.split('.')[0]!
    const isLocal = isInside(program, resolve(project, '.venv'))
    const make = isLocal ? '' : 'python3 -m venv .venv && '
    return `This tool runs with ${program}, which has no ${name}. In ${project}: ${make}.venv/bin/pip install ${name}`
  }
  const script = /(?:Cannot find (?:package|module) )['"]([^'"]+)['"]/.exec(said)?.[1]
  if (script === undefined || /^[./]/.test(script)) return undefined
  const name = script.startsWith('@') ? script.split('/').slice(0, 2).join('/') : script.split('/')[0]!
  return `This tool runs with ${program}, which finds no ${name} in node_modules. In ${project}: npm install ${name}`
}

const lacking = /No such file or directory|ENOENT|not found|cannot open|can't open|Permission denied|EACCES/i

/** D5: a file that is there, and that the tool was not shown. */
function unseenFile({ said, program, toolId, cwd, project, profile }: FailedRun): string | undefined {
  for (const line of said.split('\n')) {
    if (!lacking.test(line)) continue
    for (const path of pathsIn(line)) {
      const file = isAbsolute(path) ? path : resolve(cwd, path)
      const isHidden = profile.hidden.some((place) => isInside(file, place))
      const isShown = profile.read.some((place) => isInside(file, place)) && !isHidden
      if (isShown || file === program || isInside('/proc', file) || !existsSync(file)) continue
      if (isHidden) return `${file} exists, but that place is hidden from every tool.`
      const scope = isInside(file, project) ? file.slice(project.length + 1) : file
      return `${file} exists, but this tool was not shown it. Give it: grants: { tools: { "${toolId}": ["fs.read:${scope}"] } } in toolcrib.yaml.`
    }
  }
  return undefined
}

function pathsIn(line: string): string[] {
  const quoted = [...line.matchAll(/['"`‘]([^'"`’\n]+)['"`’]/g)].map((match) => match[1]!)
  const bare = [...line.matchAll(/(?:^|[\s:])((?:~|\.{0,2})?\/[^\s:'"]+|[\w.-]+\.\w+)(?=[\s:]|$)/g)].map(
    (match) => match[1]!,
  )
  return [...quoted, ...bare].filter((path) => path.length < 4_096 && !path.includes('\0'))
}
