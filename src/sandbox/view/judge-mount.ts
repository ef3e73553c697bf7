// May a path of the host be shown inside the fence at all? Every mount that is not the same in all views goes through
// here after its links were followed, whoever asked for it (G9).
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { isInHostRoot } from './host-root.ts'
import { isInterpreter } from './program-files.ts'

/** What is shown: a real path, the name that led to it, and whether it can be written to. */
export interface JudgedMount {
  readonly source: string
  readonly target: string
  readonly isWritable: boolean
}

export interface MountBounds {
  readonly project: string
  /** What no process sees. */
  readonly hidden: readonly string[]
  /** Real paths below hidden places that the host itself chose to show: compiled code of its own. */
  readonly own: readonly string[]
}

/** Folders of the system that hold sockets, devices and the state of others. */
const closed = ['/proc', '/sys', '/dev', '/run', '/var/run']

/** Throws PATH_OUTSIDE when a mount is not to be shown. */
export function judgeMount(mount: JudgedMount, bounds: MountBounds): void {
  const fault = mountFault(mount, bounds)
  if (fault === undefined) return
  const { source, target } = mount
  const way = source === target ? source : `${target} leads to ${source}, which`
  throw new ToolError('PATH_OUTSIDE', `${way} ${fault}: it is not shown to tools.`, {
    hint: 'Look at the link or setting that leads there (.venv/pyvenv.cfg, a shim); make the environment anew, or grant the folder that is really meant.',
    details: { path: source, by: target },
  })
}

function mountFault(mount: JudgedMount, { project, hidden, own }: MountBounds): string | undefined {
  const { source, target } = mount
  const realProject = nearestRealPath(project)
  const isOwn = own.some((path) => isInside(source, path))
  if (source === '/') return 'is the whole machine'
  if (!isOwn && hidden.some((folder) => isInside(source, nearestRealPath(folder))))
    return 'lies in a hidden place'
  if (isInside(source, realProject)) return undefined
  if (isInside(realProject, source)) return 'holds the whole project'
  if (homes().some((home) => isInside(home, source))) return 'holds the home folder'
  if (source === '/dev/null') return undefined
  if (closed.some((folder) => isInside(source, folder))) return 'belongs to the running system'
  const isNamedInProject = isInside(target, project) || isInside(target, realProject)
  if (isNamedInProject && !isOwn && !mayLeadOut(mount)) return 'lies outside the crib'
  return holdsSockets(source) ? 'holds sockets of other programs' : undefined
}

/** A name inside the project leads out of it to programs of the system and to interpreters, and only to be read. */
function mayLeadOut({ source, isWritable }: JudgedMount): boolean {
  return !isWritable && (isInHostRoot(source, true) || isInterpreter(source))
}

function homes(): string[] {
  return [...new Set([process.env['HOME'] || homedir(), homedir()])]
    .filter((home) => home !== '/')
    .map(nearestRealPath)
}

function holdsSockets(folder: string): boolean {
  try {
    return readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isSocket())
  } catch {
    // A file, or nothing that can be listed.
    return false
  }
}
