// The Deno runtime: tools of the format tool-code, each in its own warm process behind Deno's permissions and the
// fence. It knows no guard and no surface; the store comes through the broker.
import { join } from 'node:path'
import { findDeno } from '../../config/find-deno.ts'
import type { ToolCodeExtra } from '../../formats/tool-code/parse-tool-code.ts'
import type { ToolCodePlan } from '../../formats/tool-code/plan.ts'
import type { NetworkRule, Profile } from '../../sandbox/profile.ts'
import type { Caller } from '../../tool/caller.ts'
import { type Json, jsonDigest } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { type ApiOptions, answerApi } from './api.ts'
import type { BrokerSession } from './broker.ts'
import { CallLog } from './call-log.ts'
import { importHosts } from './deno-flags.ts'
import { type EffectiveRights, effectiveRights } from './effective-rights.ts'
import { enforcementOf } from './enforcement.ts'
import { MemoryWatch } from './memory-watch.ts'
import { noStore } from './no-store.ts'
import { WorkerPool } from './pool.ts'
import { cancelError, runCall } from './run-call.ts'
import { Scrubber } from './scrub.ts'
import { Slots } from './slots.ts'
import type { WorkerSpec } from './start-deno.ts'
import { sweepLeftovers } from './sweep-leftovers.ts'
import { DenoWorker } from './worker.ts'

/** A first guess at what Deno itself needs; the real size is measured in each worker. */
const denoBaseMb = 96
const spareMb = 32

export function denoRuntime(env: RuntimeEnv): Runtime {
  return new DenoRuntime(env)
}

class DenoRuntime implements Runtime {
  readonly name = 'deno'
  readonly #env: RuntimeEnv
  readonly #pool: WorkerPool
  readonly #slots: Slots
  readonly #watch = new MemoryWatch()
  #deno: string | undefined

  constructor(env: RuntimeEnv) {
    this.#env = env
    this.#pool = new WorkerPool(env.config.deno)
    this.#slots = new Slots(env.config.deno.concurrentCalls)
    sweepLeftovers()
  }

  async run(attempt: Attempt): Promise<unknown> {
    const plan = attempt.tool.runtime!.plan as unknown as ToolCodePlan
    const scrubber = new Scrubber()
    for (const [name, value] of Object.entries(attempt.secrets)) scrubber.add(name, value)
    const log = new CallLog(this.#env.config.deno, (level, message, data) =>
      attempt.log(level, scrubber.text(message), scrubber.value(data)),
    )
    try {
      return scrubber.value(await this.#call(attempt, plan, log, scrubber))
    } catch (error) {
      throw scrubError(error, scrubber)
    }
  }

  async plan(attempt: Attempt): Promise<{ readonly [key: string]: Json }> {
    const plan = attempt.tool.runtime!.plan as unknown as ToolCodePlan
    const { rights } = this.#rights(attempt, plan)
    return {
      binary: this.#findDeno(),
      language: plan.language,
      isolation: plan.isolation,
      rights: rights as unknown as Json,
      limits: {
        timeoutMs: attempt.timeoutMs,
        memoryMb: attempt.profile.memoryMb,
        cpuPercent: attempt.profile.cpuPercent,
      },
      secrets: [...plan.requiredSecrets],
    }
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #call(attempt: Attempt, plan: ToolCodePlan, log: CallLog, scrubber: Scrubber): Promise<unknown> {
    const { rights, closed } = this.#rights(attempt, plan)
    const deno = this.#findDeno()
    mustHaveSecrets(attempt, plan)
    for (const host of closed)
      log.line(
        'warn',
        `${host} is declared but not granted, so it stays closed. Grant it with net.http:${host}.`,
      )
    const { tool, params, runId, call } = attempt
    const session = await (this.#env.broker ?? noStore).open({ tool, params, runId, call })
    // A service runs for as long as the crib does: it has no deadline and holds no place of the others.
    const isService = !Number.isFinite(attempt.timeoutMs)
    const slot = new HeldSlot(this.#slots, attempt.signal)
    try {
      if (!isService) await slot.take()
      const worker = await this.#worker(attempt, plan, rights, deno, session, isService)
      attempt.enforced(enforcementOf(worker, rights))
      const api = this.#api(attempt, rights, session, log, scrubber, slot)
      const value = await runCall({
        tool,
        worker,
        start: {
          input: params,
          secrets: ownSecrets(attempt, plan),
          config: session.config,
          request: session.request,
        },
        signal: attempt.signal,
        timeoutMs: attempt.timeoutMs,
        outputBytes: this.#outputBytes(attempt),
        listener: {
          log,
          progress: (progress) => attempt.progress(progress),
          api: (op, args) => answerApi(api, op, args),
        },
      }).finally(() => {
        if (plan.isolation === 'call' || isService) worker.retire()
      })
      return value
    } catch (error) {
      if (attempt.signal.aborted && error === attempt.signal.reason)
        throw cancelError(attempt.signal, attempt.timeoutMs)
      throw error
    } finally {
      slot.release()
      session.close?.()
    }
  }

  #worker(
    attempt: Attempt,
    plan: ToolCodePlan,
    rights: EffectiveRights,
    deno: string,
    session: BrokerSession,
    isService: boolean,
  ): Promise<DenoWorker> {
    const { memoryMb } = attempt.profile
    const cpuPercent = attempt.profile.cpuPercent ?? 100
    const spec: WorkerSpec = {
      deno,
      harness: join(this.#env.spaces.system, 'lib', 'deno', 'harness.js'),
      toolName: attempt.tool.id,
      plan,
      rights,
      memoryMb,
      cpuPercent,
      profile: workerProfile(attempt.profile, rights, memoryMb, cpuPercent),
    }
    const start = () =>
      DenoWorker.start(
        {
          supervisor: this.#env.supervisor,
          fence: this.#env.fence,
          watch: this.#watch,
          settings: this.#env.config.deno,
          outputBytes: this.#outputBytes(attempt),
        },
        spec,
      )
    if (plan.isolation === 'call' || isService) return this.#pool.takeSingle(start)
    const { caller } = (attempt.call ?? {}) as { readonly caller?: Caller }
    const family = JSON.stringify([attempt.tool.id, session.owner, session.workspace, caller?.name ?? ''])
    const key = JSON.stringify([
      family,
      attempt.tool.version,
      digestOf(plan),
      rights,
      memoryMb,
      cpuPercent,
      this.#outputBytes(attempt),
    ])
    return this.#pool.take({ key, family }, start, attempt.signal)
  }

  #api(
    attempt: Attempt,
    rights: EffectiveRights,
    session: BrokerSession,
    log: CallLog,
    scrubber: Scrubber,
    slot: HeldSlot,
  ): ApiOptions {
    return {
      session,
      rights,
      toolId: attempt.tool.id,
      secrets: attempt.secrets,
      configuredSecrets: configuredSecrets(attempt.tool.extra as unknown as ToolCodeExtra, session),
      invoke: (name, input) => slot.without(() => attempt.invoke(name, input)),
      warn: (message) => log.line('warn', message),
      onSecret: (name, value) => scrubber.add(name, value),
    }
  }

  #rights(attempt: Attempt, plan: ToolCodePlan) {
    const { tool, profile } = attempt
    return effectiveRights(tool.id, plan, profile.network, this.#env.config.tools[tool.id])
  }

  #findDeno(): string {
    this.#deno ??= findDeno({ configured: this.#env.config.deno.path })
    return this.#deno
  }

  #outputBytes(attempt: Attempt): number {
    return Math.min(attempt.profile.outputBytes, this.#env.config.deno.outputBytes)
  }
}

/** The place a call holds among those that run; given back while it waits for another tool. */
class HeldSlot {
  readonly #slots: Slots
  readonly #signal: AbortSignal
  #isHeld = false
  #away = 0
  #isOver = false

  constructor(slots: Slots, signal: AbortSignal) {
    this.#slots = slots
    this.#signal = signal
  }

  async take(): Promise<void> {
    await this.#slots.take(this.#signal)
    this.#isHeld = true
  }

  /** Runs something without holding the place; with several at once it comes back with the last. */
  async without<Value>(action: () => Promise<Value>): Promise<Value> {
    if (!this.#isHeld && this.#away === 0) return action()
    this.#away++
    if (this.#isHeld) {
      this.#isHeld = false
      this.#slots.release()
    }
    try {
      return await action()
    } finally {
      this.#away--
      if (this.#away === 0 && !this.#isOver) {
        await this.#slots.take(this.#signal).then(
          () => {
            if (this.#isOver) this.#slots.release()
            else this.#isHeld = true
          },
          () => {},
        )
      }
    }
  }

  release(): void {
    this.#isOver = true
    if (this.#isHeld) this.#slots.release()
    this.#isHeld = false
  }
}

const digests = new WeakMap<ToolCodePlan, string>()

/** The source is long and the same object at every call: it is hashed once. */
function digestOf(plan: ToolCodePlan): string {
  let digest = digests.get(plan)
  if (digest === undefined) {
    digest = jsonDigest(plan)
    digests.set(plan, digest)
  }
  return digest
}

function workerProfile(
  profile: Profile,
  rights: EffectiveRights,
  memoryMb: number,
  cpuPercent: number,
): Profile {
  return {
    ...profile,
    network: networkRule(rights),
    subprocess: false,
    memoryMb: memoryMb + denoBaseMb + spareMb,
    cpuPercent,
  }
}

/** The fence's rule: what the tool may reach, and the public network where remote modules must be fetched. */
function networkRule({ network, imports }: EffectiveRights): NetworkRule {
  if (network.public || imports.length > 0)
    return { mode: 'public', hosts: [...network.hosts, ...importHosts(imports)] }
  return network.hosts.length > 0 ? { mode: 'hosts', hosts: network.hosts } : { mode: 'none' }
}

/** Exactly the names the tool requires, whatever else was released. */
function ownSecrets(attempt: Attempt, plan: ToolCodePlan): { readonly [name: string]: string } {
  return Object.fromEntries(plan.requiredSecrets.map((name) => [name, attempt.secrets[name]!]))
}

function mustHaveSecrets(attempt: Attempt, plan: ToolCodePlan): void {
  const missing = plan.requiredSecrets.filter((name) => !Object.hasOwn(attempt.secrets, name))
  if (missing.length === 0) return
  throw new ToolError(
    'SECRET_MISSING',
    `${attempt.tool.id} needs the secret${missing.length > 1 ? 's' : ''} ${missing.join(', ')}, which ${missing.length > 1 ? 'are' : 'is'} not set.`,
    {
      hint: missing.map((name) => `toolcrib secrets set ${name}`).join('; '),
      details: { missing },
    },
  )
}

/** Secrets that fields of the settings form name, by id or name. */
function configuredSecrets(extra: ToolCodeExtra | undefined, session: BrokerSession): string[] {
  return (extra?.ui_schema?.config_fields ?? [])
    .filter((field) => field.type === 'secret' || field.ui_type === 'secret-select')
    .flatMap((field) => {
      const value = session.config[field.key]
      return typeof value === 'string' ? [value] : []
    })
}

function scrubError(error: unknown, scrubber: Scrubber): unknown {
  if (!(error instanceof ToolError)) return error
  const message = scrubber.text(error.message)
  const details = scrubber.value(error.details)
  if (message === error.message && details === error.details) return error
  return new ToolError(error.code, message, {
    retryable: error.retryable,
    ...(error.hint === undefined ? {} : { hint: scrubber.text(error.hint) }),
    ...(details === undefined ? {} : { details }),
  })
}
