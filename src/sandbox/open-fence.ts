// Puts the layers together: finds out what works on this machine, wraps each start in the strongest of it,
// and says what that holds. `required` refuses where `preferred` would weaken.
import { accessSync, constants } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SandboxMode } from '../config/config.ts'
import { ToolError } from '../tool/tool-error.ts'
import { bubblewrapArguments, commandArguments, environmentArguments } from './bubblewrap/arguments.ts'
import { type Bubblewrap, type BubblewrapProbe, probeBubblewrap } from './bubblewrap/bubblewrap.ts'
import { labelsFor } from './enforcement.ts'
import type { Fence, FencedSpec, FenceOptions, LayerStatus, SpawnSpec } from './fence.ts'
import { familyOf } from './process-tree.ts'
import type { Profile } from './profile.ts'

export interface OpenFenceOptions {
  readonly mode: SandboxMode
  /** The crib's root: granted folders may not lead out of it. */
  readonly project: string
  /** Dimensions or layers that must be enforced (`sandbox.require`). */
  readonly require?: readonly string[]
  /** Where probes are remembered; null: nowhere. Default: the user's cache folder. */
  readonly cacheFile?: string | null
  /** What is there, when the caller knows better than a probe (tests of machines without a layer). */
  readonly probe?: { readonly bubblewrap?: BubblewrapProbe }
}

/** Descriptor on which bubblewrap finds its arguments; 3 and 4 are the workers' channels. */
const argumentsFd = 5

/** The fence of a crib. Probing waits for the first use. */
export function openFence(options: OpenFenceOptions): Fence {
  return new LayeredFence(options)
}

class LayeredFence implements Fence {
  readonly #options: OpenFenceOptions
  #probed: BubblewrapProbe | undefined

  constructor(options: OpenFenceOptions) {
    this.#options = options
  }

  get #bubblewrap(): BubblewrapProbe {
    this.#probed ??= this.#options.probe?.bubblewrap ?? probeBubblewrap(cacheFile(this.#options))
    return this.#probed
  }

  wrap(spec: SpawnSpec, profile: Profile, options: FenceOptions = {}): FencedSpec {
    const { mode } = this.#options
    const found = mode === 'off' ? undefined : this.#bubblewrap.found
    const enforcement = labelsFor(profile, {
      bubblewrap: found !== undefined,
      cgroup: { memory: false, pids: false, cpu: false },
      rlimits: { data: false, processes: false },
      watch: false,
      proxy: false,
    })
    this.#demand(enforcement.dimensions, enforcement.layers)
    if (!found) return { spec, enforcement }
    return { spec: this.#inside(found, spec, profile, options), enforcement, terminate: terminateInside }
  }

  #inside(bubblewrap: Bubblewrap, spec: SpawnSpec, profile: Profile, options: FenceOptions): SpawnSpec {
    mustBeRunnable(spec.file)
    const args = [
      ...bubblewrapArguments(bubblewrap, spec, profile, {
        project: this.#options.project,
        read: options.read ?? [],
      }),
      ...environmentArguments(spec, profile),
    ]
    return {
      file: bubblewrap.path,
      args: ['--args', String(argumentsFd), ...commandArguments(bubblewrap, spec)],
      cwd: spec.cwd,
      // Bubblewrap itself runs outside: a variable such as LD_PRELOAD must reach only what is inside.
      env: {},
      handover: { fd: argumentsFd, bytes: Buffer.from(args.map((arg) => `${arg}\0`).join('')) },
    }
  }

  /** Refuses to start when something that must be enforced is not. */
  #demand(dimensions: { readonly [name: string]: string }, layers: readonly string[]): void {
    const { mode, require = [] } = this.#options
    const needed = [...(mode === 'required' ? ['network', 'read', 'write'] : []), ...require]
    const lacking = needed.find(
      (name) => !(name in dimensions ? dimensions[name] === 'enforced' : layers.includes(name)),
    )
    if (lacking === undefined) return
    const status = this.layers().find((layer) => !layer.available)
    throw new ToolError(
      'SANDBOX_UNAVAILABLE',
      `${lacking} cannot be enforced here${status ? `: ${status.name} is missing (${status.detail})` : ''}.`,
      {
        hint: status?.fix ?? `Remove ${lacking} from sandbox.require, or set sandbox: preferred.`,
        details: { dimension: lacking, ...(status ? { layer: status.name } : {}) },
      },
    )
  }

  layers(): readonly LayerStatus[] {
    const { found, reason } = this.#bubblewrap
    return [
      {
        name: 'bubblewrap',
        available: found !== undefined,
        detail: found
          ? `${found.path} ${found.version}${found.userNamespace ? '' : ', without user namespace'}${found.proc ? '' : ', without /proc'}`
          : (reason ?? 'not found'),
        ...(found ? {} : { fix: bubblewrapFix(reason) }),
      },
    ]
  }

  close(): void {}
}

function cacheFile(options: OpenFenceOptions): string | undefined {
  if (options.cacheFile !== undefined) return options.cacheFile ?? undefined
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'toolcrib', 'layers.json')
}

function bubblewrapFix(reason: string | undefined): string {
  if (reason?.includes('not installed')) return 'apt-get install bubblewrap'
  if (reason?.includes('Linux only')) return 'run Toolcrib on Linux, or in a Linux virtual machine'
  return 'allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0; in a container start it with --security-opt seccomp=unconfined --cap-add SYS_ADMIN'
}

/** Outside the fence a missing program is the supervisor's error; inside, bubblewrap would only exit with 1. */
function mustBeRunnable(file: string): void {
  try {
    accessSync(file, constants.X_OK)
  } catch (error) {
    throw new ToolError('COMMAND_NOT_FOUND', `${file} could not be started: ${(error as Error).message}.`, {
      hint: 'Check that the program exists and is executable.',
    })
  }
}

/**
 * A TERM to the group would end bubblewrap itself and with it everything inside at once, without grace: it
 * goes only to what the namespace's init has started.
 */
function terminateInside(pid: number): void {
  const [, init, ...inside] = familyOf(pid)
  const targets = inside.length > 0 ? inside : [init ?? pid]
  for (const target of targets) {
    try {
      process.kill(target, 'SIGTERM')
    } catch {
      // Gone meanwhile.
    }
  }
}
