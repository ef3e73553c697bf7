import { describe, expect, it } from 'vitest'
import { callOf, cribWith, cribWithTool, outcomeBy } from '../../../test/helpers/crib-with-tool.ts'
import type { Call } from '../../kernel/call.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import { makePrincipal } from '../../tool/principal.ts'
import { grants } from '../checks/grants.ts'
import { limits } from './limits.ts'

describe('limits', () => {
  it('takes no more time than the crib allows, whatever the tool asks for', async () => {
    const { crib, tool } = await cribWithTool(
      { limits: { timeoutMs: 60_000 } },
      () => new Promise(() => {}),
      { limits: { timeoutMs: 20 } },
    )
    expect(await crib.call(tool)).toMatchObject({
      error: { code: 'TIMEOUT', message: expect.stringContaining('20 ms') },
    })
  })

  it('lets only an operator ask for more time than the crib allows', async () => {
    const { crib, tool } = await cribWithTool(
      {},
      () => new Promise((resolve) => setTimeout(resolve, 60, 'done')),
      { limits: { timeoutMs: 20 } },
    )
    expect(await crib.call(tool, undefined, { timeoutMs: 5000 })).toMatchObject({ ok: true })
    expect(
      await crib.call(tool, undefined, { timeoutMs: 5000, principal: makePrincipal({ surface: 'http' }) }),
    ).toMatchObject({ error: { code: 'TIMEOUT' } })
  })

  it('refuses a text that is longer than allowed', async () => {
    const { crib, tool } = await cribWithTool({}, () => 'x'.repeat(2000), { limits: { outputBytes: 1000 } })
    expect(await crib.call(tool)).toMatchObject({
      error: { code: 'OUTPUT_TOO_LARGE', details: { size: 2000, most: 1000 } },
    })
  })
})

describe('a limit that metadata states', () => {
  const forever = (call: Call) => call.orStopped(new Promise(() => {}))

  /** What becomes of a call in a crib that allows 1000 characters. */
  const within = async (stated: object, run: (call: Call) => unknown) => {
    const crib = await cribWith({ limits: { outputBytes: 1000 } })
    const { config, spaces } = crib
    const traits = () => ({ fillDefaults: true })
    const call = callOf()
    call.metadata = { limits: stated }
    const limit = limits({ config, spaces, traits, verifyFile: () => {}, middleware: () => undefined })
    // Not the runtime: what that gives back is judged where it runs.
    const other: Wrapper = { name: 'other', stage: '$execute', wrap: run }
    return outcomeBy([grants(crib), limit, other], call)
  }

  it('tightens what the crib sets', async () => {
    expect(await within({ timeoutMs: 30 }, forever)).toMatchObject({
      error: { code: 'TIMEOUT', message: expect.stringContaining('30 ms') },
    })
    expect(await within({ outputBytes: 3 }, () => 'long')).toMatchObject({
      error: { code: 'OUTPUT_TOO_LARGE', details: { size: 4, most: 3 } },
    })
  })

  it('does not widen it', async () => {
    expect(await within({ outputBytes: 5000 }, () => 'x'.repeat(2000))).toMatchObject({
      error: { code: 'OUTPUT_TOO_LARGE', details: { most: 1000 } },
    })
  })

  it.each([0, -1, '3'])('counts for nothing when it is %j', async (outputBytes) => {
    expect(await within({ outputBytes }, () => 'long')).toMatchObject({ ok: true })
  })
})

it('does not start the tool of a call that was stopped before', async () => {
  let runs = 0
  const { crib, tool } = await cribWithTool({}, () => ++runs)
  expect(await crib.call(tool, {}, { signal: AbortSignal.abort() })).toMatchObject({
    error: { code: 'CANCELLED' },
  })
  expect(runs).toBe(0)
})

it('has no time limit for a service', async () => {
  let limitMs: number | undefined = -1
  const { crib, tool } = await cribWithTool({ limits: { timeoutMs: 50 } }, (_params, attempt) => {
    limitMs = (attempt.call as Call).limitMs
  })
  await crib.call(tool, {}, { isService: true })
  expect(limitMs).toBeUndefined()
  await crib.call(tool)
  expect(limitMs).toBe(50)
})

it('gives a tool with retries the time of all its attempts and of the waits between them', async () => {
  let limitMs: number | undefined
  const retry = {
    maxAttempts: 3,
    backoff: 'fixed',
    initialDelayMs: 10,
    maxDelayMs: 10,
    multiplier: 1,
  } as const
  const { crib, tool } = await cribWithTool({ retry, limits: { timeoutMs: 50 } }, (_params, attempt) => {
    limitMs = (attempt.call as Call).limitMs
  })
  await crib.call(tool)
  expect(limitMs).toBe(3 * (50 + 1000) + 2 * 10)
})
