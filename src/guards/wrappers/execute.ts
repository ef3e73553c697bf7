// The leaf: one attempt by the tool's runtime, with its own time limit, and what it cost.
import type { Call } from '../../kernel/call.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import { answerOf, elicitHandlerOf, sampleHandlerOf } from '../../runtimes/mcp/caller-handlers.ts'
import type { Attempt, Runtime } from '../../runtimes/runtime.ts'
import { onAbort } from '../../tool/on-abort.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { withGrantHint } from '../grant-hint.ts'
import type { GuardServices } from '../services.ts'
import { attemptLimitMs, refuseHuge } from './limits.ts'
import { retryPolicyOf } from './retry.ts'

export function execute(services: GuardServices): Wrapper {
  return {
    name: 'execute',
    stage: '$execute',
    needs: ['ready', 'trust', 'lock', 'grants', 'secrets'],
    runsTool: true,
    applies: (tool) => tool.runtime !== null,
    wrap(call) {
      const found = services.runtime(call.tool)
      return found instanceof Promise
        ? found.then((runtime) => start(call, runtime, services))
        : start(call, found, services)
    },
    async rehearse(call) {
      const runtime = await services.runtime(call.tool)
      const attempt = new RunningAttempt(call, services)
      // Without arguments that pass there is no plan, only what any call would lack; whoever only looks starts nothing,
      // no parameter resolver either (G3).
      if (call.options.hasNoArgsYet || call.refused.has('config')) return runtime.ready?.(attempt)
      try {
        return { plan: (await runtime.plan?.(attempt)) ?? {} }
      } finally {
        call.changes?.drop()
      }
    },
  }
}

function start(call: Call, runtime: Runtime, services: GuardServices): unknown {
  services.approvals.demandAgreed(call)
  call.attempts++
  const attempt = new RunningAttempt(call, services)
  // Time is counted only for what it costs.
  const value = attempt.isLimited || call.tool.cost ? run(call, runtime, attempt) : runtime.run(attempt)
  if (value instanceof Promise)
    return call.orStopped(
      value.catch(async (error) => {
        throw await withGrantHint(call, error, services)
      }),
      refuseHuge,
    )
  refuseHuge(call, value)
  return value
}

async function run(call: Call, runtime: Runtime, attempt: RunningAttempt): Promise<unknown> {
  const startMs = call.elapsedMs()
  let isCounted = false
  const count = () => {
    if (isCounted) return
    isCounted = true
    call.runningMs += call.elapsedMs() - startMs
    addCost(call)
  }
  // A call that is stopped is over at once, and its runtime only later.
  call.onAbort(count)
  try {
    return await (attempt.isLimited
      ? attempt.limited(async () => runtime.run(attempt))
      : runtime.run(attempt))
  } finally {
    call.offAbort(count)
    count()
  }
}

function addCost(call: Call): void {
  const model = call.tool.cost
  if (!model) return
  const amount = model.perCall * call.attempts + (model.perMinute * call.runningMs) / 60_000
  call.cost = { amount, currency: model.currency }
}

class RunningAttempt implements Attempt {
  readonly call: Call
  readonly tool: Attempt['tool']
  readonly params: unknown
  readonly args: unknown
  readonly runId: string
  readonly changes: Attempt['changes']
  readonly strict: boolean
  readonly #services: GuardServices
  #controller: AbortController | undefined

  constructor(call: Call, services: GuardServices) {
    this.call = call
    this.tool = call.tool
    this.params = call.params
    this.args = call.args
    this.runId = call.id
    this.changes = call.changes
    this.strict = call.options.strict === true
    this.#services = services
  }

  get secrets() {
    return this.call.secrets
  }

  get timeoutMs() {
    const { isService, timeoutMs } = this.call.options
    if (isService) return Number.POSITIVE_INFINITY
    return timeoutMs ?? attemptLimitMs(this.call, this.#services)
  }

  get signal() {
    return this.#controller?.signal ?? this.call.signal
  }

  onStop(listener: () => void): () => void {
    if (this.#controller) return onAbort(this.#controller.signal, listener)
    this.call.onAbort(listener)
    return () => this.call.offAbort(listener)
  }

  get profile() {
    if (!this.call.profile)
      throw new ToolError('INTERNAL', `${this.call.tool.id} reached its runtime without a profile.`)
    return this.call.profile
  }

  /** With more attempts to come, each one gets the full time of its own. */
  get isLimited(): boolean {
    const { options, metadata, tool } = this.call
    const retry = metadata['retry'] === undefined ? tool.retry : retryPolicyOf(this.call)
    return !options.isService && (retry?.maxAttempts ?? 1) > 1
  }

  async limited<T>(work: () => Promise<T>): Promise<T> {
    const controller = new AbortController()
    this.#controller = controller
    this.call.onAbort((reason) => controller.abort(reason))
    const late = new ToolError(
      'TIMEOUT',
      `${this.call.tool.id} did not finish within ${this.timeoutMs} ms and was stopped.`,
      { retryable: true },
    )
    const timer = setTimeout(() => controller.abort(late), this.timeoutMs)
    const aborted = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
    })
    aborted.catch(() => {})
    try {
      return await Promise.race([work(), aborted])
    } finally {
      clearTimeout(timer)
    }
  }

  get elicit() {
    return elicitHandlerOf(this.call)
  }

  get sample() {
    return sampleHandlerOf(this.call)
  }

  get roots() {
    return answerOf(this.call, 'onRoots')
  }

  log(...args: Parameters<Attempt['log']>): void {
    this.call.log(...args)
  }

  progress(...args: Parameters<Attempt['progress']>): void {
    this.call.progress(...args)
  }

  meta(...args: Parameters<Attempt['meta']>): void {
    this.call.addMeta(...args)
  }

  enforced(...[enforcement]: Parameters<Attempt['enforced']>): void {
    this.call.enforcement = enforcement
    // What holds the tool is known when it is about to run.
    this.call.options.onBegun?.()
  }

  lacks(missing: ToolError): void {
    this.call.missing = [...this.call.missing, missing]
  }

  invoke(ref: string, args: unknown) {
    return this.#services.invoke(ref, args, this.call)
  }
}
