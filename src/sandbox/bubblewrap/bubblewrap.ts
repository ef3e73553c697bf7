// What is known about the bubblewrap of this machine: where it is and which of its powers work here. A
// container may refuse user namespaces, a mount of /proc or a new network; each is tried, never assumed.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, statSync } from 'node:fs'
import { findOnPath } from '../../config/find-on-path.ts'
import { type Engine, type EnginePowers, type EngineProbe, isEnginePowers, powerVariants } from '../engine.ts'
import { ProbeCache } from '../probe-cache.ts'
import { countsProcessesPerNamespace } from '../rlimits.ts'
import { systemCallFilter } from '../system-calls.ts'
import { unnamedFile } from '../unnamed-file.ts'
import { admit, gateArguments } from './admit.ts'
import { startBubblewrap } from './start-bubblewrap.ts'

export function namespaceArguments(variant: { readonly userNamespace: boolean }): string[] {
  return [
    ...(variant.userNamespace ? ['--unshare-user', '--disable-userns'] : []),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--unshare-net',
    '--die-with-parent',
    '--cap-drop',
    'ALL',
  ]
}

/**
 * A private /proc, read-only because a tool that runs as root could set kernel.core_pattern through it. Its first
 * process is bubblewrap itself, whose `exe` leads past every mount to the program on the host: who owns that could
 * change its rights from inside, so it is covered.
 */
export const procArguments: readonly string[] = [
  ...['--proc', '/proc', '--tmpfs', '/proc/1', '--remount-ro', '/proc/1', '--remount-ro', '/proc'],
]

/** Looks for bubblewrap and runs it once for real; remembered on disk until the program or the kernel changes. */
export function probeBubblewrap(
  cacheFile: string | undefined,
  path: string | null = findOnPath('bwrap') ?? null,
): EngineProbe {
  if (process.platform !== 'linux') return { reason: 'bubblewrap runs on Linux only' }
  if (path === null) return { reason: 'bwrap is not installed' }
  const cache = new ProbeCache(cacheFile)
  // What is asked of it is part of the key: a success counts for these arguments only.
  const key = `${path} ${statSync(path).mtimeMs} ${[...gateArguments, ...procArguments].join(' ')}`
  // Only success is remembered: what was forbidden a moment ago may be allowed now.
  const known = cache.get(key)
  if (isEnginePowers(known)) return { found: engineOf(path, known) }
  const result = tryVariants(path)
  if ('reason' in result) return result
  cache.set(key, result.powers)
  return { found: engineOf(path, result.powers) }
}

function engineOf(path: string, powers: EnginePowers): Engine {
  const prlimit = powers.userNamespace && countsProcessesPerNamespace() ? findOnPath('prlimit') : undefined
  const engine: Engine = {
    name: 'bubblewrap',
    path,
    ...powers,
    programs: prlimit === undefined ? [] : [prlimit],
    countsProcesses: prlimit !== undefined,
    ...(powers.verifies ? { admit } : {}),
    start: (order) => startBubblewrap({ engine, argv0: atLeast(powers.version, 0, 9), prlimit }, order),
  }
  return engine
}

function tryVariants(path: string): { readonly powers: EnginePowers } | { readonly reason: string } {
  let reason = 'it gave no reason'
  const filter = systemCallFilter()
  for (const variant of powerVariants) {
    if (variant.seccomp && !filter) continue
    const file = variant.seccomp ? unnamedFile(filter!) : undefined
    const args = [
      ...(file === undefined ? [] : ['--seccomp', '3']),
      ...namespaceArguments(variant),
      ...['--ro-bind', '/', '/', '--dev', '/dev'],
      ...(variant.proc ? procArguments : ['--tmpfs', '/proc']),
      ...['--size', '65536', '--tmpfs', '/tmp', '--perms', '0000', '--tmpfs', '/var'],
      ...['--', '/bin/sh', '-c', 'echo inside'],
    ]
    const stdio: (number | 'pipe')[] = ['pipe', 'pipe', 'pipe', ...(file === undefined ? [] : [file])]
    const run = spawnSync(path, args, { env: {}, cwd: '/', encoding: 'utf8', timeout: 10_000, stdio })
    if (file !== undefined) closeSync(file)
    if (run.status === 0 && run.stdout === 'inside\n') {
      const version = spawnSync(path, ['--version'], { env: {}, encoding: 'utf8' }).stdout.replace(
        /[^\d.]/g,
        '',
      )
      return { powers: { version, ...variant, landlock: false, layers: false, verifies: canWait(path) } }
    }
    reason = run.stderr?.trim().split('\n').at(-1) || run.error?.message || reason
  }
  return { reason: `bwrap is installed and does not work here: ${reason}` }
}

/** Whether it knows the flags by which it is held back; an old one says it does not, and starts nothing. */
function canWait(path: string): boolean {
  const nothing = openSync('/dev/null', 'r+')
  const args = [...gateArguments, '--ro-bind', '/', '/', '--', '/bin/sh', '-c', 'echo inside']
  const stdio = ['ignore', 'pipe', 'ignore', ...Array<'ignore'>(4).fill('ignore'), nothing, nothing] as const
  const run = spawnSync(path, args, {
    env: {},
    cwd: '/',
    encoding: 'utf8',
    timeout: 10_000,
    stdio: [...stdio],
  })
  closeSync(nothing)
  return run.stdout === 'inside\n'
}

function atLeast(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number)
  return first > major || (first === major && second >= minor)
}
