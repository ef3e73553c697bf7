// Time and cancellation over all attempts. The call ends when its time is up even if the tool does not
// listen; the runtime hears of it through the signal and clears up behind.

import type { Traits } from '../../formats/format.ts'
import type { Call } from '../../kernel/call.ts'
import type { Entry } from '../../kernel/compose.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import { isPlainObject } from '../../tool/json.ts'
import { stopError } from '../../tool/stoppable.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'
import { retryPolicyOf, waitBefore } from './retry.ts'

const maxTimerMs = 2_147_483_647
const spareMsPerAttempt = 1_000
/** They end a stopped call and refuse a long result themselves. */
const runs = new Set(['effects', 'execute'])

type Services = Pick<GuardServices, 'config' | 'spaces' | 'traits' | 'verifyFile' | 'middleware'>

export function limits(services: Services): Wrapper {
  return {
    name: 'limits',
    stage: '$pre-execute',
    wrap(call, next) {
      setLimit(call, services)
      if (call.isAborted) throw stopError(call.abortReason)
      if (!hasOthersInside(call)) return undefined
      const end = (): void => {
        if (call.isAborted) throw stopError(call.abortReason)
        refuseHuge(call, call.state.result)
      }
      const rest = next()
      return rest instanceof Promise ? rest.then(end) : end()
    },
    /** Middleware counts within the time of the call it serves, which begins with the first of them (S33). */
    enter(call) {
      if (!call.target.hasDeadline) setLimit(call.target, services)
      if (call.isAborted) throw stopError(call.abortReason)
    },
  }
}

/** By chain, which all calls of a tool share. */
const withOthers = new WeakMap<readonly Entry[], boolean>()

/** Whether anything but the runtime can make the result, or go on when the call was stopped: middleware, hooks, delegates. */
function hasOthersInside({ chain }: Call): boolean {
  const known = withOthers.get(chain)
  if (known !== undefined) return known
  const inside = chain.slice(chain.findIndex(({ name }) => name === 'limits') + 1)
  const found = inside.some(({ name, kind }) => kind !== 'stage' && kind !== 'check' && !runs.has(name))
  withOthers.set(chain, found)
  return found
}

function setLimit(call: Call, services: Services): void {
  if (call.options.isService) return
  const limitMs = Math.min(overallLimitMs(call, services), maxTimerMs)
  call.setDeadline(limitMs, performance.now(), () => timedOut(call, limitMs, services))
}

/** What one attempt may take, by call: files of settings may be read for it, once is enough. */
const attemptLimits = new WeakMap<Call, number>()

/** The time one attempt may take: what the tool or its format's settings ask for, at most what the crib allows. */
export function attemptLimitMs(call: Call, services: Services, traits?: Traits): number {
  const known = attemptLimits.get(call)
  if (known !== undefined) return known
  const { tool } = call
  const { timeoutMs: ceilingMs } = services.config.limits
  const { timeoutMs } = traits ?? services.traits(tool)
  const asked = timeoutMs?.(tool, services, services.verifyFile) ?? tool.limits.timeoutMs
  const limitMs = Math.min(asked ?? ceilingMs, ceilingMs)
  attemptLimits.set(call, limitMs)
  return limitMs
}

function overallLimitMs(call: Call, services: Services): number {
  const ceilingMs = services.config.limits.timeoutMs
  const asked = call.options.timeoutMs
  const isOperator = call.principal.surface === 'cli' || call.principal.surface === 'library'
  const stated = call.metadata['limits']
  const own = stated === undefined ? undefined : settingOf(stated, 'timeoutMs')
  const tightest = Math.min(ceilingMs, own ?? ceilingMs)
  if (asked !== undefined) return isOperator ? asked : Math.min(asked, tightest)
  const traits = services.traits(call.tool)
  if (traits.runtimeKeepsTime) return tightest
  const attempt = Math.min(attemptLimitMs(call, services, traits), tightest)
  const retry = call.metadata['retry'] === undefined ? call.tool.retry : retryPolicyOf(call)
  if (!retry || retry.maxAttempts < 2 || tightest < ceilingMs) return attempt
  // Where each attempt has its own limit, none is cut short by the time that starting the others took.
  const spareMs = call.tool.retry ? spareMsPerAttempt : 0
  let total = (attempt + spareMs) * retry.maxAttempts
  for (let n = 1; n < retry.maxAttempts; n++) total += waitBefore(retry, n)
  return total
}

/** A limit the cascade states: it can tighten what the crib sets. */
function settingOf(stated: unknown, name: 'timeoutMs' | 'outputBytes'): number | undefined {
  const value = isPlainObject(stated) ? stated[name] : undefined
  return typeof value === 'number' && value > 0 ? value : undefined
}

/** Throws OUTPUT_TOO_LARGE for a text longer than the call may give back. */
export function refuseHuge(call: Call, value: unknown): void {
  if (typeof value !== 'string') return
  const granted = call.profile?.outputBytes
  const most = Math.min(granted ?? Infinity, settingOf(call.metadata['limits'], 'outputBytes') ?? Infinity)
  if (value.length > most) {
    const size = value.length
    call.result = undefined
    throw new ToolError(
      'OUTPUT_TOO_LARGE',
      `${call.tool.id} returned ${size} characters; at most ${most} are allowed.`,
      { hint: 'Have the tool return less, or raise limits.outputBytes.', details: { size, most } },
    )
  }
}

function timedOut({ tool, chain, cursor }: Call, limitMs: number, services: Services): ToolError {
  // The innermost entry that was begun: where that is a middleware, the tool itself never got its turn.
  const entry = chain[cursor]
  const held = entry?.kind === 'middleware' ? services.middleware(tool, entry.name) : undefined
  const where = held
    ? ` Its middleware ${held.id} (${held.source.file ?? 'made in code'}) had not ended.`
    : ''
  return new ToolError('TIMEOUT', `${tool.id} did not finish within ${limitMs} ms and was stopped.${where}`, {
    hint: 'Give it more time with --timeout, or a larger timeout in its definition.',
    retryable: true,
  })
}
