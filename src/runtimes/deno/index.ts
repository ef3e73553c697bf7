// The Deno runtime: tools of the format tool-code, each in its own warm process behind Deno's permissions and the
// fence. It knows no guard and no surface; the store comes through the broker.
import type { DenoConfig } from '../../config/config.ts'
import { findDeno } from '../../config/find-deno.ts'
import { asJson, type Json } from '../../tool/json.ts'
import type { LogLevel } from '../../tool/outcome.ts'
import type { ToolCodePlan } from '../../tool/plans/deno-plan.ts'
import { identityOf, type Principal } from '../../tool/principal.ts'
import { SecretScrubber } from '../../tool/scrub.ts'
import type { ToolDetails } from '../../tool/tool.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'
import { Ahead } from '../../workers/ahead.ts'
import { CallLog } from '../../workers/call-log.ts'
import { MemoryWatch } from '../../workers/memory-watch.ts'
import { type PoolSettings, WorkerPool } from '../../workers/pool.ts'
import { runCall } from '../../workers/run-call.ts'
import { stopped } from '../../workers/run-to-end.ts'
import { Slots } from '../../workers/slots.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { type ApiOptions, answerApi } from './api.ts'
import type { BrokerSession } from './broker.ts'
import type { EffectiveRights } from './effective-rights.ts'
import { enforcementOf } from './enforcement.ts'
import { noStore } from './no-store.ts'
import { denoPlan, type ProcessNeeds, ProcessNeedsOf } from './process-needs.ts'
import { readEnd, strayError } from './read-end.ts'
import { readableStack } from './readable-stack.ts'
import type { WorkerParts } from './start-deno.ts'
import { sweepLeftovers } from './sweep-leftovers.ts'
import { type DenoWorker, loadTool, startWorker } from './worker.ts'
import { whyLost } from './worker-end.ts'

export function denoRuntime(env: RuntimeEnv): Runtime {
  return new DenoRuntime(env)
}

class DenoRuntime implements Runtime {
  readonly name = 'deno'
  readonly #env: RuntimeEnv
  readonly #pool: WorkerPool<DenoWorker>
  readonly #ahead: Ahead<DenoWorker>
  readonly #slots: Slots
  readonly #needs: ProcessNeedsOf
  readonly #watch = new MemoryWatch()
  #deno: string | undefined

  constructor(env: RuntimeEnv) {
    this.#env = env
    this.#pool = new WorkerPool(poolSettings(env.config.deno))
    this.#ahead = new Ahead({ perKey: 2, keys: 4, idleMs: env.config.deno.idleMs })
    this.#slots = new Slots(env.config.deno.concurrentCalls)
    this.#needs = new ProcessNeedsOf(env, () => this.#findDeno())
    sweepLeftovers()
  }

  run(attempt: Attempt): Promise<unknown> {
    const scrubber = new SecretScrubber()
    for (const [name, value] of Object.entries(attempt.secrets)) scrubber.add(name, value)
    const log = new CallLog(this.#env.config.deno, (level, message, data) =>
      attempt.log(level, scrubber.text(message), scrubber.value(data)),
    )
    return this.#call(attempt, log, scrubber)
  }

  async plan(attempt: Attempt): Promise<{ readonly [key: string]: Json }> {
    const plan = denoPlan(attempt.tool)
    const { rights } = this.#needs.rights(attempt)
    return {
      binary: this.#findDeno(),
      language: plan.language,
      isolation: plan.isolation,
      rights: asJson(rights),
      limits: {
        timeoutMs: attempt.timeoutMs,
        memoryMb: attempt.profile.memoryMb,
        cpuPercent: attempt.profile.cpuPercent,
      },
      secrets: [...plan.requiredSecrets],
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#ahead.close(), this.#pool.close()])
  }

  async #call(attempt: Attempt, log: CallLog, scrubber: SecretScrubber): Promise<unknown> {
    // A service runs for as long as the crib does: it has no deadline and holds no place of the others.
    const isService = !Number.isFinite(attempt.timeoutMs)
    const slot = new HeldSlot(this.#slots, attempt)
    let session: BrokerSession | undefined
    let single: DenoWorker | undefined
    try {
      const needs = this.#needs.of(attempt)
      const { rights, plan } = needs
      mustHaveSecrets(attempt, plan)
      for (const host of needs.closed)
        log.line(
          'warn',
          `${host} is declared but not granted, so it stays closed. Grant it with net.http:${host}.`,
        )
      const { tool, params, runId } = attempt
      const opened = (this.#env.broker ?? noStore).open({ tool, params, runId, call: attempt.call })
      session = opened instanceof Promise ? await opened : opened
      if (!isService && !slot.takeNow()) await slot.take()
      const isAlone = isService || plan.isolation === 'call'
      const found = isAlone
        ? this.#pool.takeSingle(() => this.#alone(needs))
        : this.#shared(attempt, needs, session)
      const worker = found instanceof Promise ? await found : found
      if (isAlone) single = worker
      attempt.enforced(enforcementOf(worker, rights))
      const store = session
      let api: ApiOptions | undefined
      const line = (level: LogLevel, message: string, data?: Json) =>
        log.line(level, readableStack(message, tool.id), data)
      const call = {
        input: params,
        secrets: ownSecrets(attempt, plan),
        config: session.config,
        request: session.request,
      }
      const { outputBytes, spec } = needs
      const value = await runCall({
        worker,
        attempt,
        // As text within the text: Deno refuses messages that are nested deeply, and values may be.
        text: (id) => JSON.stringify({ t: 'call', id, json: textOf(call, tool.id) }),
        listener: {
          line,
          progress: (progress) => attempt.progress(progress),
          // Most tools ask for nothing.
          ask: (op, args) => {
            api ??= this.#api(attempt, { rights, session: store, log, scrubber, slot })
            return answerApi(api, op, args)
          },
          waits: (op) => op === 'callTool',
        },
        read: (end) => readEnd(end, { tool, outputBytes, line }),
        strayError: (kind, message, stack) => {
          if (stack !== '') line('error', stack)
          return strayError(kind, message)
        },
        readLost: (end, { id, running }) => {
          throw whyLost(end, tool.id, { id, running, memoryMb: spec.memoryMb })
        },
      })
      // When it is gone, so that the start of the next one does not slow down this call.
      if (isAlone) void worker.ended.then(() => this.#ahead.prepare(needs.process, this.#starter(needs)))
      return scrubber.value(value)
    } catch (error) {
      const isStop = attempt.signal.aborted && error === attempt.signal.reason
      throw scrubError(isStop ? stopped(attempt.signal, attempt.timeoutMs) : error, scrubber)
    } finally {
      single?.retire()
      slot.release()
      session?.close?.()
    }
  }

  /** A process for one call alone, started ahead where calls like it were made. */
  async #alone(needs: ProcessNeeds): Promise<DenoWorker> {
    const worker = await this.#ahead.take(needs.process, this.#starter(needs))
    await loadTool(worker, this.#parts(needs), needs.spec)
    return worker
  }

  #starter(needs: ProcessNeeds): () => Promise<DenoWorker> {
    return () => startWorker(this.#parts(needs), needs.spec)
  }

  #shared(attempt: Attempt, needs: ProcessNeeds, session: BrokerSession): DenoWorker | Promise<DenoWorker> {
    const { principal } = (attempt.call ?? {}) as { readonly principal?: Principal }
    const start = async () => {
      const worker = await this.#starter(needs)()
      await loadTool(worker, this.#parts(needs), needs.spec)
      return worker
    }
    return this.#pool.take(
      this.#needs.keyOf(attempt, session, principal ? identityOf(principal) : ''),
      start,
      attempt,
    )
  }

  #parts({ outputBytes }: ProcessNeeds): WorkerParts {
    const { supervisor, fence, config } = this.#env
    return { supervisor, fence, watch: this.#watch, settings: config.deno, outputBytes }
  }

  #api(
    attempt: Attempt,
    {
      rights,
      session,
      log,
      scrubber,
      slot,
    }: {
      readonly rights: EffectiveRights
      readonly session: BrokerSession
      readonly log: CallLog
      readonly scrubber: SecretScrubber
      readonly slot: HeldSlot
    },
  ): ApiOptions {
    const isVouched = () => this.#env.isVouched?.(attempt.tool) ?? false
    return {
      session,
      rights,
      toolId: attempt.tool.id,
      secrets: attempt.secrets,
      get configuredSecrets() {
        return configuredSecrets(attempt.tool.details, session, isVouched)
      },
      invoke: (name, input) => slot.without(() => attempt.invoke(name, input)),
      warn: (message) => log.line('warn', message),
      onSecret: (name, value) => scrubber.add(name, value),
    }
  }

  #findDeno(): string {
    this.#deno ??= findDeno({ configured: this.#env.config.deno.path })
    return this.#deno
  }
}

/** The place a call holds among those that run; given back while it waits for another tool. */
class HeldSlot {
  readonly #slots: Slots
  readonly #attempt: Pick<Attempt, 'signal'>
  #isHeld = false
  #away = 0
  #isOver = false

  constructor(slots: Slots, attempt: Pick<Attempt, 'signal'>) {
    this.#slots = slots
    this.#attempt = attempt
  }

  takeNow(): boolean {
    this.#isHeld = this.#slots.takeNow()
    return this.#isHeld
  }

  async take(): Promise<void> {
    await this.#slots.take(this.#attempt.signal)
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
        await this.#slots.take(this.#attempt.signal).then(
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

function poolSettings({ workersPerTool, callsPerWorker, idleMs }: DenoConfig): PoolSettings {
  return { workersPerKey: workersPerTool, callsPerWorker, idleMs, startsAtOnce: 1, maxWorkers: 128 }
}

function textOf(call: object, toolName: string): string {
  try {
    return JSON.stringify(call)
  } catch (error) {
    throw new ToolError('PARAMS_INVALID', `The input of ${toolName} is not JSON: ${messageOf(error)}.`, {
      hint: 'Give it without BigInt and circles, and nested less deeply.',
    })
  }
}

const noSecrets: { readonly [name: string]: string } = {}

/** Exactly the names the tool requires, whatever else was released. */
function ownSecrets(attempt: Attempt, plan: ToolCodePlan): { readonly [name: string]: string } {
  if (plan.requiredSecrets.length === 0) return noSecrets
  return Object.fromEntries(plan.requiredSecrets.map((name) => [name, attempt.secrets[name]!]))
}

function mustHaveSecrets(attempt: Attempt, plan: ToolCodePlan): void {
  if (plan.requiredSecrets.length === 0) return
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

/** Secrets that fields of the settings form name, by id or name; a default is the word of the definition (G19). */
function configuredSecrets(
  details: ToolDetails | undefined,
  session: BrokerSession,
  isVouched: () => boolean,
): string[] {
  return (details?.ui_schema?.config_fields ?? [])
    .filter((field) => field.type === 'secret' || field.ui_type === 'secret-select')
    .flatMap((field) => {
      const value = session.config[field.key]
      return typeof value === 'string' && (value !== field.default_value || isVouched()) ? [value] : []
    })
}

function scrubError(error: unknown, scrubber: SecretScrubber): unknown {
  if (!(error instanceof ToolError)) return error
  const message = scrubber.text(error.message)
  const details = scrubber.value(error.details)
  if (message === error.message && details === error.details) return error
  return new ToolError(error.code, message, {
    retryable: error.retryable,
    hint: error.hint === undefined ? undefined : scrubber.text(error.hint),
    details,
  })
}
