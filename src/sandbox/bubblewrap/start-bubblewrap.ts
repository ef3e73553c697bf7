// The process to start instead: bubblewrap, which becomes the tool. Nothing of the tool's environment is seen
// by what runs outside.
import { basename } from 'node:path'
import { ToolError } from '../../tool/tool-error.ts'
import type { Engine, EngineOrder } from '../engine.ts'
import { enterByShell } from '../enter-by-shell.ts'
import { needsOwnName, type SpawnSpec } from '../fence.ts'
import { systemCallFilter } from '../system-calls.ts'
import type { ViewStep } from '../view/view-step.ts'
import { gateArguments, infoFd, leaveFd } from './admit.ts'
import { namespaceArguments, procArguments } from './bubblewrap.ts'

/** Descriptor on which bubblewrap finds its arguments; 3 and 4 are the workers' channels. */
const argumentsFd = 5
const filterFd = 6

// Bubblewrap's own bound, on its arguments and those of the program together.
const maxArguments = 9_000

export interface BubblewrapParts {
  readonly engine: Pick<Engine, 'path' | 'userNamespace' | 'seccomp' | 'verifies'>
  /** `--argv0` is understood (0.9 and later). */
  readonly argv0: boolean
  /** Counts processes inside; absent where nothing does. */
  readonly prlimit: string | undefined
}

export function startBubblewrap({ engine, argv0, prlimit }: BubblewrapParts, order: EngineOrder): SpawnSpec {
  const { spec, way, processes } = order
  const filter = engine.seccomp ? systemCallFilter() : undefined
  const args = [
    ...(filter ? ['--seccomp', String(filterFd)] : []),
    ...(engine.verifies ? gateArguments : []),
    ...namespaceArguments(engine),
    ...order.steps.flatMap(argumentsOf),
    ...['--chdir', spec.cwd],
    ...order.env.flatMap(([name, value]) => ['--setenv', name, value]),
  ]
  const counter = processes === undefined || !prlimit ? [] : [prlimit, `--nproc=${processes}`, '--']
  const isDirect = way === undefined && counter.length === 0
  const { before, command } = commandArguments(spec, argv0 && isDirect)
  const counted = [...counter, ...command]
  const open = ['--args', String(argumentsFd), ...before, '--', ...(way ? way.command(counted) : counted)]
  if (1 + args.length + open.length > maxArguments)
    throw new ToolError(
      'COMMAND_FAILED',
      `${spec.file} could not be started: ${spec.args.length} arguments are more than the sandbox can pass on.`,
      { hint: 'Call it several times with fewer, or pass long lists on standard input.' },
    )
  const walled: SpawnSpec = {
    file: engine.path,
    args: open,
    cwd: spec.cwd,
    // Bubblewrap runs outside: a variable such as LD_PRELOAD must reach only what is inside.
    env: {},
    handovers: [
      { fd: argumentsFd, bytes: Buffer.from(args.map((arg) => `${arg}\0`).join('')) },
      ...(filter ? [{ fd: filterFd, bytes: filter }] : []),
    ],
    pipes: engine.verifies ? [infoFd, leaveFd] : [],
  }
  return enterByShell(walled, order)
}

function argumentsOf(step: ViewStep): readonly string[] {
  switch (step.kind) {
    case 'bind':
      return [step.isWritable ? '--bind' : '--ro-bind', step.source, step.target]
    case 'blank':
      return ['--perms', '0555', '--tmpfs', step.target]
    case 'seal':
      return ['--remount-ro', step.target]
    case 'memory':
      return ['--perms', step.mode, '--size', String(step.bytes), '--tmpfs', step.target]
    case 'link':
      return ['--symlink', step.to, step.target]
    case 'folder':
      return ['--dir', step.target]
    case 'proc':
      return procArguments
    case 'devices':
      return ['--dev', '/dev']
    case 'layer':
      throw new ToolError('SANDBOX_UNAVAILABLE', `bubblewrap cannot hold what is written to ${step.lower}.`, {
        hint: 'Set `sandbox.engine: launcher`, which can.',
      })
  }
}

/**
 * The command, and what bubblewrap must do before it. Before 0.9 it cannot set argv[0]; a link of that name does
 * the same for multi-call programs. Where the file has that name already, its path will do.
 */
function commandArguments(
  spec: SpawnSpec,
  canSetName: boolean,
): { readonly before: readonly string[]; readonly command: readonly string[] } {
  const { argv0, file, args } = spec
  const close = ['--remount-ro', '/']
  if (!needsOwnName(spec)) return { before: close, command: [file, ...args] }
  if (canSetName) return { before: [...close, '--argv0', argv0!], command: [file, ...args] }
  const link = `/run/argv0/${basename(argv0!)}`
  return { before: ['--symlink', file, link, ...close], command: [link, ...args] }
}
