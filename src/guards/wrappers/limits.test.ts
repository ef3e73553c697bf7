import { describe, expect, it } from 'vitest'
import { cribWithTool } from '../../../test/helpers/crib-with-tool.ts'
import { makePrincipal } from '../../tool/principal.ts'

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
