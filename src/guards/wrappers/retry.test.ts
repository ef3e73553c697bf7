import { describe, expect, it } from 'vitest'
import { callOf, cribWithTool, leaf, outcomeBy } from '../../../test/helpers/crib-with-tool.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { retry, retryPolicyOf, waitBefore } from './retry.ts'

describe('retry', () => {
  const policy = {
    maxAttempts: 3,
    backoff: 'fixed',
    initialDelayMs: 1,
    maxDelayMs: 10,
    multiplier: 2,
  } as const

  it('repeats what is marked retryable and counts the attempts', async () => {
    verifies('R48')
    let runs = 0
    const { crib, tool } = await cribWithTool(
      { retry: policy, cost: { perCall: 2, perMinute: 0, currency: 'EUR' } },
      () => {
        if (++runs < 3) throw new ToolError('UPSTREAM_FAILED', 'busy', { retryable: true })
        return 'done'
      },
    )
    expect(await crib.call(tool)).toMatchObject({
      ok: true,
      value: 'done',
      cost: { amount: 6, currency: 'EUR' },
    })
    expect(runs).toBe(3)
  })

  it('repeats nothing else', async () => {
    verifies('R48')
    let runs = 0
    const { crib, tool } = await cribWithTool({ retry: policy }, () => {
      runs++
      throw new ToolError('TOOL_FAILED', 'no')
    })
    expect(await crib.call(tool)).toMatchObject({ error: { code: 'TOOL_FAILED' } })
    expect(runs).toBe(1)
  })

  it('gives every attempt the full time', async () => {
    verifies('R48')
    let runs = 0
    const { crib, tool } = await cribWithTool({ retry: policy, limits: { timeoutMs: 200 } }, () =>
      ++runs < 3 ? new Promise(() => {}) : 'late but here',
    )
    expect(await crib.call(tool)).toMatchObject({ ok: true, value: 'late but here' })
  })

  it('gives the last attempt the full time too', async () => {
    verifies('R48', 'R49')
    const { crib, tool } = await cribWithTool(
      { retry: policy, limits: { timeoutMs: 100 }, cost: { perCall: 2, perMinute: 0, currency: 'EUR' } },
      () => {
        // Starting takes its time, which is not the next attempt's.
        const until = Date.now() + 30
        while (Date.now() < until);
        return new Promise(() => {})
      },
    )
    expect(await crib.call(tool)).toMatchObject({
      error: { code: 'TIMEOUT', message: 't did not finish within 100 ms and was stopped.' },
      cost: { amount: 6 },
    })
  })

  it('counts the cost of an attempt that was stopped', async () => {
    verifies('R49')
    const { crib, tool } = await cribWithTool(
      { limits: { timeoutMs: 50 }, cost: { perCall: 2, perMinute: 60_000, currency: 'EUR' } },
      () => new Promise(() => {}),
    )
    const outcome = await crib.call(tool)
    expect(outcome).toMatchObject({ error: { code: 'TIMEOUT' } })
    expect(outcome.cost!.amount).toBeGreaterThan(40)
  })

  it('stops waiting when the call is cancelled', async () => {
    const controller = new AbortController()
    const { crib, tool } = await cribWithTool(
      { retry: { ...policy, initialDelayMs: 60_000, maxDelayMs: 60_000 } },
      () => {
        setImmediate(() => controller.abort())
        throw new ToolError('UPSTREAM_FAILED', 'busy', { retryable: true })
      },
    )
    expect(await crib.call(tool, undefined, { signal: controller.signal })).toMatchObject({
      error: { code: 'CANCELLED' },
    })
  })

  it.each([
    ['fixed', [1000, 1000, 1000]],
    ['linear', [1000, 2000, 3000]],
    ['exponential', [1000, 2000, 4000]],
  ] as const)('waits %s', (backoff, waits) => {
    verifies('R47')
    const policy = { maxAttempts: 4, backoff, initialDelayMs: 1000, maxDelayMs: 60_000, multiplier: 2 }
    expect([1, 2, 3].map((n) => waitBefore(policy, n))).toEqual(waits)
  })

  it('never waits longer than the policy says', () => {
    verifies('R47')
    expect(
      waitBefore(
        { maxAttempts: 9, backoff: 'exponential', initialDelayMs: 1000, maxDelayMs: 5000, multiplier: 10 },
        8,
      ),
    ).toBe(5000)
  })
})

describe('the policy of a call', () => {
  const own = { maxAttempts: 3, backoff: 'linear', initialDelayMs: 5, maxDelayMs: 50, multiplier: 2 } as const
  const policyOf = (stated: unknown, fields = {}) => {
    const call = callOf(fields)
    if (stated !== undefined) call.metadata = { retry: stated }
    return retryPolicyOf(call)
  }

  it.each([undefined, null])('is the tool’s own where its metadata states %j', (stated) => {
    expect(policyOf(stated, { retry: own })).toBe(own)
    expect(policyOf(stated)).toBeUndefined()
  })

  it('can have fewer attempts by metadata than the tool states, never more', () => {
    expect(policyOf(2, { retry: own })).toEqual({ ...own, maxAttempts: 2 })
    expect(policyOf({ maxAttempts: 9 }, { retry: own })).toEqual(own)
  })

  it('comes from metadata where the tool has none, within bounds', () => {
    expect(policyOf(3)).toEqual({
      maxAttempts: 3,
      backoff: 'fixed',
      initialDelayMs: 0,
      maxDelayMs: 30_000,
      multiplier: 2,
    })
    expect(policyOf({ maxAttempts: 1000, backoff: 'exponential', initialDelayMs: 7 })).toMatchObject({
      maxAttempts: 10,
      backoff: 'exponential',
      initialDelayMs: 7,
    })
  })

  it.each(['many', -1, {}])('is one attempt where metadata states %j', (stated) => {
    expect(policyOf(stated)).toMatchObject({ maxAttempts: 1 })
  })
})

describe('a policy that metadata states', () => {
  async function runsOf(error: Error): Promise<number> {
    let runs = 0
    const call = callOf()
    call.metadata = { retry: 2 }
    const failing = leaf(() => {
      runs++
      throw error
    })
    await outcomeBy([retry(), failing], call)
    return runs
  }

  it('repeats plain throws of the tool’s code, and of errors with a code those marked retryable', async () => {
    expect(await runsOf(new Error('busy'))).toBe(2)
    expect(await runsOf(new ToolError('UPSTREAM_FAILED', 'busy', { retryable: true }))).toBe(2)
    expect(await runsOf(new ToolError('TOOL_FAILED', 'no'))).toBe(1)
  })
})

it('says in the log of the call what failed and when it tries again', async () => {
  const call = callOf({
    retry: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 1, maxDelayMs: 1, multiplier: 1 },
  })
  const failing = leaf(() => {
    throw new ToolError('UPSTREAM_FAILED', 'busy', { retryable: true })
  })
  expect(await outcomeBy([retry(), failing], call)).toMatchObject({
    error: { code: 'UPSTREAM_FAILED' },
    logs: [{ level: 'warn', message: 'attempt 1 of 2 failed (UPSTREAM_FAILED: busy); next in 1 ms' }],
  })
})
