// `toolcrib doctor`: what works on this machine, and the one command that fixes the rest.
import { accessSync, constants, mkdirSync } from 'node:fs'
import { findOnPath } from '../../../config/find-on-path.ts'
import type { Crib } from '../../../crib.ts'
import { runToEnd } from '../../../runtimes/supervisor/run-to-end.ts'
import type { CliCommand } from '../command.ts'
import { columns, outStyle } from '../style.ts'

export interface Diagnosis {
  readonly name: string
  readonly ok: boolean
  /** False: Toolcrib works without it. */
  readonly needed: boolean
  readonly version?: string
  readonly detail: string
  readonly fix?: string
}

const programs: readonly {
  name: string
  binaries: readonly string[]
  args: readonly string[]
  use: string
  fix: string
}[] = [
  {
    name: 'python',
    binaries: ['python3'],
    args: ['--version'],
    use: 'Python tools',
    fix: 'apt-get install python3',
  },
  {
    name: 'bubblewrap',
    binaries: ['bwrap'],
    args: ['--version'],
    use: 'the fence around tools',
    fix: 'apt-get install bubblewrap',
  },
  {
    name: 'container engine',
    binaries: ['docker', 'podman'],
    args: ['--version'],
    use: 'docker tools',
    fix: 'apt-get install podman',
  },
  {
    name: 'git',
    binaries: ['git'],
    args: ['--version'],
    use: 'the git example skills',
    fix: 'apt-get install git',
  },
]

export const doctor: CliCommand = {
  examples: [
    ['toolcrib doctor', 'what works here and how to fix the rest'],
    ['toolcrib doctor --json', 'as data; exit 7 when something needed is missing'],
  ],
  define() {},
  async run(session) {
    const crib = await session.open()
    const checks = await diagnose(crib)
    if (session.json) session.outJson({ ok: checks.every((check) => check.ok || !check.needed), checks })
    else
      for (const line of columns(
        checks.map((check) => [
          check.ok
            ? outStyle.green('ok')
            : check.needed
              ? outStyle.red('missing')
              : outStyle.yellow('absent'),
          check.name,
          check.version ?? '',
          check.detail + (check.ok || !check.fix ? '' : outStyle.dim(`  fix: ${check.fix}`)),
        ]),
        0,
      ))
        session.out(line)
    return checks.every((check) => check.ok || !check.needed) ? 0 : 7
  },
}

async function diagnose(crib: Crib): Promise<Diagnosis[]> {
  const checks: Diagnosis[] = [nodeCheck(), stateCheck(crib)]
  for (const program of programs) checks.push(await programCheck(crib, program))
  for (const layer of crib.fence.layers())
    checks.push({
      name: `fence: ${layer.name}`,
      ok: layer.available,
      needed: crib.config.sandbox.mode === 'required',
      detail: layer.detail,
      ...(layer.fix ? { fix: layer.fix } : {}),
    })
  const errors = crib.problems.filter((problem) => problem.severity === 'error').length
  checks.push({
    name: 'crib',
    ok: errors === 0,
    needed: false,
    detail: `${crib.list().length} tools, ${errors} error${errors === 1 ? '' : 's'} in definitions`,
    fix: 'toolcrib check',
  })
  return checks
}

function nodeCheck(): Diagnosis {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return {
    name: 'node',
    ok: major > 20 || (major === 20 && minor >= 19),
    needed: true,
    version: process.versions.node,
    detail: 'runs Toolcrib and Node tools',
    fix: 'install Node 20.19 or newer',
  }
}

function stateCheck(crib: Crib): Diagnosis {
  try {
    mkdirSync(crib.spaces.state, { recursive: true })
    accessSync(crib.spaces.state, constants.W_OK)
    return { name: 'state folder', ok: true, needed: false, detail: crib.spaces.state }
  } catch (error) {
    return {
      name: 'state folder',
      ok: false,
      needed: false,
      detail: `${crib.spaces.state} cannot be written: ${(error as Error).message}; caches and records are off`,
      fix: `chmod u+w ${crib.root}`,
    }
  }
}

async function programCheck(crib: Crib, program: (typeof programs)[number]): Promise<Diagnosis> {
  for (const binary of program.binaries) {
    const file = findOnPath(binary, process.env['PATH'])
    if (!file) continue
    const base = { name: program.name, needed: false, fix: program.fix }
    try {
      const ended = await runToEnd(
        crib.supervisor,
        {
          file,
          args: program.args,
          cwd: '/',
          env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' },
        },
        { maxBytes: 4096, timeoutMs: 5000, signal: new AbortController().signal },
      )
      const version = /\d+(\.\d+)+/.exec(ended.stdout.text + ended.stderr.text)?.[0]
      return {
        ...base,
        ok: ended.exitCode === 0,
        ...(version ? { version } : {}),
        detail: `${program.use} (${file})`,
      }
    } catch (error) {
      return { ...base, ok: false, detail: `${file} does not start: ${(error as Error).message}` }
    }
  }
  return {
    name: program.name,
    ok: false,
    needed: false,
    detail: `for ${program.use}; ${program.binaries.join(' or ')} is not on PATH`,
    fix: program.fix,
  }
}
