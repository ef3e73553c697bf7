// The process to start instead: bubblewrap, which becomes the tool. Nothing of the tool's environment is seen
// by what runs outside.
import { ToolError } from '../../tool/tool-error.ts'
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

// Bubblewrap's own bound, on its arguments and those of the program together.
const maxArguments = 9_000

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
  const open = ['--args', String(argumentsFd), ...before, '--', ...last]
  if (1 + args.length + open.length > maxArguments)
    throw new ToolError(
      'COMMAND_FAILED',
      `${spec.file} could not be started: ${spec.args.length} arguments are more than the sandbox can pass on.`,
      { hint: 'Call it several times with fewer, or pass long lists on standard input.' },
    )
  return {
    file: bubblewrap.path,
    args: open,
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
 * goes only to what the namespace's init has started. To that init itself the kernel does not deliver it, so while
 * nothing else is inside the answer is false.
 */
export function terminateInside(pid: number): boolean {
  const inside = familyOf(pid).slice(2)
  for (const target of inside) {
    try {
      process.kill(target, 'SIGTERM')
    } catch {
      // Gone meanwhile.
    }
  }
  return inside.length > 0
}
