// A function tool called in a warm worker: the fast way. What does not change between calls of a tool (its
// descriptor, environment, working folder, worker key) is worked out once and kept for a moment.
import type { Profile } from '../../sandbox/profile.ts'
import { type Json, sha256 } from '../../tool/json.ts'
import { ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import { identityOf, type Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { defaultLogCaps } from '../../workers/call-log.ts'
import { beginOnLayer, handOver, isFresh, retireIfWritten } from '../../workers/layered-call.ts'
import type { WorkerPool } from '../../workers/pool.ts'
import { runCall } from '../../workers/run-call.ts'
import { stopped } from '../../workers/run-to-end.ts'
import { Worker } from '../../workers/worker.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { secretVariables } from '../secret-variables.ts'
import { Calling } from './calling.ts'
import type { Interpreters } from './interpreter.ts'
import { type Lane, messageOf, type Prepared, prepareFunction } from './prepare-function.ts'
import { type Setting, settingOf } from './setting.ts'
import { textOf } from './template.ts'

/** The part of the kernel's call that decides which worker serves it. */
interface KernelCall {
  readonly depth?: number
  readonly principal?: Principal
}

/** One try at a call: the process it wants and what it is told. */
interface Try {
  readonly prepared: Prepared
  readonly rest: string
  readonly calling: Calling
}

/** A file of the tool changed after its process read it. */
const stale = Symbol('stale')
/** Of its memory; who holds more after a call makes room for a fresh process. */
const roomyShare = 0.75

export class FunctionCalls {
  readonly #env: RuntimeEnv
  readonly #interpreters: Interpreters
  readonly #pool: WorkerPool
  #prepared = new WeakMap<Tool, Prepared>()
  #profileKeys = new WeakMap<Profile, string>()

  constructor(env: RuntimeEnv, interpreters: Interpreters, pool: WorkerPool) {
    this.#env = env
    this.#interpreters = interpreters
    this.#pool = pool
  }

  /** Whether a tool is a function that a worker calls; every other one is a process. */
  serves({ tool }: Attempt): boolean {
    if (this.#prepared.has(tool)) return true
    const { entry, codeFile, config } = ryePlanOf(tool)!
    return entry === 'function' && codeFile !== null && typeof config['worker'] === 'string'
  }

  async run(attempt: Attempt): Promise<unknown> {
    let prepared = this.#prepared.get(attempt.tool)
    let setting: Setting | undefined
    if (!prepared || prepared.until < Date.now() || prepared.wantsSetting) {
      setting = await settingOf(attempt, this.#env, this.#interpreters)
      prepared = prepareFunction(attempt, setting, this.#env)
      this.#prepared.set(attempt.tool, prepared)
    }
    const rest = messageOf(attempt, prepared, setting, this.#env)
    const calling = new Calling(attempt, prepared.entry)
    for (let tries = 0; tries < 4; tries++) {
      const worker = await this.#take(attempt, prepared)
      beginOnLayer(worker, attempt.changes)
      attempt.enforced(worker.enforcement)
      let end: unknown
      try {
        end = await this.#call(worker, attempt, { prepared, rest, calling })
      } finally {
        const handing = handOver(worker, attempt.changes)
        if (handing) await handing
      }
      if (end !== stale) return end
    }
    throw new ToolError('TOOL_FAILED', `${attempt.tool.id} changes while it is called.`, { retryable: true })
  }

  /** The process a call would be made in. */
  async plan(attempt: Attempt): Promise<{ readonly [key: string]: Json }> {
    const setting = await settingOf(attempt, this.#env, this.#interpreters)
    const { spec } = prepareFunction(attempt, setting, this.#env)
    return {
      binary: textOf(setting.plan.config['command'] ?? null),
      resolvedBinary: spec.file,
      argv: [...spec.args],
      cwd: spec.cwd,
      env: Object.keys(spec.env).sort(),
      entry: setting.plan.entryName,
      file: setting.layout.toolPath,
      worker: true,
    }
  }

  async #take(attempt: Attempt, prepared: Prepared): Promise<Worker> {
    const { depth = 0, principal } = (attempt.call ?? {}) as KernelCall
    const key = this.#laneKey(prepared, {
      profile: attempt.profile,
      layer: attempt.changes?.lane ?? '',
      principal,
    })
    const taker = {
      get signal() {
        return attempt.signal
      },
      isNested: depth > 0,
    }
    for (;;) {
      const taken = this.#pool.take({ key }, () => this.#start(attempt, prepared), taker)
      const worker =
        taken instanceof Promise
          ? await taken.catch((error: unknown) => {
              throw attempt.signal.aborted ? stopped(attempt.signal, attempt.timeoutMs) : error
            })
          : taken
      if (!worker.layer || (await isFresh(worker))) return worker
    }
  }

  #call(worker: Worker, attempt: Attempt, { prepared, rest, calling }: Try): Promise<unknown> {
    return runCall<unknown>({
      worker,
      attempt,
      isTimed: true,
      text: (id) => `{"t":"call","id":${id},${this.#describe(worker, prepared, attempt.tool)},${rest}`,
      listener: calling,
      read: (end) => {
        retireIfWritten(worker)
        if (end.t === 'stale' || end.t === 'sealed') worker.retire()
        return end.t === 'stale' ? stale : calling.judge(end)
      },
      strayError: (_, message, stack) => calling.strayError(message, stack),
      readLost: (end, { running }) => {
        const verdict = worker.child.verdict()
        if (verdict) throw verdict
        return calling.judgeLost(end, running)
      },
    })
  }

  /** A tool is described to a process once, with the seal its files must fit. */
  #describe(worker: Worker, prepared: Prepared, tool: Tool): string {
    const known = worker.described.get(prepared.tool)
    if (known !== undefined) return `"tool":${known}`
    const id = worker.described.size
    worker.described.set(prepared.tool, id)
    const seal = this.#env.sealOf?.(tool) ?? null
    return `"tool":${id},"describe":${prepared.tool},"seal":${JSON.stringify(seal)}`
  }

  async #start(attempt: Attempt, prepared: Prepared): Promise<Worker> {
    const { profile } = attempt
    const secrets = secretVariables(attempt, this.#env.config).proxied
    const holding = attempt.changes?.workerLayer()
    const fenced = this.#env.fence.wrap(prepared.spec, profile, {
      tool: attempt.tool.id,
      read: prepared.read,
      secrets,
      holding,
    })
    const child = await this.#env.supervisor.start(fenced, { channel: true })
    const worker = new Worker({
      child,
      enforcement: fenced.enforcement,
      maxMessageBytes: profile.outputBytes * 2 + 1_048_576,
      ...defaultLogCaps,
      printsCount: true,
      // One at a time where it may write: whose a change is must be known.
      maxCalls: prepared.wantsSetting || fenced.layer ? 1 : undefined,
    })
    worker.layer = fenced.layer && holding
    worker.layer?.connect(child.control)
    worker.roomyBytes = profile.memoryMb * roomyShare * 1_048_576
    return worker
  }

  /** What one caller or one tool left behind in a process is never met by another. */
  #laneKey(prepared: Prepared, lane: Lane): string {
    const { profile, layer, principal } = lane
    const last = prepared.lane
    if (last?.profile === profile && last.layer === layer && last.principal === principal) return last.key
    const who = principal ? identityOf(principal) : ''
    const key = sha256(`${prepared.key}${this.#profileKey(profile)}${layer} ${who}`)
    prepared.lane = { ...lane, key }
    return key
  }

  #profileKey(profile: Profile): string {
    let key = this.#profileKeys.get(profile)
    if (key === undefined) {
      key = JSON.stringify(profile)
      this.#profileKeys.set(profile, key)
    }
    return key
  }
}
