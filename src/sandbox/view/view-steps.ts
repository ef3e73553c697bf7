// Everything a process finds inside the fence. The part that depends only on the profile's shape is made once; what
// the file system may have changed since is asked each time.
import { isAbsolute } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import type { SpawnSpec } from '../fence.ts'
import type { Profile } from '../profile.ts'
import { areaMounts } from './areas.ts'
import { hostRoot, isInHostRoot } from './host-root.ts'
import type { Placeholders } from './placeholders.ts'
import { programFiles } from './program-files.ts'
import type { ViewStep } from './view-step.ts'

export interface ViewOptions {
  readonly project: string
  /** What the process needs besides: its own code, a worker's bootstrap. */
  readonly read: readonly string[]
  /** Host folder shown as /run/toolcrib: the sockets of the egress proxy. */
  readonly run?: string | undefined
  /** Programs started before the tool (the forwarder), which must be visible too. */
  readonly programs: readonly string[]
  readonly placeholders: Placeholders
  /** Whether the engine can mount a private /proc here. */
  readonly hasProc: boolean
}

const bases = new Map<string, readonly ViewStep[]>()

export function viewSteps(spec: SpawnSpec, profile: Profile, options: ViewOptions): ViewStep[] {
  const { project, placeholders, read, run } = options
  const programs = [spec.file, ...options.programs].flatMap(programFiles)
  const extras = [...read, ...programs.filter((path) => !isInHostRoot(path, profile.subprocess))]
  const steps = [
    ...base(profile, options.hasProc),
    ...home(spec, profile),
    ...areaMounts(profile, { project, extras, placeholders }),
  ]
  if (run !== undefined)
    steps.push({ kind: 'bind', source: nearestRealPath(run), target: '/run/toolcrib', isWritable: false })
  const isShown = [...profile.read, ...read].some((path) => isInside(spec.cwd, path))
  if (!isShown) steps.push({ kind: 'folder', target: spec.cwd })
  return steps
}

function base({ subprocess, memoryMb }: Profile, hasProc: boolean): readonly ViewStep[] {
  const key = `${hasProc} ${subprocess} ${memoryMb}`
  let steps = bases.get(key)
  if (!steps) {
    const bytes = memoryMb * 1024 * 1024
    steps = [
      ...hostRoot(subprocess),
      ...(hasProc ? [{ kind: 'proc' } as const] : []),
      { kind: 'devices' },
      { kind: 'memory', target: '/dev/shm', mode: '0755', bytes },
      { kind: 'seal', target: '/dev' },
      { kind: 'memory', target: '/tmp', mode: '1777', bytes },
      { kind: 'link', to: '/tmp', target: '/var/tmp' },
    ]
    bases.set(key, steps)
  }
  return steps
}

/** A private, empty home, so that programs which insist on one find it. */
function home(spec: SpawnSpec, profile: Profile): ViewStep[] {
  const path = spec.env['HOME']
  if (path === undefined || !isAbsolute(path) || path === '/' || isInHostRoot(path, true)) return []
  if (isInside(path, '/tmp') || isInside(path, '/dev') || isInside(path, '/proc')) return []
  if (profile.read.some((folder) => isInside(path, folder))) return []
  return [{ kind: 'memory', target: path, mode: '0755', bytes: profile.memoryMb * 1024 * 1024 }]
}

/** The variables of the process inside; TMPDIR moves to the private /tmp when its folder is not visible. */
export function insideEnvironment(spec: SpawnSpec, profile: Profile): [name: string, value: string][] {
  return Object.entries(spec.env)
    .filter(([name]) => name !== '' && !name.includes('='))
    .map(([name, value]) => {
      const isMoved = name === 'TMPDIR' && !profile.write.some((folder) => isInside(value, folder))
      return [name, isMoved ? '/tmp' : value]
    })
}
