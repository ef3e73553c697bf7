import { describe, expect, it } from 'vitest'
import { callOf, cribWithTool, leaf, outcomeBy } from '../../../test/helpers/crib-with-tool.ts'
import type { Traits } from '../../formats/format.ts'
import { resultPart, returns } from './returns.ts'

/** Nothing is stated in metadata. */
const none = () => false

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
const unwrapping: Traits = {
  fillDefaults: true,
  returnCandidates: (value) => [(value as { data?: unknown }).data, value],
}
const wrapperOf = (traits: Traits = { fillDefaults: true }) => returns({ traits: () => traits })

describe('a result', () => {
  it.each([
    ['at once', () => ({ n: 1 })],
    ['later', async () => ({ n: 1 })],
  ])('that its schema allows passes when it comes %s', async (_when, run) => {
    const outcome = await outcomeBy([wrapperOf(), leaf(run)], callOf({ returns: schema }))
    expect(outcome).toMatchObject({ ok: true, value: { n: 1 } })
  })

  it.each([
    ['at once', () => ({ n: 'one' })],
    ['later', async () => ({ n: 'one' })],
  ])('that its schema forbids is a failure when it comes %s', async (_when, run) => {
    const outcome = await outcomeBy([wrapperOf(), leaf(run)], callOf({ returns: schema }))
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code: 'RESULT_INVALID',
        message: expect.stringContaining('t returned something its schema does not allow'),
        details: { violations: [{ pointer: '/n' }] },
      },
    })
  })

  it('passes when one of the parts its format offers does', async () => {
    const run = leaf(() => ({ data: { n: 1 } }))
    const call = () => callOf({ returns: schema })
    expect(await outcomeBy([wrapperOf(unwrapping), run], call())).toMatchObject({
      ok: true,
      value: { data: { n: 1 } },
    })
    expect(await outcomeBy([wrapperOf(), run], call())).toMatchObject({ error: { code: 'RESULT_INVALID' } })
  })

  it('is told the faults of the best part where none passes', async () => {
    const run = leaf(() => ({ data: { n: 'one' } }))
    const outcome = await outcomeBy([wrapperOf(unwrapping), run], callOf({ returns: schema }))
    expect(outcome).toMatchObject({
      error: { details: { violations: [{ pointer: '/n', keyword: 'type' }] } },
    })
  })
})

it('has no say about a tool without a schema', () => {
  expect(wrapperOf().applies!(callOf().tool, none)).toBe(false)
  expect(wrapperOf().applies!(callOf({ returns: schema }).tool, none)).toBe(true)
})

it('follows the schema that the context states now', async () => {
  const { crib, tool } = await cribWithTool(
    { returns: { $resolve: 'globals.wanted', ...schema } },
    () => 'text',
  )
  expect(await crib.call(tool)).toMatchObject({ error: { code: 'RESULT_INVALID' } })
  crib.globals['wanted'] = { type: 'string' }
  expect(await crib.call(tool)).toMatchObject({ ok: true, value: 'text' })
})

describe('the part of a result that the schema speaks of', () => {
  const { tool } = callOf({ returns: schema })

  it('is the first that satisfies it, or the whole', () => {
    expect(resultPart(tool, { data: { n: 1 } }, unwrapping)).toEqual({ n: 1 })
    expect(resultPart(tool, { n: 2 }, unwrapping)).toEqual({ n: 2 })
    expect(resultPart(tool, { data: 'x' }, unwrapping)).toEqual({ data: 'x' })
  })

  it('is the whole where there is no schema or no part', () => {
    const whole = { data: { n: 1 } }
    expect(resultPart(callOf().tool, whole, unwrapping)).toBe(whole)
    expect(resultPart(tool, whole, { fillDefaults: true })).toBe(whole)
  })
})
