// The honest label: for each dimension of a profile, whether the kernel or the host holds it, whether a breach
// is only noticed and stopped afterwards or can be avoided, or whether it is merely reported.
import type { Enforced, Enforcement } from '../tool/outcome.ts'
import { type EngineName, engineNames } from './engine.ts'
import type { Profile } from './profile.ts'

/** What is in force for one start. */
export interface LayersInForce {
  /** What makes namespaces and mounts. */
  readonly engine: EngineName | undefined
  /** What was mounted is compared with what was judged before anything runs (G10). */
  readonly verified: boolean
  /** System calls that have led out before are refused. */
  readonly filtered: boolean
  /** The kernel refuses writes elsewhere a second time, behind the mounts. */
  readonly landlock: boolean
  /** No protected name that is missing could be made by one that writes to the files itself (G6). */
  readonly guardsMissing: boolean
  /** Controllers of a cgroup of its own. */
  readonly cgroup: { readonly memory: boolean; readonly pids: boolean; readonly cpu: boolean }
  /** Limits set with setrlimit. */
  readonly rlimits: { readonly data: boolean; readonly processes: boolean }
  /** Sampling of /proc, with stop and continue for the processor's share. */
  readonly watch: boolean
  /** The egress proxy, for a network that is neither closed nor free. */
  readonly proxy: boolean
  /** Whether writes were held apart; with the reason where they were not. */
  readonly effects: EffectsLabel
}

/** What became possible of holding the writes of one start (E1, E2). */
export type EffectsLabel =
  | { readonly state: 'held' }
  /** `isOnLayer`: it writes nothing, and sees what the held run around it wrote. */
  | { readonly state: 'none'; readonly isOnLayer?: boolean }
  | { readonly state: 'direct'; readonly reason: string }

export function labelsFor(profile: Profile, layers: LayersInForce): Enforcement {
  const isWalled = layers.engine !== undefined
  const walls: Enforced = !isWalled ? 'advisory' : layers.verified && layers.filtered ? 'enforced' : 'partial'
  const noticed: Enforced = layers.watch ? 'partial' : 'advisory'
  const isGathered = isWalled || layers.cgroup.pids
  return {
    layers: [
      ...(layers.engine === undefined ? [] : [layers.engine]),
      ...(layers.landlock ? ['landlock'] : []),
      ...(layers.cgroup.memory || layers.cgroup.pids || layers.cgroup.cpu ? ['cgroup'] : []),
      ...(layers.rlimits.data || layers.rlimits.processes ? ['rlimits'] : []),
      ...(layers.proxy ? ['egress-proxy'] : []),
      ...(layers.watch ? ['watch'] : []),
      'process-group',
    ],
    dimensions: {
      // Without its own network namespace a program can go round the proxy.
      network: isWalled ? 'enforced' : layers.proxy ? 'partial' : 'advisory',
      read: walls,
      write: isWalled && layers.effects.state === 'direct' && !layers.guardsMissing ? 'partial' : walls,
      // Host programs are not visible, but an interpreter can start itself or a file it wrote.
      subprocess: profile.subprocess ? 'enforced' : isWalled ? 'partial' : 'advisory',
      env: 'enforced',
      memory: layers.cgroup.memory ? 'enforced' : layers.rlimits.data && layers.watch ? 'partial' : noticed,
      ...(profile.cpuPercent === null ? {} : { cpu: layers.cgroup.cpu ? 'enforced' : noticed }),
      processes: (layers.cgroup.pids || layers.rlimits.processes) && isGathered ? 'enforced' : noticed,
      time: 'enforced',
      output: 'enforced',
      effects: layers.effects.state,
    },
    ...(layers.effects.state === 'direct' && { reasons: { effects: layers.effects.reason } }),
  }
}

/** Whether the process of a run had walls around it. */
export function isWalled({ layers }: Enforcement): boolean {
  return engineNames.some((name) => layers.includes(name))
}

const order: readonly Enforced[] = ['advisory', 'partial', 'enforced']

/** Two layers round the same process: of each dimension the stronger label counts. */
export function strongestOf(one: Enforcement, other: Enforcement): Enforcement {
  const dimensions: Record<string, Enforced> = { ...one.dimensions }
  for (const [name, label] of Object.entries(other.dimensions)) {
    const known = dimensions[name]
    if (known === undefined || order.indexOf(label) > order.indexOf(known)) dimensions[name] = label
  }
  const reasons = one.reasons ?? other.reasons
  return {
    layers: [...new Set([...one.layers, ...other.layers])],
    dimensions,
    ...(reasons && { reasons }),
  }
}
