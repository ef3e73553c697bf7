// The whole argument list of bubblewrap for one start. The part that depends only on the profile's shape is
// made once; what the file system may have changed since is asked each time.
import { basename, isAbsolute } from 'node:path'
import type { SpawnSpec } from '../fence.ts'
import { isWithin } from '../paths.ts'
import type { Profile } from '../profile.ts'
import { areaArguments } from './areas.ts'
import { type Bubblewrap, namespaceArguments, procArguments } from './bubblewrap.ts'
import { hostRoot, isInHostRoot } from './host-root.ts'
import type { Placeholders } from './placeholders.ts'
import { programFiles } from './program-files.ts'

export interface ArgumentsOptions {
  readonly project: string
  /** What the process needs besides: its own code, a worker's bootstrap. */
  readonly read: readonly string[]
  /** Host folder shown as /run/toolcrib: the sockets of the egress proxy. */
  readonly run?: string
  /** Programs started before the tool (the forwarder), which must be visible too. */
  readonly programs?: readonly string[]
  readonly placeholders: Placeholders
}

const bases = new Map<string, readonly string[]>()

/** Everything of bubblewrap's arguments but the environment and the command. */
export function bubblewrapArguments(
  bubblewrap: Bubblewrap,
  spec: SpawnSpec,
  profile: Profile,
  options: ArgumentsOptions,
): string[] {
  const programs = [spec.file, ...(options.programs ?? [])]
  const extras = [
    ...options.read,
    ...programs.flatMap(programFiles).filter((path) => !isInHostRoot(path, profile.subprocess)),
  ]
  const args = [...base(bubblewrap, profile.subprocess, profile.memoryMb), ...home(spec, profile)]
  args.push(
    ...areaArguments(profile, { project: options.project, extras, placeholders: options.placeholders }),
  )
  if (options.run !== undefined) args.push('--ro-bind', options.run, '/run/toolcrib')
  const isShown = [...profile.read, ...options.read].some((path) => isWithin(spec.cwd, path))
  if (!isShown) args.push('--dir', spec.cwd)
  args.push('--chdir', spec.cwd)
  return args
}

function base(bubblewrap: Bubblewrap, programs: boolean, memoryMb: number): readonly string[] {
  const key = `${bubblewrap.path} ${bubblewrap.userNamespace} ${bubblewrap.proc} ${programs} ${memoryMb}`
  let args = bases.get(key)
  if (!args) {
    const size = String(memoryMb * 1024 * 1024)
    args = [
      ...namespaceArguments(bubblewrap),
      ...hostRoot(programs),
      ...(bubblewrap.proc ? procArguments : []),
      ...['--dev', '/dev', '--size', size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
      ...['--perms', '1777', '--size', size, '--tmpfs', '/tmp', '--symlink', '/tmp', '/var/tmp'],
    ]
    bases.set(key, args)
  }
  return args
}

/** A private, empty home, so that programs which insist on one find it. */
function home(spec: SpawnSpec, profile: Profile): string[] {
  const path = spec.env['HOME']
  if (path === undefined || !isAbsolute(path) || path === '/' || isInHostRoot(path, true)) return []
  if (isWithin(path, '/tmp') || isWithin(path, '/dev') || isWithin(path, '/proc')) return []
  if (profile.read.some((folder) => isWithin(path, folder))) return []
  return ['--size', String(profile.memoryMb * 1024 * 1024), '--tmpfs', path]
}

/**
 * `--setenv` for every variable; TMPDIR moves to the private /tmp when its folder is not visible. Bubblewrap
 * starts with an empty environment, to which Node adds the number of its message channel when there is one.
 */
export function environmentArguments(spec: SpawnSpec, profile: Profile): string[] {
  const args: string[] = []
  for (const [name, value] of Object.entries(spec.env)) {
    if (name === '' || name.includes('=')) continue
    const isTmp = name === 'TMPDIR' && !profile.write.some((folder) => isWithin(value, folder))
    args.push('--setenv', name, isTmp ? '/tmp' : value)
  }
  return args
}

/**
 * The command, and what bubblewrap must do before it. Before 0.9 it cannot set argv[0]; a link of that name does
 * the same for multi-call programs. Where the file has that name already, its path will do.
 */
export function commandArguments(
  bubblewrap: Bubblewrap,
  spec: SpawnSpec,
  isDirect: boolean,
): { readonly before: readonly string[]; readonly command: readonly string[] } {
  const { argv0, file, args } = spec
  const close = ['--remount-ro', '/']
  if (!needsOwnName(spec)) return { before: close, command: [file, ...args] }
  if (bubblewrap.argv0 && isDirect) return { before: [...close, '--argv0', argv0!], command: [file, ...args] }
  const link = `/run/argv0/${basename(argv0!)}`
  return { before: ['--symlink', file, link, ...close], command: [link, ...args] }
}

/** True when argv[0] says something that the path of the file does not. */
export function needsOwnName({ argv0, file }: SpawnSpec): boolean {
  return argv0 !== undefined && basename(argv0) !== basename(file)
}
