import { expect, it } from 'vitest'
import { callOf, cribWith, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import type { Traits } from '../../formats/format.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { config } from './config.ts'

async function checkOf(finishParams?: Traits['finishParams']) {
  const { config: settings, spaces } = await cribWith()
  const traits = () => ({ fillDefaults: true, finishParams })
  return config({ config: settings, spaces, traits, verifyFile: () => {} })
}

it('leaves the params alone where the format adds nothing', async () => {
  const call = callOf({}, { args: { n: 1 } })
  expect(await refusalBy(await checkOf(), call)).toBeUndefined()
  expect(call.params).toBe(call.args)
})

it('gives the runtime what the format makes of validated params, and the caller’s stay', async () => {
  const call = callOf({}, { args: { n: 1 } })
  const check = await checkOf(async (tool, params) => ({ ...(params as object), by: tool.id }))
  expect(await refusalBy(check, call)).toBeUndefined()
  expect(call.params).toEqual({ n: 1, by: 't' })
  expect(call.args).toEqual({ n: 1 })
})

it('refuses with what the format throws', async () => {
  const check = await checkOf(() => {
    throw new ToolError('TRUST_TAMPERED', 'its settings were changed')
  })
  expect(await refusalBy(check, callOf())).toMatchObject({
    code: 'TRUST_TAMPERED',
    message: 'its settings were changed',
  })
})

it('means nothing where the params were refused', async () => {
  expect((await checkOf()).needs).toEqual(['params'])
})
