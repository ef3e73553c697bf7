// A throw-away crib with its fence and supervisor, for tests that run real processes behind the real layers.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts'
import { type EngineName, engineNames } from '../../src/sandbox/engine.ts'
import type { Fence, FencedSpec, FenceOptions, SpawnSpec } from '../../src/sandbox/fence.ts'
import { probeLauncher } from '../../src/sandbox/launcher/launcher.ts'
import { type OpenFenceOptions, openFence } from '../../src/sandbox/open-fence.ts'
import type { Profile } from '../../src/sandbox/profile.ts'
import { type Ended, runToEnd } from '../../src/workers/run-to-end.ts'
import { Supervisor } from '../../src/workers/supervisor.ts'

const probes = { bubblewrap: probeBubblewrap, launcher: probeLauncher }

/** The engines of the fence that work on this machine. */
export const engines: readonly EngineName[] = engineNames.filter(
  (name) => probes[name](undefined).found !== undefined,
)
export const hasFence = engines.length > 0

export const noEngine = {
  bubblewrap: { reason: 'bwrap is not installed' },
  launcher: { reason: 'perl is not installed' },
}
export const noCgroup = { cgroup: { reason: 'no control group is writable for this user' } }

/** The interpreter itself; what stands on PATH may be a shim that starts programs of its own. */
export function realPython(): string | undefined {
  const found = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })
  return found.status === 0 ? realpathSync(found.stdout.trim()) : undefined
}

export class FencedCrib {
  readonly project: string
  readonly supervisor = new Supervisor()
  readonly fence: Fence

  constructor(options: Partial<OpenFenceOptions> = {}) {
    this.project = realpathSync(mkdtempSync(join(tmpdir(), 'fence-')))
    mkdirSync(join(this.project, '.toolcrib'))
    this.fence = openFence({ mode: 'preferred', project: this.project, ...options })
  }

  profile(given: Partial<Profile> = {}): Profile {
    return {
      network: { mode: 'none' },
      read: [this.project],
      write: [],
      hidden: [join(this.project, '.toolcrib')],
      readOnly: ['toolcrib.yaml', 'toolcrib.lock', '.ai/config/keys'].map((name) => join(this.project, name)),
      subprocess: true,
      calls: [],
      memoryMb: 512,
      cpuPercent: null,
      processes: 64,
      outputBytes: 1_000_000,
      ...given,
    }
  }

  shell(script: string, env: Record<string, string> = {}): SpawnSpec {
    return {
      file: '/bin/sh',
      args: ['-c', script],
      cwd: this.project,
      env: { PATH: '/usr/bin:/bin', ...env },
    }
  }

  wrap(spec: SpawnSpec, given: Partial<Profile> = {}, options?: FenceOptions): FencedSpec {
    return this.fence.wrap(spec, this.profile(given), options)
  }

  /** Runs a program to its end behind the fence. */
  run(
    spec: SpawnSpec | string,
    given: Partial<Profile> = {},
    options: FenceOptions & { readonly timeoutMs?: number } = {},
  ): Promise<Ended> {
    const wrapped = this.wrap(typeof spec === 'string' ? this.shell(spec) : spec, given, options)
    return this.finish(wrapped, options.timeoutMs)
  }

  finish(spec: FencedSpec | SpawnSpec, timeoutMs = 20_000): Promise<Ended> {
    return runToEnd(this.supervisor, spec, {
      maxBytes: 1_000_000,
      timeoutMs,
      graceMs: 0,
      signal: new AbortController().signal,
    })
  }

  async close(): Promise<void> {
    await this.supervisor.close()
    this.fence.close()
    rmSync(this.project, { recursive: true, force: true })
  }
}
