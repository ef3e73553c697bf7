// Everything a process finds inside the fence. The part that depends only on the profile's shape is made once; what
// the file system may have changed since is asked each time.
import { isAbsolute } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { type Layer, layerStep } from '../changes/layer.ts'
import type { OverMount, SpawnSpec } from '../fence.ts'
import type { Profile } from '../profile.ts'
import { type AreaMount, areaMounts } from './areas.ts'
import { hostRoot, isInHostRoot } from './host-root.ts'
import { judgeMount } from './judge-mount.ts'
import { programFiles } from './program-files.ts'
import type { ViewStep } from './view-step.ts'

export interface ViewOptions {
  readonly project: string
  /** What the process needs besides: its own code, a worker's bootstrap. */
  readonly read: readonly string[]
  /** Folders of its own that it may write. */
  readonly own?: readonly string[]
  /** Mounts over what is shown otherwise. */
  readonly over?: readonly OverMount[]
  /** Host folder shown as /run/toolcrib: the sockets of the egress proxy. */
  readonly run?: string | undefined
  /** Programs started before the tool (the forwarder), which must be visible too. */
  readonly programs: readonly string[]
  /** Whether the engine can mount a private /proc here. */
  readonly hasProc: boolean
  /** Holds what is written to the project; absent: it is written directly. */
  readonly layer?: Layer | undefined
}

const bases = new Map<string, readonly ViewStep[]>()

export function viewSteps(spec: SpawnSpec, profile: Profile, options: ViewOptions): ViewStep[] {
  const { project, read, run, layer, own = [], over = [] } = options
  const programs = [spec.file, ...options.programs].flatMap((file) => programFiles(file, project))
  const extras = [...read, ...programs.filter((path) => !isInHostRoot(path, profile.subprocess))]
  const steps = [
    ...base(profile, options.hasProc),
    ...(own.includes(spec.env['HOME'] ?? '') ? [] : home(spec, profile)),
    ...(layer ? [layerStep(layer)] : []),
    ...judged(
      [
        ...areaMounts(profile, { project, extras, own, upper: layer?.upper }),
        ...over.map((mount) => ({ ...mount, kind: 'bind' as const, source: nearestRealPath(mount.source) })),
      ],
      profile,
      options,
    ),
  ]
  if (run !== undefined)
    steps.push({ kind: 'bind', source: nearestRealPath(run), target: '/run/toolcrib', isWritable: false })
  const isShown = [...profile.read, ...read].some((path) => isInside(spec.cwd, path))
  if (!isShown) steps.push({ kind: 'folder', target: spec.cwd })
  return steps
}

/** All mounts but those that every view has. */
function judged(
  mounts: AreaMount[],
  { hidden }: Profile,
  { project, read, own = [], over = [] }: ViewOptions,
): AreaMount[] {
  const bounds = {
    project,
    hidden,
    own: [...read, ...own, ...over.map(({ source }) => source)].map(nearestRealPath),
  }
  for (const mount of mounts) if (mount.kind === 'bind') judgeMount(mount, bounds)
  return mounts
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
