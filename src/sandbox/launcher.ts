// A shell that goes before the program and then becomes it: it enters the cgroup and sets limits, so that not
// even the first child of a hasty program is born outside.
import type { SpawnSpec } from './fence.ts'

export interface LauncherOptions {
  /** Files of cgroups into which the process writes itself. */
  readonly doors: readonly string[]
  /** Shell commands that set resource limits. */
  readonly ulimits: string
}

/** Variables that a shell adds by itself. */
const added = ['PWD', 'OLDPWD', 'SHLVL']

/** The same process, started by way of the shell. What the program cannot be without, argv[0], a shell cannot set. */
export function launched(spec: SpawnSpec, { doors, ulimits }: LauncherOptions): SpawnSpec {
  const strange = added.filter((name) => !(name in spec.env))
  const script = [
    ...doors.map((_, index) => `echo 0 >"$${index + 1}"`),
    `{ ${ulimits}; unset ${strange.join(' ')} x; shift ${doors.length}; exec "$@"; }`,
  ].join(' && ')
  const { argv0: _, ...rest } = spec
  return { ...rest, file: '/bin/sh', args: ['-c', script, 'sh', ...doors, spec.file, ...spec.args] }
}
