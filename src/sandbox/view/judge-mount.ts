// May a path of the host be shown inside the fence at all? Every mount that is not the same in all views goes through
// here after its links were followed, whoever asked for it (G9).
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { ToolError } from '../../tool/tool-error.ts'

export interface MountBounds {
  readonly project: string
  /** What no process sees. */
  readonly hidden: readonly string[]
  /** Real paths below hidden places that the host itself chose to show: compiled code of its own. */
  readonly own: readonly string[]
}

/** Folders of the system that hold sockets, devices and the state of others. */
const closed = ['/proc', '/sys', '/dev', '/run', '/var/run']

/** Throws PATH_OUTSIDE when `source`, a real path, is not to be shown; `target` is the name that led to it. */
export function judgeMount(source: string, target: string, bounds: MountBounds): void {
  const fault = mountFault(source, bounds)
  if (fault === undefined) return
  const way = source === target ? source : `${target} leads to ${source}, which`
  throw new ToolError('PATH_OUTSIDE', `${way} ${fault}: it is not shown to tools.`, {
    hint: 'Look at the link or setting that leads there (.venv/pyvenv.cfg, a shim); make the environment anew, or grant the folder that is really meant.',
    details: { path: source, by: target },
  })
}

function mountFault(source: string, { project, hidden, own }: MountBounds): string | undefined {
  const realProject = nearestRealPath(project)
  if (source === '/') return 'is the whole machine'
  const isHidden = hidden.some((folder) => isInside(source, nearestRealPath(folder)))
  if (isHidden && !own.some((path) => isInside(source, path))) return 'lies in a hidden place'
  if (isInside(source, realProject)) return undefined
  if (isInside(realProject, source)) return 'holds the whole project'
  if (homes().some((home) => isInside(home, source))) return 'holds the home folder'
  if (source === '/dev/null') return undefined
  if (closed.some((folder) => isInside(source, folder))) return 'belongs to the running system'
  return holdsSockets(source) ? 'holds sockets of other programs' : undefined
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
