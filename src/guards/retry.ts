// Repeats what may succeed the next time: only errors marked retryable, with the waits the policy says.
import type { Call } from '../kernel/call.ts'
import type { Guard } from '../kernel/pipeline.ts'
import type { RetryPolicy } from '../tool/tool.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'

export function retry(): Guard {
  return {
    name: 'retry',
    after: '$pre-execute',
    inChainEntries: false,
    applies: (tool) => (tool.retry?.maxAttempts ?? 1) > 1,
    async run(call, next) {
      const policy = call.tool.retry!
      for (let attempt = 1; ; attempt++) {
        try {
          await next({ again: attempt > 1 })
          return
        } catch (error) {
          if (attempt >= policy.maxAttempts || !isToolError(error) || !error.retryable || call.isAborted)
            throw error
          const waitMs = waitBefore(policy, attempt)
          call.log(
            'warn',
            `attempt ${attempt} of ${policy.maxAttempts} failed (${error.code}: ${error.message}); next in ${waitMs} ms`,
          )
          await pause(call, waitMs)
        }
      }
    },
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
      reject(
        reason instanceof ToolError
          ? reason
          : new ToolError('CANCELLED', 'The call was cancelled while waiting to try again.'),
      )
    })
  })
}
