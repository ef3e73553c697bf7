// Programs on this machine: there, of which version, and really working.
import { findDeno } from '../../../config/find-deno.ts'
import { findOnPath } from '../../../config/find-on-path.ts'
import type { Crib } from '../../../crib/crib.ts'
import { probeTracer } from '../../../sandbox/access/tracer.ts'
import { messageOf } from '../../../tool/tool-error.ts'
import { type Ended, runToEnd } from '../../../workers/run-to-end.ts'
import type { Diagnosis } from './diagnosis.ts'

interface Program {
  readonly name: string
  /** Tried in order; the arguments make it prove that it works. */
  readonly binaries: readonly (readonly [string, readonly string[]])[]
  readonly use: string
  readonly fix: string
}

const programs: readonly Program[] = [
  {
    name: 'python',
    binaries: [['python3', ['--version']]],
    use: 'Python tools',
    fix: 'apt-get install python3',
  },
  {
    name: 'git',
    binaries: [['git', ['--version']]],
    use: 'the git example skills',
    fix: 'apt-get install git',
  },
]

export async function checkPrograms(crib: Crib, signal: AbortSignal): Promise<Diagnosis[]> {
  return Promise.all([
    denoCheck(crib, signal),
    engineCheck(crib, signal),
    ...programs.map((program) => programCheck(crib, program, signal)),
    traceCheck(),
  ])
}

/** A container may have strace and forbid it to watch. */
function traceCheck(): Diagnosis {
  const { path, reason } = probeTracer()
  const base = { name: 'strace', needed: false, ok: path !== undefined }
  if (path !== undefined) return { ...base, detail: `\`toolcrib learn\` sees files and programs (${path})` }
  return {
    ...base,
    detail: `for \`toolcrib learn\`, which sees only hosts without it; ${reason}`,
    fix: 'apt-get install strace   (in a container also: --cap-add SYS_PTRACE)',
  }
}

export function nodeCheck(): Diagnosis {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return {
    name: 'node',
    ok: major > 20 || (major === 20 && minor >= 19),
    needed: true,
    version: process.versions.node,
    detail: 'runs Toolcrib, JavaScript and TypeScript tools',
    fix: 'npx n 22   (or install Node 20.19 or newer from nodejs.org)',
  }
}

async function denoCheck(crib: Crib, signal: AbortSignal): Promise<Diagnosis> {
  const base = { name: 'deno', needed: false, fix: 'npm install deno' }
  let file: string
  try {
    file = findDeno({ configured: crib.config.deno.path, path: process.env['PATH'] })
  } catch (error) {
    return { ...base, ok: false, detail: messageOf(error) }
  }
  return { ...base, ...(await tried(crib, file, { args: ['--version'], use: 'tool-code tools', signal })) }
}

/** The engine that calls would use; a docker command without a daemon, or a podman that starts nothing, is none. */
async function engineCheck(crib: Crib, signal: AbortSignal): Promise<Diagnosis> {
  const { checkEngine, installedEngines } = await import('../../../runtimes/rye/docker-engine.ts')
  const base = { name: 'container engine', needed: false }
  const broken: string[] = []
  for (const engine of installedEngines()) {
    const { version, fault } = await checkEngine(engine, crib.supervisor, signal)
    if (fault !== undefined) broken.push(`${engine.file} does not work: ${fault}`)
    else
      return {
        ...base,
        ok: true,
        version: version || undefined,
        detail: [`docker tools (${engine.file})`, ...broken].join('; '),
      }
  }
  return broken.length > 0
    ? { ...base, ok: false, detail: `for docker tools; ${broken.join('; ')}`, fix: engineFix(broken) }
    : {
        ...base,
        ok: false,
        detail: 'for docker tools; docker or podman is not on PATH',
        fix: 'apt-get install podman',
      }
}

function engineFix(broken: readonly string[]): string {
  if (!broken.some((text) => text.includes('podman'))) return 'systemctl start docker'
  return 'podman run --rm IMAGE true   (tells more; often another runtime in /etc/containers/containers.conf helps)'
}

async function programCheck(crib: Crib, program: Program, signal: AbortSignal): Promise<Diagnosis> {
  const base = { name: program.name, needed: false }
  let broken: Diagnosis | undefined
  for (const [binary, args] of program.binaries) {
    const file = findOnPath(binary, process.env['PATH'])
    if (!file) continue
    const found = await tried(crib, file, { args, use: program.use, signal })
    if (found.ok) return { ...base, ...found }
    broken ??= { ...base, ...found, fix: program.fix }
  }
  const names = program.binaries.map(([binary]) => binary).join(' or ')
  return (
    broken ?? {
      ...base,
      ok: false,
      detail: `for ${program.use}; ${names} is not on PATH`,
      fix: program.fix,
    }
  )
}

async function tried(
  crib: Crib,
  file: string,
  {
    args,
    use,
    signal,
  }: { readonly args: readonly string[]; readonly use: string; readonly signal: AbortSignal },
): Promise<{ ok: boolean; version?: string; detail: string }> {
  let ended: Ended
  try {
    ended = await runToEnd(
      crib.supervisor,
      { file, args, cwd: '/', env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' } },
      { maxBytes: 4096, timeoutMs: 10_000, signal },
    )
  } catch (error) {
    return { ok: false, detail: `${file} does not answer: ${messageOf(error)}` }
  }
  const text = ended.stdout.text + ended.stderr.text
  if (ended.exitCode !== 0)
    return { ok: false, detail: `for ${use}; ${file} does not work: ${lastLine(text)}` }
  const version = /\d+(\.\d+)+/.exec(text)?.[0]
  return { ok: true, version: version || undefined, detail: `${use} (${file})` }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim().slice(0, 200) || 'it ended with an error'
}
