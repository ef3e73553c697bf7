// The process to start instead: bubblewrap, which becomes the tool. Nothing of the tool's environment is seen
// by what runs outside.
import type { Way } from '../egress/egress.ts'
import type { SpawnSpec } from '../fence.ts'
import { familyOf } from '../process-tree.ts'
import type { Profile } from '../profile.ts'
import { bubblewrapArguments, commandArguments, environmentArguments } from './arguments.ts'
import type { Bubblewrap } from './bubblewrap.ts'
import type { Placeholders } from './placeholders.ts'
import { systemCallFilter } from './system-calls.ts'

export interface InsideOptions {
  readonly project: string
  readonly read: readonly string[]
  readonly placeholders: Placeholders
  readonly way?: Way
  /** `prlimit` with its arguments, put before the command where processes are counted per namespace. */
  readonly counter?: readonly string[]
}

/** Descriptor on which bubblewrap finds its arguments; 3 and 4 are the workers' channels. */
const argumentsFd = 5
const filterFd = 6

export function insideBubblewrap(
  bubblewrap: Bubblewrap,
  given: SpawnSpec,
  profile: Profile,
  options: InsideOptions,
): SpawnSpec {
  const spec = options.way ? { ...given, env: { ...given.env, ...options.way.env } } : given
  const filter = bubblewrap.seccomp ? systemCallFilter() : undefined
  const args = [
    ...(filter ? ['--seccomp', String(filterFd)] : []),
    ...bubblewrapArguments(bubblewrap, spec, profile, {
      project: options.project,
      read: options.read,
      placeholders: options.placeholders,
      programs: [...(options.way?.programs ?? []), ...(options.counter?.slice(0, 1) ?? [])],
      ...(options.way?.folder === undefined ? {} : { run: options.way.folder }),
    }),
    ...environmentArguments(spec, profile),
  ]
  const isDirect = options.way === undefined && options.counter === undefined
  const { before, command } = commandArguments(bubblewrap, spec, isDirect)
  const counted = [...(options.counter ?? []), ...command]
  const last = options.way ? options.way.command(counted) : counted
  return {
    file: bubblewrap.path,
    args: ['--args', String(argumentsFd), ...before, '--', ...last],
    cwd: spec.cwd,
    // Bubblewrap runs outside: a variable such as LD_PRELOAD must reach only what is inside.
    env: {},
    handovers: [
      { fd: argumentsFd, bytes: Buffer.from(args.map((arg) => `${arg}\0`).join('')) },
      ...(filter ? [{ fd: filterFd, bytes: filter }] : []),
    ],
  }
}

/**
 * A TERM to the group would end bubblewrap itself and with it everything inside at once, without grace: it
 * goes only to what the namespace's init has started.
 */
export function terminateInside(pid: number): void {
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
