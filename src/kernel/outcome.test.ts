import { expect, it } from 'vitest'
import { cribWithTool } from '../../test/helpers/crib-with-tool.ts'
import type { Call } from './call.ts'

it('a result from which secrets cannot be taken out is a failure, not a rejection', async () => {
  const fn = () => ({
    get value() {
      throw new Error('not to be read')
    },
  })
  const { crib, tool } = await cribWithTool({}, fn)
  const onPrepared = (call: Call) => {
    call.secrets = { KEY: 'long enough' }
  }
  expect(await crib.call(tool, {}, { onPrepared })).toMatchObject({
    ok: false,
    error: { code: 'RESULT_INVALID', message: expect.stringContaining('not to be read') },
  })
})
