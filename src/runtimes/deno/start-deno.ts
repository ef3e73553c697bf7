// Starts a Deno process behind the fence, in folders of its own that go with it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DenoConfig } from '../../config/config.ts'
import type { Fence } from '../../sandbox/fence.ts'
import type { Profile } from '../../sandbox/profile.ts'
import type { Enforcement } from '../../tool/outcome.ts'
import type { ToolCodePlan } from '../../tool/plans/deno-plan.ts'
import type { MemoryWatch } from '../../workers/memory-watch.ts'
import type { Child, Supervisor } from '../../workers/supervisor.ts'
import { denoFlags } from './deno-flags.ts'
import type { EffectiveRights } from './effective-rights.ts'

export interface WorkerParts {
  readonly supervisor: Supervisor
  readonly fence: Fence
  readonly watch: MemoryWatch
  readonly settings: DenoConfig
  readonly outputBytes: number
}

export interface WorkerSpec {
  readonly deno: string
  readonly harness: string
  readonly toolName: string
  readonly plan: ToolCodePlan
  readonly rights: EffectiveRights
  readonly memoryMb: number
  readonly cpuPercent: number
  readonly profile: Profile
}

export interface StartedDeno {
  readonly child: Child
  readonly enforcement: Enforcement
  /** Holds its folders; to be removed when the process is gone. */
  readonly scratch: string
}

/** V8 and its threads map this much data and leave it untouched. */
const reservedMb = 768

export async function startDeno(parts: WorkerParts, spec: WorkerSpec): Promise<StartedDeno> {
  const scratch = mkdtempSync(join(tmpdir(), `toolcrib-deno-${process.pid}-`))
  const cwd = join(scratch, 'cwd')
  const cache = join(scratch, 'cache')
  mkdirSync(cwd)
  mkdirSync(cache)
  try {
    const fenced = parts.fence.wrap(
      {
        file: spec.deno,
        args: denoArguments(spec),
        cwd,
        env: {
          DENO_DIR: cache,
          DENO_NO_UPDATE_CHECK: '1',
          NO_COLOR: '1',
          TZ: 'UTC',
          // Deno opens descriptor 3 as Node's message channel: one JSON text per line, both ways.
          NODE_CHANNEL_FD: '3',
          NODE_CHANNEL_SERIALIZATION_MODE: 'json',
        },
      },
      // It writes nothing of the project; its own folders go with it (E5).
      { ...spec.profile, write: [], read: [scratch] },
      {
        tool: spec.toolName,
        own: [scratch],
        read: [spec.harness],
        reservedMb,
        openProxy: (plain, address) => ({ ...plain, args: denoArguments(spec, address) }),
      },
    )
    const child = await parts.supervisor.start(fenced, { channel: true })
    return { child, enforcement: fenced.enforcement, scratch }
  } catch (error) {
    removeScratch(scratch)
    throw error
  }
}

/** A file that appears meanwhile makes it fail; what is left then goes when the next host starts. */
export function removeScratch(scratch: string): void {
  try {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 2 })
  } catch {
    // Left for the sweep.
  }
}

function denoArguments(spec: WorkerSpec, proxy?: string): string[] {
  return [...denoFlags(spec.rights, spec.memoryMb, proxy), spec.harness]
}
