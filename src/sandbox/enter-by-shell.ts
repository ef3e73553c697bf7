// A shell that goes before the program and then becomes it: it enters the cgroup and sets limits, so that not
// even the first child of a hasty program is born outside.
import type { SpawnSpec } from './fence.ts'
import type { Rlimit } from './rlimits.ts'

/** Variables that a shell adds by itself. */
const added = ['PWD', 'OLDPWD', 'SHLVL']

/** The flag and the unit of `ulimit` for each resource. */
const flags = { core: ['-c', 512], file: ['-f', 512], data: ['-d', 1024] } as const

/** The same process, started by way of the shell. What the program cannot be without, argv[0], a shell cannot set. */
export function enterByShell(
  spec: SpawnSpec,
  { doors, limits }: { readonly doors: readonly string[]; readonly limits: readonly Rlimit[] },
): SpawnSpec {
  const strange = added.filter((name) => !(name in spec.env))
  const ulimits = limits.map(({ resource, bytes }) => {
    const [flag, unit] = flags[resource]
    return `ulimit ${flag} ${bytes / unit}`
  })
  const script = [
    ...doors.map((_, index) => `echo 0 >"$${index + 1}"`),
    `{ ${ulimits.join('; ')}; unset ${strange.join(' ')} x; shift ${doors.length}; exec "$@"; }`,
  ].join(' && ')
  const { argv0: _, ...rest } = spec
  return { ...rest, file: '/bin/sh', args: ['-c', script, 'sh', ...doors, spec.file, ...spec.args] }
}
