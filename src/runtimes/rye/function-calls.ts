// A function tool called in a warm worker: the fast way. What does not change between calls of a tool (its
// descriptor, environment, working folder, worker key) is worked out once and kept for a moment.
import type { Profile } from '../../sandbox/profile.ts'
import { Deadline } from '../../tool/deadline.ts'
import { type Json, sha256 } from '../../tool/json.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import type { ToolError } from '../../tool/tool-error.ts'
import { stopped, timeoutError } from '../../workers/run-to-end.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { secretVariables } from '../secret-variables.ts'
import { Calling } from './calling.ts'
import type { Interpreters } from './interpreter.ts'
import { messageOf, type Prepared, prepareFunction } from './prepare-function.ts'
import { type Setting, settingOf } from './setting.ts'
import { textOf } from './template.ts'
import { type CallEnd, Worker } from './worker.ts'
import type { WorkerPool } from './worker-pool.ts'

/** The part of the kernel's call that decides which worker serves it. */
interface KernelCall {
  readonly depth?: number
  readonly principal?: Principal
}

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

  async run(attempt: Attempt): Promise<unknown> {
    let prepared = this.#prepared.get(attempt.tool)
    let setting: Setting | undefined
    if (!prepared || prepared.until < Date.now() || prepared.wantsSetting) {
      setting = await settingOf(attempt, this.#env, this.#interpreters)
      prepared = prepareFunction(attempt, setting, this.#env)
      this.#prepared.set(attempt.tool, prepared)
    }
    const message = messageOf(attempt, prepared, setting, this.#env)
    const calling = new Calling(attempt)
    for (let tries = 0; ; tries++) {
      const end = await this.#once(attempt, prepared, message, calling)
      if (end.kind === 'reply' && end.reply.stale && tries < 3) continue
      return calling.judge(end)
    }
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

  async #once(attempt: Attempt, prepared: Prepared, message: string, calling: Calling): Promise<CallEnd> {
    const { depth = 0, principal } = (attempt.call ?? {}) as KernelCall
    const key = this.#laneKey(prepared, attempt.profile, principal?.name ?? '')
    const start = () => this.#start(attempt, prepared)
    const worker =
      this.#pool.takeIdle(key) ??
      (await this.#pool.take(key, start, attempt, depth > 0).catch((error: unknown) => {
        throw attempt.signal.aborted ? stopped(attempt.signal, attempt.timeoutMs) : error
      }))
    attempt.enforced(worker.enforcement)
    let isReusable = false
    try {
      const seal = () => this.#env.sealOf?.(attempt.tool) ?? null
      const end = await interruptible(attempt, (settle) =>
        worker.call(prepared.tool, seal, message, calling, settle),
      )
      const verdict = end.kind === 'exit' ? worker.child.verdict() : undefined
      if (verdict) throw verdict
      isReusable = end.kind === 'reply' && !end.reply.stale && !end.reply.retire && !end.reply.sealed
      return end
    } finally {
      this.#pool.give(key, worker, isReusable)
    }
  }

  async #start(attempt: Attempt, prepared: Prepared): Promise<Worker> {
    const secrets = secretVariables(attempt, this.#env.config).proxied
    const fenced = this.#env.fence.wrap(prepared.spec, attempt.profile, { read: prepared.read, secrets })
    const child = await this.#env.supervisor.start(fenced, { channel: true })
    return new Worker(child, fenced.enforcement, attempt.profile.outputBytes * 2 + 1_048_576)
  }

  /** What one caller or one tool left behind in a process is never met by another. */
  #laneKey(prepared: Prepared, profile: Profile, name: string): string {
    if (prepared.lane?.profile !== profile || prepared.lane.name !== name) {
      const key = sha256(`${prepared.key}${this.#profileKey(profile)}${name}`)
      prepared.lane = { profile, name, key }
    }
    return prepared.lane.key
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

/** Waits for the end of a call, or for its time or its caller to run out. */
function interruptible(attempt: Attempt, begin: (settle: (end: CallEnd) => void) => void): Promise<CallEnd> {
  return new Promise((resolve, reject) => {
    const { timeoutMs } = attempt
    let forget: (() => void) | undefined
    let isOver = false
    const over = (): void => {
      isOver = true
      deadline.drop()
      forget?.()
    }
    const fail = (error: ToolError): void => {
      over()
      reject(error)
    }
    const deadline = Deadline.in(timeoutMs, () => fail(timeoutError(timeoutMs)))
    forget = attempt.onStop(() => fail(stopped(attempt.signal, timeoutMs)))
    if (isOver) return forget()
    begin((end) => {
      over()
      resolve(end)
    })
  })
}
