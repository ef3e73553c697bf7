import { describe, expect, it } from 'vitest'
import { cribWith, cribWithTool } from '../../../test/helpers/crib-with-tool.ts'
import type { Attempt } from '../../runtimes/runtime.ts'
import { makePrincipal } from '../../tool/principal.ts'
import { ToolError } from '../../tool/tool-error.ts'

/** What a call of a tool finds in its attempt. */
async function attemptOf(
  options: { readonly timeoutMs?: number; readonly isService?: boolean } = {},
  fields: Parameters<typeof cribWithTool>[0] = {},
): Promise<Attempt> {
  let seen: Attempt | undefined
  const { crib, tool } = await cribWithTool(
    fields,
    (_params, attempt) => {
      seen = attempt
    },
    { limits: { timeoutMs: 5000 } },
  )
  await crib.call(tool, {}, options)
  return seen!
}

describe('the time of an attempt', () => {
  it('is what the tool asks for, up to what the crib allows', async () => {
    expect((await attemptOf({}, { limits: { timeoutMs: 200 } })).timeoutMs).toBe(200)
    expect((await attemptOf({}, { limits: { timeoutMs: 60_000 } })).timeoutMs).toBe(5000)
  })

  it('is what the caller states, and has no end for a service', async () => {
    expect((await attemptOf({ timeoutMs: 300 }, { limits: { timeoutMs: 200 } })).timeoutMs).toBe(300)
    expect((await attemptOf({ isService: true })).timeoutMs).toBe(Number.POSITIVE_INFINITY)
  })
})

it('puts what a tool tells into the outcome', async () => {
  const progress: unknown[] = []
  const { crib, tool } = await cribWithTool({}, (_params, attempt) => {
    attempt.log('info', 'half way', { n: 1 })
    attempt.progress({ done: 1, total: 2 })
    attempt.meta({ model: 'small' })
    attempt.meta({ tokens: 7 })
    return 'done'
  })
  const outcome = await crib.call(tool, {}, { onProgress: (at) => progress.push(at) })
  expect(outcome).toMatchObject({
    value: 'done',
    logs: [{ level: 'info', message: 'half way', data: { n: 1 } }],
    meta: { model: 'small', tokens: 7 },
  })
  expect(progress).toEqual([{ done: 1, total: 2 }])
})

it('lets a tool call another one in its own name, for the one who asked it', async () => {
  const crib = await cribWith()
  let seen: Attempt | undefined
  crib.addTool({
    id: 'inner',
    fn: (_params, attempt) => {
      seen = attempt
      return 'from inside'
    },
  })
  const outer = crib.addTool({ id: 'outer', fn: (_params, attempt) => attempt.invoke('inner', {}) })
  const outcome = await crib.call(outer, {}, { principal: makePrincipal({ surface: 'http', name: 'ada' }) })
  expect(outcome).toMatchObject({ value: { ok: true, value: 'from inside' } })
  expect(seen!.call).toMatchObject({
    depth: 1,
    parent: { id: outcome.runId },
    principal: { surface: 'tool', tool: 'outer', name: 'ada', isAdmin: false },
  })
})

it('tells a tool that it is stopped, and does not wait for it', async () => {
  const controller = new AbortController()
  let reason: unknown
  const { crib, tool } = await cribWithTool({}, (_params, attempt) => {
    attempt.onStop(() => {
      reason = attempt.signal.reason
    })
    setImmediate(() => controller.abort())
    return new Promise(() => {})
  })
  const outcome = await crib.call(tool, {}, { signal: controller.signal })
  expect(outcome).toMatchObject({ error: { code: 'CANCELLED' } })
  expect(reason).toBe(controller.signal.reason)
})

it('tells nobody who has taken his listener away', async () => {
  const controller = new AbortController()
  let isTold = false
  const { crib, tool } = await cribWithTool({}, (_params, attempt) => {
    const leave = attempt.onStop(() => {
      isTold = true
    })
    leave()
    setImmediate(() => controller.abort())
    return new Promise(() => {})
  })
  await crib.call(tool, {}, { signal: controller.signal })
  expect(isTold).toBe(false)
})

describe('where nothing may run', () => {
  it('gives the plan of the runtime', async () => {
    let runs = 0
    const { crib, tool } = await cribWithTool({}, () => ++runs)
    expect(await crib.dryRun(tool)).toMatchObject({ ok: true, plan: { function: 't' } })
    expect(runs).toBe(0)
  })

  it('is not asked where a check that it needs refused', async () => {
    const { crib, tool } = await cribWithTool({ requires: ['net.http'] }, () => 1)
    const found = await crib.refusals(tool, {})
    expect(found.map(({ check }) => check)).toEqual(['grants'])
  })
})

it('counts what a failed attempt costs', async () => {
  const cost = { perCall: 2, perMinute: 0, currency: 'EUR' }
  const { crib, tool } = await cribWithTool({ cost }, () => {
    throw new ToolError('TOOL_FAILED', 'no')
  })
  expect(await crib.call(tool)).toMatchObject({ ok: false, cost: { amount: 2, currency: 'EUR' } })
})
