import { describe, expect, it } from 'vitest'
import { callOf, cribWithTool, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import type { Traits } from '../../formats/format.ts'
import { makePrincipal } from '../../tool/principal.ts'
import { params } from './params.ts'

const checkOf = (traits: Partial<Traits> = {}) =>
  params({ traits: () => ({ fillDefaults: true, ...traits }) })
const schema = {
  type: 'object',
  properties: { n: { type: 'number' }, unit: { type: 'string', default: 'km' } },
  required: ['n'],
} as const
const fromTool = makePrincipal({ surface: 'tool' })

it('takes no arguments from outside for a tool without a schema', async () => {
  const { crib, tool } = await cribWithTool({}, () => 'ran')
  expect(await crib.call(tool, { a: 1 })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
  expect(await crib.call(tool, {})).toMatchObject({ ok: true })
})

describe('a tool with a schema', () => {
  it('gets its defaults in a copy; what the caller passed stays as it is', async () => {
    const args = { n: 1 }
    const call = callOf({ params: schema }, { args })
    expect(await refusalBy(checkOf(), call)).toBeUndefined()
    expect(call.params).toEqual({ n: 1, unit: 'km' })
    expect(args).toEqual({ n: 1 })
    expect(call.args).toBe(args)
  })

  it('gets the caller’s own object where its format fills nothing in', async () => {
    const args = { n: 1 }
    const call = callOf({ params: schema }, { args })
    await refusalBy(checkOf({ fillDefaults: false }), call)
    expect(call.params).toBe(args)
  })

  it.each([
    [{}, '/n'],
    [{ n: 'one' }, '/n'],
  ])('refuses %j and points to the fault', async (args, pointer) => {
    const refusal = await refusalBy(checkOf(), callOf({ params: schema }, { args }))
    expect(refusal).toMatchObject({ code: 'PARAMS_INVALID' })
    expect(JSON.stringify(refusal)).toContain(pointer)
  })

  it('is judged by what its format makes of the arguments', async () => {
    const check = checkOf({ normaliseArgs: (args) => JSON.parse(args as string) })
    const call = callOf({ params: schema }, { args: '{"n":2}' })
    expect(await refusalBy(check, call)).toBeUndefined()
    expect(call.params).toMatchObject({ n: 2 })
  })

  it('has the schema that its context states now', async () => {
    const { crib, tool } = await cribWithTool(
      { params: { $resolve: 'globals.wanted', ...schema } },
      () => 'ran',
    )
    expect(await crib.call(tool, {})).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    crib.globals['wanted'] = { type: 'object' }
    expect(await crib.call(tool, {})).toMatchObject({ ok: true })
  })
})

describe('a tool without a schema', () => {
  it.each([undefined, null, {}])('takes %j from outside for nothing', async (args) => {
    const call = callOf({}, { args })
    expect(await refusalBy(checkOf(), call)).toBeUndefined()
    expect(call.params).toEqual({})
  })

  it.each([{ a: 1 }, [], 'text', 0])('refuses %j from outside', async (args) => {
    expect(await refusalBy(checkOf(), callOf({}, { args }))).toMatchObject({
      code: 'PARAMS_INVALID',
      message: 't takes no arguments.',
    })
  })

  it('gets from a tool whatever that passes', async () => {
    const call = callOf({}, { args: 'text', principal: fromTool })
    expect(await refusalBy(checkOf(), call)).toBeUndefined()
    expect(call.params).toBe('text')
  })
})

it('keeps keys that begin with $ for calls between skills', async () => {
  const check = checkOf({ refusesDollarKeys: true })
  const args = { n: 1, $config: {} }
  expect(await refusalBy(check, callOf({ params: schema }, { args }))).toMatchObject({
    code: 'PARAMS_INVALID',
    details: [{ pointer: '/$config' }],
  })
  expect(await refusalBy(check, callOf({ params: schema }, { args, principal: fromTool }))).toBeUndefined()
  expect(await refusalBy(checkOf(), callOf({ params: schema }, { args }))).toBeUndefined()
})
