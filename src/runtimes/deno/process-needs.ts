// Where a call of a tool runs: with which rights, in what kind of process, shared with which other calls. None of it
// changes from call to call as a rule, so it is worked out once and kept.
import { join } from 'node:path'
import type { NetworkRule, Profile } from '../../sandbox/profile.ts'
import { jsonDigest } from '../../tool/json.ts'
import type { ToolCodePlan } from '../../tool/plans/deno-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import type { PoolKey } from '../../workers/pool.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import type { BrokerSession } from './broker.ts'
import { importHosts } from './deno-flags.ts'
import { type EffectiveRights, effectiveRights, type RightsReading } from './effective-rights.ts'
import type { WorkerSpec } from './start-deno.ts'

export interface ProcessNeeds extends RightsReading {
  readonly plan: ToolCodePlan
  readonly spec: WorkerSpec
  readonly outputBytes: number
  /** What must be equal for two of them to run in processes that are started alike. */
  readonly process: string
}

interface Kept {
  readonly profile: Profile
  readonly needs: ProcessNeeds
  /** The key of the last call: it is long, and nearly always the next one's too. */
  last?: {
    readonly owner: string
    readonly workspace: string
    readonly caller: string
    readonly key: PoolKey
  }
}

/** A first guess at what Deno itself needs; the real size is measured in each worker. */
const denoBaseMb = 96
const spareMb = 32

export class ProcessNeedsOf {
  readonly #env: RuntimeEnv
  readonly #findDeno: () => string
  readonly #kept = new WeakMap<Tool, Kept>()

  constructor(env: RuntimeEnv, findDeno: () => string) {
    this.#env = env
    this.#findDeno = findDeno
  }

  rights({ tool, profile }: Attempt): RightsReading {
    return effectiveRights(tool.id, denoPlan(tool), profile.network, this.#env.config.tools[tool.id])
  }

  /** Throws CAPABILITY_DENIED, or RUNTIME_MISSING where there is no Deno. */
  of(attempt: Attempt): ProcessNeeds {
    return this.#keep(attempt).needs
  }

  /** What must be equal for two calls to share a process. */
  keyOf(attempt: Attempt, { owner, workspace }: BrokerSession, caller: string): PoolKey {
    const kept = this.#keep(attempt)
    const { last } = kept
    if (last?.owner === owner && last.workspace === workspace && last.caller === caller) return last.key
    const { spec, rights, plan, outputBytes } = kept.needs
    const family = JSON.stringify([attempt.tool.id, owner, workspace, caller])
    const key = JSON.stringify([
      family,
      attempt.tool.version,
      jsonDigest(plan),
      rights,
      spec.memoryMb,
      spec.cpuPercent,
      outputBytes,
    ])
    kept.last = { owner, workspace, caller, key: { key, family } }
    return kept.last.key
  }

  #keep(attempt: Attempt): Kept {
    const { tool, profile } = attempt
    const known = this.#kept.get(tool)
    if (known?.profile === profile) return known
    const kept = { profile, needs: this.#make(attempt) }
    this.#kept.set(tool, kept)
    return kept
  }

  #make(attempt: Attempt): ProcessNeeds {
    const { tool, profile } = attempt
    const plan = denoPlan(tool)
    const reading = this.rights(attempt)
    const { memoryMb } = profile
    const cpuPercent = profile.cpuPercent ?? 100
    const spec: WorkerSpec = {
      deno: this.#findDeno(),
      harness: join(this.#env.spaces.system, 'lib', 'deno', 'harness.js'),
      toolName: tool.id,
      plan,
      rights: reading.rights,
      memoryMb,
      cpuPercent,
      profile: {
        ...profile,
        network: networkRule(reading.rights),
        subprocess: false,
        memoryMb: memoryMb + denoBaseMb + spareMb,
        cpuPercent,
      },
    }
    const outputBytes = Math.min(profile.outputBytes, this.#env.config.deno.outputBytes)
    return { ...reading, plan, outputBytes, spec, process: processKey(spec, outputBytes) }
  }
}

function processKey({ deno, rights, memoryMb, profile }: WorkerSpec, outputBytes: number): string {
  // Which tools it may call is asked by the host, whatever process it runs in.
  const { calls: _, ...walls } = profile
  return JSON.stringify([deno, rights.network, rights.imports, memoryMb, outputBytes, walls])
}

export function denoPlan(tool: Tool): ToolCodePlan {
  return planOf(tool, 'deno')!
}

/** The fence's rule: what the tool may reach, and the public network where remote modules must be fetched. */
function networkRule({ network, imports }: EffectiveRights): NetworkRule {
  if (network.public || imports.length > 0)
    return { mode: 'public', hosts: [...network.hosts, ...importHosts(imports)] }
  return network.hosts.length > 0 ? { mode: 'hosts', hosts: network.hosts } : { mode: 'none' }
}
