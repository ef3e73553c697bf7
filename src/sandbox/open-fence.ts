// Puts the layers together: finds out what works on this machine, wraps each start in the strongest of it,
// and says what that holds. `required` refuses where `preferred` would weaken.
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Duplex } from 'node:stream'
import type { SandboxMode } from '../config/config.ts'
import { isInside } from '../files/is-inside.ts'
import { ToolError } from '../tool/tool-error.ts'
import { hostAndPort, type OnAccess } from './access/access.ts'
import type { Traced, Tracer } from './access/tracer.ts'
import { watchedSpec } from './access/watched-environment.ts'
import { Cgroup } from './cgroup/cgroup.ts'
import { type CgroupProbe, probeCgroups } from './cgroup/find-cgroups.ts'
import type { CarriedChange } from './changes/carried-changes.ts'
import { type Layer, layerStep } from './changes/layer.ts'
import { demandEnforced } from './demand-enforced.ts'
import { Egress, type Way } from './egress/egress.ts'
import type { AskedConnection } from './egress/egress-proxy.ts'
import type { Forwarder } from './egress/forwarder.ts'
import { type LayersInForce, labelsFor } from './enforcement.ts'
import {
  type Engine,
  type EngineName,
  type EngineProbe,
  endInside,
  engineNames,
  terminateInside,
} from './engine.ts'
import { Engines } from './engines.ts'
import { enterByShell } from './enter-by-shell.ts'
import {
  type Fence,
  type FencedSpec,
  type FenceOptions,
  type LayerStatus,
  needsOwnName,
  type SpawnSpec,
} from './fence.ts'
import { demandHeld, HeldWrites } from './held-writes.ts'
import {
  cgroupStatus,
  engineStatus,
  layerStatus,
  proxyStatus,
  rlimitStatus,
  watchStatus,
} from './layer-status.ts'
import { mountsOf } from './mount-table.ts'
import { mustBeStartable } from './must-be-startable.ts'
import { endGroup } from './process-tree.ts'
import type { NetworkRule, Profile } from './profile.ts'
import { memoryLimit, ResourceWatch, type WatchLimits, watchLimits } from './resource-watch.ts'
import { type Rlimit, rlimits } from './rlimits.ts'
import { ExpectedMounts } from './verify-mounts.ts'
import { insideEnvironment, viewSteps } from './view/view-steps.ts'

export interface OpenFenceOptions {
  readonly mode: SandboxMode
  /** The crib's root: granted folders may not lead out of it. */
  readonly project: string
  /** The user's state folder; default: that of this process. */
  readonly userState?: string
  /** Dimensions or layers that must be enforced (`sandbox.require`). */
  readonly require?: readonly string[]
  /** The engine to use; default: the one that can do most here, of equal ones the faster. */
  readonly engine?: EngineName | undefined
  /** Where probes are remembered; null: nowhere. Default: the user's cache folder. */
  readonly cacheFile?: string | null
  /** Told of what tools reach for. */
  readonly onAccess?: OnAccess
  /** Watches files and programs too, and hosts also where the network is closed. */
  readonly tracer?: Tracer | undefined
  /** What is there, when the caller knows better than a probe (a machine without a layer). */
  readonly probe?: {
    readonly bubblewrap?: EngineProbe
    readonly launcher?: EngineProbe
    readonly cgroup?: CgroupProbe
    readonly forwarder?: Forwarder
  }
}

/** The fence of a crib. Probing waits for the first use. */
export function openFence(options: OpenFenceOptions): Fence {
  return new LayeredFence(options)
}

/** What one start is given: the layers made for it. */
interface Parts {
  readonly engine: Engine | undefined
  readonly cgroup: Cgroup | undefined
  readonly way: Way | undefined
  readonly inForce: LayersInForce
  readonly watched: WatchLimits | undefined
  /** Set by the start where it is watched. */
  traced?: Traced
  /** Set by the start: compares what was mounted, and lets the program go. */
  admit?: (pipeAt: (fd: number) => Duplex) => Promise<ToolError | undefined>
}

class LayeredFence implements Fence {
  readonly #options: OpenFenceOptions
  readonly #watch = new ResourceWatch()
  readonly #egress: Egress
  readonly #cgroupsInUse = new Set<Cgroup>()
  readonly #engines: Engines
  readonly #held: HeldWrites
  #cgroupProbe: CgroupProbe | undefined

  constructor(options: OpenFenceOptions) {
    this.#options = options
    this.#egress = new Egress(options.probe?.forwarder)
    this.#engines = new Engines(options)
    this.#held = new HeldWrites(options, this.#engines)
  }

  get #cgroups(): CgroupProbe {
    this.#cgroupProbe ??= this.#options.probe?.cgroup ?? probeCgroups()
    return this.#cgroupProbe
  }

  wrap(spec: SpawnSpec, given: Profile, options: FenceOptions = {}): FencedSpec {
    const profile = this.#withinRequired(mayStartPrograms(spec, given), options)
    if (this.#options.mode !== 'off') mustBeStartable(spec)
    const parts = this.#parts(profile, options)
    let layer: Layer | undefined
    const released = () => layer && options.holding!.released(layer)
    try {
      const { effects } = parts.inForce
      const enforcement = labelsFor(profile, parts.inForce)
      demandEnforced(enforcement, this.#options, () => this.layers())
      demandHeld(effects, options.holding)
      if (effects.state === 'direct') options.holding?.writesDirectly?.(effects.reason)
      const own = parts.way && options.openProxy ? options.openProxy(spec, parts.way.address) : spec
      const isOnLayer = effects.state === 'held' || (effects.state === 'none' && effects.isOnLayer)
      if (isOnLayer) layer = this.#held.layer(options.holding!, parts.engine!)
      return {
        spec: this.#start({ spec: own, layer }, parts, profile, options),
        enforcement,
        layer,
        ...this.#life(parts, profile, released),
        ...(layer && { endInside }),
      }
    } catch (error) {
      released()
      this.#discard(parts.cgroup)
      parts.traced?.finish()
      parts.way?.release()
      throw error
    }
  }

  /**
   * A process that cannot be held, such as a foreign server, could make a protected name that is missing (G6). Where the
   * sandbox is required it is shown the files without the right to write them.
   */
  #withinRequired(profile: Profile, { holding }: FenceOptions): Profile {
    const isHeld = this.#options.mode !== 'required' || holding !== undefined
    return isHeld || !lacksProtected(profile) ? profile : { ...profile, write: [] }
  }

  carry(changes: readonly CarriedChange[], { from, into }: { from: Layer; into: Layer }): SpawnSpec {
    const engine = this.#engines.best(true)
    if (!engine?.layers) throw new ToolError('SANDBOX_UNAVAILABLE', 'No layer can be mounted here.')
    const bind = (source: string, target: string, isWritable: boolean) =>
      ({ kind: 'bind', source, target, isWritable }) as const
    return engine.start({
      spec: { file: '/', args: [], cwd: '/', env: {} },
      steps: [layerStep(into), bind(into.lower, '/into', true), bind(from.upper, '/from', false)],
      env: [],
      way: undefined,
      processes: undefined,
      doors: [],
      limits: [],
      carried: { from: '/from', into: '/into', changes },
    })
  }

  #parts(profile: Profile, options: FenceOptions): Parts {
    const isOff = this.#options.mode === 'off'
    const { holding } = options
    const holdsWrites = holding !== undefined && (profile.write.length > 0 || holding.mustHold === true)
    const engine = isOff ? undefined : this.#engines.best(holdsWrites)
    const cgroup = isOff ? undefined : this.#makeCgroup(profile)
    const held = cgroup?.controllers ?? { memory: false, pids: false, cpu: false }
    const limited = {
      data: !isOff && !held.memory,
      processes: !held.pids && engine?.countsProcesses === true,
    }
    const watched = watchLimits(profile, held, limited.processes)
    const { rule, isGuided } = this.#rule(profile, options, engine)
    const passenger = { secrets: options.secrets, tool: options.tool, onAsked: this.#onAsked(options.tool) }
    const way = !isGuided
      ? undefined
      : engine
        ? this.#egress.inside(rule, passenger)
        : this.#egress.outside(rule, passenger)
    const inForce: LayersInForce = {
      engine: engine?.name,
      verified: engine?.verifies ?? false,
      filtered: engine?.seccomp ?? false,
      landlock: engine?.landlock ?? false,
      guardsMissing: !lacksProtected(profile),
      cgroup: held,
      rlimits: limited,
      watch: watched !== undefined,
      proxy: isGuided,
      effects: this.#held.effects(profile, options.holding, engine),
    }
    return { engine, cgroup, way, inForce, watched }
  }

  /** Which rule a proxy holds; where the network is closed there is one only to hear what is asked for. */
  #rule({ network }: Profile, { openProxy }: FenceOptions, engine: Engine | undefined) {
    const isClosed = network.mode === 'none'
    const isHeard = isClosed && this.#options.tracer !== undefined && engine !== undefined && !openProxy
    const isGuided = !isClosed && !(openProxy && engine === undefined)
    const rule: NetworkRule = isHeard ? { mode: 'hosts', hosts: [] } : network
    return { rule, isGuided: this.#options.mode !== 'off' && (isGuided || isHeard) }
  }

  #onAsked(tool: string | undefined) {
    const { onAccess } = this.#options
    if (!onAccess || tool === undefined) return undefined
    return ({ host, port, address, isDenied }: AskedConnection) =>
      onAccess(tool, {
        kind: 'host',
        what: hostAndPort(host, port),
        isDenied,
        ...(address === undefined || address === host ? {} : { address }),
      })
  }

  #makeCgroup(profile: Profile): Cgroup | undefined {
    const home = this.#cgroups.found
    if (!home) return undefined
    try {
      const cgroup = new Cgroup(home, profile)
      this.#cgroupsInUse.add(cgroup)
      return cgroup
    } catch {
      // The parent may have been removed or filled up since the probe: the label will say so.
      return undefined
    }
  }

  #discard(cgroup: Cgroup | undefined): void {
    if (!cgroup) return
    this.#cgroupsInUse.delete(cgroup)
    cgroup.remove()
  }

  /** What is started instead of `spec`. */
  #start(
    { spec, layer }: { readonly spec: SpawnSpec; readonly layer: Layer | undefined },
    parts: Parts,
    profile: Profile,
    options: FenceOptions,
  ): SpawnSpec {
    const { engine, way, inForce } = parts
    const own = watchedSpec(way ? { ...spec, env: { ...spec.env, ...way.env } } : spec, this.#options.tracer)
    const watched = (outer: SpawnSpec) => this.#watched(outer, { own, parts, profile, options })
    const doors = parts.cgroup?.doors ?? []
    const limits: Rlimit[] =
      this.#options.mode === 'off'
        ? []
        : rlimits(profile, { isMemoryHeld: inForce.cgroup.memory, reservedMb: options.reservedMb })
    if (!engine) {
      // What needs its own argv[0] cannot be started by a shell; it enters its cgroup after the start.
      if (needsOwnName(own)) return own
      return watched(this.#options.mode === 'off' ? own : enterByShell(own, { doors, limits }))
    }
    const steps = viewSteps(own, profile, {
      project: this.#options.project,
      read: options.read ?? [],
      own: options.own ?? [],
      over: options.over ?? [],
      run: way?.folder,
      programs: [...(way?.programs ?? []), ...engine.programs],
      hasProc: engine.proc,
      layer,
    })
    if (engine.admit) {
      const expected = new ExpectedMounts(steps, mountsOf('self'))
      parts.admit = (pipeAt) => engine.admit!(pipeAt, expected)
    }
    return watched(
      engine.start({
        spec: own,
        steps,
        env: insideEnvironment(own, profile),
        way,
        processes: inForce.rlimits.processes ? profile.processes : undefined,
        doors,
        limits,
        isWarm: options.holding?.isWarm,
      }),
    )
  }

  /** Puts the tracer before a start, where there is one. */
  #watched(
    outer: SpawnSpec,
    {
      own,
      parts,
      profile,
      options,
    }: { own: SpawnSpec; parts: Parts; profile: Profile; options: FenceOptions },
  ): SpawnSpec {
    const { tracer, onAccess, project } = this.#options
    const { tool, read = [], own: folders = [] } = options
    if (!tracer || !onAccess || tool === undefined) return outer
    parts.traced = tracer.trace(outer, {
      project,
      spec: own,
      given: [...read, ...folders, ...profile.write.filter((path) => !isInside(path, project))],
      countsPrograms: !mayStartPrograms(own, { ...profile, subprocess: false }).subprocess,
      onAccess: (access) => onAccess(tool, access),
    })
    return parts.traced.spec
  }

  /** What happens between start and end, and what is known after it. */
  #life(parts: Parts, profile: Profile, released: () => void): Omit<FencedSpec, 'spec' | 'enforcement'> {
    const { engine, cgroup, way, watched } = parts
    let verdict: ToolError | undefined
    let leader: number | undefined
    return {
      ready: way?.ready,
      started: (pid, pipeAt) => {
        leader = pid
        if (cgroup && !engine) cgroup.takeFamily(pid)
        if (watched) {
          this.#watch.add(pid, watched, (why) => {
            verdict = why
          })
        }
        return parts.admit?.(pipeAt).then((fault) => {
          if (fault === undefined) return
          verdict = fault
          endGroup(pid)
        })
      },
      release: () => {
        if (leader !== undefined) this.#watch.remove(leader)
        if (cgroup) {
          if (cgroup.memoryKills() > 0) verdict ??= memoryLimit(profile.memoryMb)
          this.#discard(cgroup)
        }
        parts.traced?.finish()
        way?.release()
        released()
      },
      terminate: engine ? terminateInside : undefined,
      verdict: () => verdict,
    }
  }

  layers(): readonly LayerStatus[] {
    const effects = this.#held.writing({}, this.#engines.best(true))
    return [
      ...engineNames.map((name) => engineStatus(name, this.#engines.probe(name))),
      layerStatus(effects.state === 'direct' ? effects.reason : undefined),
      cgroupStatus(this.#cgroups),
      rlimitStatus(),
      watchStatus(),
      proxyStatus(this.#engines.best(false) !== undefined, this.#egress.forwarder.name),
    ]
  }

  close(): void {
    this.#watch.close()
    this.#egress.close()
    for (const cgroup of this.#cgroupsInUse) this.#discard(cgroup)
  }
}

/** Only Python and JavaScript can be held to themselves; a shell or a command is there to start programs. */
function mayStartPrograms(spec: SpawnSpec, profile: Profile): Profile {
  if (profile.subprocess || /^(python|pypy|node|deno|bun)[\d.]*$/.test(basename(spec.file))) return profile
  return { ...profile, subprocess: true }
}

/** Whether something protected is missing where a tool may write: a mount can stand only on what is there. */
function lacksProtected({ readOnly, write }: Profile): boolean {
  return readOnly.some((path) => write.some((area) => isInside(path, area)) && !existsSync(path))
}
