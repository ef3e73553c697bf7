// Which container engine runs tools here: docker, else podman. A docker command without its daemon is no engine, so
// where both are installed docker is asked first whether anybody answers.
import {
  lstatSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { findOnPath } from '../../config/find-on-path.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'
import { runToEnd } from '../../workers/run-to-end.ts'
import type { Supervisor } from '../../workers/supervisor.ts'
import { baseEnvironment } from '../base-environment.ts'

export interface Engine {
  readonly name: 'docker' | 'podman'
  readonly file: string
}

const names = ['docker', 'podman'] as const
const askMs = 10_000
/** What an engine's own command needs of the host to find its daemon, images and settings; no container sees it. */
const engineVariables = [
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'CONTAINER_HOST',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
]

export function engineEnvironment(): Record<string, string> {
  return baseEnvironment(engineVariables)
}

/** The engines on PATH, the preferred one first. A `docker` that only calls podman is podman. */
export function installedEngines(): Engine[] {
  const found = names.flatMap((name) => {
    const file = findOnPath(name)
    return file ? [{ name: name === 'docker' && isPodman(file) ? ('podman' as const) : name, file }] : []
  })
  return found.filter(({ name }, index) => found.findIndex((engine) => engine.name === name) === index)
}

/** Debian and Fedora ship podman under the name of docker: as a link or as a short script. */
function isPodman(file: string): boolean {
  const real = realpathSync(file)
  if (basename(real) === 'podman') return true
  return statSync(real).size < 4_096 && /\bexec\b.*\bpodman\b/.test(readFileSync(real, 'utf8'))
}

export interface EngineState {
  readonly version?: string
  /** Why it cannot be used, in its own words. */
  readonly fault?: string
}

/** Whether anybody answers: the daemon of docker, podman itself. */
async function askEngine(
  engine: Engine,
  supervisor: Supervisor,
  signal: AbortSignal = new AbortController().signal,
): Promise<EngineState> {
  const args = ['version', '--format', '{{.Server.Version}}']
  const { text, fault } = await engineRun(engine, args, supervisor, signal)
  return fault === undefined ? { version: text.trim() } : { fault }
}

/**
 * As `askEngine`; podman, which has no daemon that would know, must also start a container. It needs no image for
 * that: a folder with the host's programs is root enough for one of them.
 */
export async function checkEngine(
  engine: Engine,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<EngineState> {
  const state = await askEngine(engine, supervisor, signal)
  if (state.fault !== undefined || engine.name !== 'podman') return state
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-root-'))
  try {
    for (const name of ['bin', 'lib', 'lib64']) {
      const link = lstatSync(`/${name}`, { throwIfNoEntry: false })
      if (link?.isSymbolicLink()) symlinkSync(readlinkSync(`/${name}`), join(root, name))
    }
    const mounts = ['/usr', '/bin', '/lib', '/lib64']
      .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
      .flatMap((path) => ['--volume', `${path}:${path}:ro`])
    const args = ['run', '--rm', '--network', 'none', ...mounts, '--rootfs', root, '/bin/true']
    const { fault } = await engineRun(engine, args, supervisor, signal)
    return fault === undefined ? state : { ...state, fault }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function engineRun(
  engine: Engine,
  args: readonly string[],
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly fault?: string }> {
  try {
    const ended = await runToEnd(
      supervisor,
      { file: engine.file, args, cwd: '/', env: engineEnvironment() },
      { maxBytes: 65_536, timeoutMs: askMs, signal },
    )
    if (ended.exitCode === 0) return { text: ended.stdout.text }
    const said = ended.stderr.text.trim().split('\n').at(-1)
    return { text: '', fault: said || `exit code ${ended.exitCode}` }
  } catch (error) {
    return { text: '', fault: messageOf(error) }
  }
}

/** The engine for the calls of a crib. What docker answered is remembered until a call shows otherwise. */
export class EngineFinder {
  readonly #supervisor: Supervisor
  #asked: { readonly file: string; readonly state: Promise<EngineState> } | undefined

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor
  }

  async find(): Promise<Engine> {
    const [first, second] = installedEngines()
    if (!first) {
      throw new ToolError(
        'RUNTIME_MISSING',
        `No container engine was found: neither ${names.join(' nor ')} is on PATH.`,
        { hint: 'Install docker or podman.', details: { tried: [...names] } },
      )
    }
    // One alone is not asked: the call itself finds out.
    if (!second) return first
    if (this.#asked?.file !== first.file)
      this.#asked = { file: first.file, state: askEngine(first, this.#supervisor) }
    return (await this.#asked.state).fault === undefined ? first : second
  }

  forget(): void {
    this.#asked = undefined
  }
}
