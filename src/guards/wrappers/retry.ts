// Repeats what may succeed the next time: only errors marked retryable, with the waits the policy says.
import type { Call } from '../../kernel/call.ts'
import type { Next } from '../../kernel/compose.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import { isPlainObject } from '../../tool/json.ts'
import { stopError } from '../../tool/stoppable.ts'
import type { RetryPolicy } from '../../tool/tool.ts'
import { errorData, isToolError } from '../../tool/tool-error.ts'

export function retry(): Wrapper {
  return {
    name: 'retry',
    stage: '$pre-execute',
    inEntries: false,
    applies: (tool, states) => tool.retry !== undefined || states('retry'),
    wrap(call, next) {
      const policy = retryPolicyOf(call)
      return policy && policy.maxAttempts > 1 ? repeat(call, next, policy) : undefined
    },
  }
}

async function repeat(call: Call, next: Next, policy: RetryPolicy): Promise<undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await next({ again: attempt > 1 })
      return
    } catch (error) {
      if (attempt >= policy.maxAttempts || !mayPass(call, error) || call.isAborted) throw error
      const waitMs = waitBefore(policy, attempt)
      const { code, message } = errorData(error)
      call.log(
        'warn',
        `attempt ${attempt} of ${policy.maxAttempts} failed (${code}: ${message}); next in ${waitMs} ms`,
      )
      await pause(call, waitMs)
    }
  }
}

/** A tool's own policy repeats what is marked retryable; one stated in metadata also plain throws of its code. */
function mayPass(call: Call, error: unknown): boolean {
  return isToolError(error) ? error.retryable : call.tool.retry === undefined
}

const maxTries = 10

/** The policy that counts: the tool's own, or what its metadata states (`3`, or a map like a tool's). */
export function retryPolicyOf(call: Call): RetryPolicy | undefined {
  const stated = call.metadata['retry']
  const own = call.tool.retry
  if (stated === undefined || stated === null) return own
  const map = isPlainObject(stated) ? stated : { maxAttempts: stated }
  const number = (value: unknown, otherwise: number) =>
    typeof value === 'number' && value >= 0 ? value : otherwise
  const wanted = Math.floor(number(map['maxAttempts'], 1))
  if (own) return { ...own, maxAttempts: Math.min(own.maxAttempts, wanted) }
  const backoff = map['backoff']
  return {
    maxAttempts: Math.min(wanted, maxTries),
    backoff: backoff === 'linear' || backoff === 'exponential' ? backoff : 'fixed',
    initialDelayMs: number(map['initialDelayMs'], 0),
    maxDelayMs: number(map['maxDelayMs'], 30_000),
    multiplier: number(map['multiplier'], 2),
  }
}

/** Milliseconds to wait after attempt `n` (from 1). */
export function waitBefore(policy: RetryPolicy, n: number): number {
  const wait =
    policy.backoff === 'fixed'
      ? policy.initialDelayMs
      : policy.backoff === 'linear'
        ? policy.initialDelayMs * n
        : policy.initialDelayMs * policy.multiplier ** (n - 1)
  return Math.min(wait, policy.maxDelayMs)
}

function pause(call: Call, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    call.onAbort((reason) => {
      clearTimeout(timer)
      reject(stopError(reason))
    })
  })
}
