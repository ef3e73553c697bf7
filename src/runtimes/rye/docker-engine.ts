// Which container engine runs tools here: docker, else podman. A docker command without its daemon is no engine, so
// where both are installed docker is asked first whether anybody answers.
import { findOnPath } from '../../config/find-on-path.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { baseEnvironment } from '../base-environment.ts'
import { runToEnd } from '../supervisor/run-to-end.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'

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

/** The engines on PATH, the preferred one first. */
export function installedEngines(): Engine[] {
  return names.flatMap((name) => {
    const file = findOnPath(name)
    return file ? [{ name, file }] : []
  })
}

/** Why an engine cannot be used, in its own words; undefined when it answers. */
export async function engineFault(engine: Engine, supervisor: Supervisor): Promise<string | undefined> {
  try {
    const ended = await runToEnd(
      supervisor,
      {
        file: engine.file,
        args: ['version', '--format', '{{.Server.Version}}'],
        cwd: '/',
        env: engineEnvironment(),
      },
      { maxBytes: 65_536, timeoutMs: askMs, signal: new AbortController().signal },
    )
    if (ended.exitCode === 0) return undefined
    return ended.stderr.text.trim().split('\n').at(-1) || `exit code ${ended.exitCode}`
  } catch (error) {
    return (error as Error).message
  }
}

/** The engine for the calls of a crib. What docker answered is remembered until a call shows otherwise. */
export class EngineFinder {
  readonly #supervisor: Supervisor
  #asked: { readonly file: string; readonly fault: Promise<string | undefined> } | undefined

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
      this.#asked = { file: first.file, fault: engineFault(first, this.#supervisor) }
    return (await this.#asked.fault) === undefined ? first : second
  }

  forget(): void {
    this.#asked = undefined
  }
}
