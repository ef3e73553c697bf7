// Time and cancellation over all attempts. The call ends when its time is up even if the tool does not
// listen; the runtime hears of it through the signal and clears up behind.

import type { Call } from '../kernel/call.ts'
import type { Guard } from '../kernel/pipeline.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { waitBefore } from './retry.ts'
import type { GuardServices } from './services.ts'

const longestTimer = 2_147_483_647

export function limits(services: GuardServices): Guard {
  return {
    name: 'limits',
    after: '$pre-execute',
    inChainEntries: true,
    async run(call, next) {
      const limitMs = overallLimitMs(call, services)
      let stop: (reason: unknown) => void = () => {}
      const aborted = new Promise<never>((_, reject) => {
        stop = reject
      })
      aborted.catch(() => {})
      call.onAbort((reason) => stop(errorOf(reason)))
      const timer = setTimeout(
        () => call.abort(timedOut(call.tool, limitMs)),
        Math.min(limitMs, longestTimer),
      )
      try {
        await Promise.race([next(), aborted])
        refuseHuge(call)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** The time one attempt may take: what the tool or its format's settings ask for, at most what the crib allows. */
export function attemptLimitMs(tool: Tool, services: GuardServices): number {
  const ceilingMs = services.config.limits.timeoutMs
  const asked =
    services.traits(tool).timeoutMs?.(tool, services, services.verifyFile) ?? tool.limits.timeoutMs
  return Math.min(asked ?? ceilingMs, ceilingMs)
}

function overallLimitMs(call: Call, services: GuardServices): number {
  const ceilingMs = services.config.limits.timeoutMs
  const asked = call.options.timeoutMs
  const isOperator = call.caller.surface === 'cli' || call.caller.surface === 'library'
  if (asked !== undefined) return isOperator ? asked : Math.min(asked, ceilingMs)
  const attempt = attemptLimitMs(call.tool, services)
  const { retry } = call.tool
  if (!retry || retry.maxAttempts < 2) return attempt
  let total = attempt * retry.maxAttempts
  for (let n = 1; n < retry.maxAttempts; n++) total += waitBefore(retry, n)
  return total
}

function refuseHuge(call: Call): void {
  const most = call.profile?.outputBytes
  if (most !== undefined && typeof call.result === 'string' && call.result.length > most) {
    const size = call.result.length
    call.result = undefined
    throw new ToolError(
      'OUTPUT_TOO_LARGE',
      `${call.tool.id} returned ${size} characters; at most ${most} are allowed.`,
      { hint: 'Have the tool return less, or raise limits.outputBytes.', details: { size, most } },
    )
  }
}

function timedOut(tool: Tool, limitMs: number): ToolError {
  return new ToolError('TIMEOUT', `${tool.id} did not finish within ${limitMs} ms and was stopped.`, {
    hint: 'Give it more time with --timeout, or a larger timeout in its definition.',
    retryable: true,
  })
}

function errorOf(reason: unknown): ToolError {
  if (reason instanceof ToolError) return reason
  if (reason instanceof Error && reason.name === 'TimeoutError')
    return new ToolError('TIMEOUT', 'The caller gave up waiting.', { retryable: true })
  return new ToolError('CANCELLED', 'The call was cancelled.')
}
