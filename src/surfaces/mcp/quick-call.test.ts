import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { openCrib } from '../../crib/open-crib.ts'
import { operator } from '../http/principals.ts'
import { ClientCatalog } from './client-catalog.ts'
import { quickText } from './quick-call.ts'

const fault = () => {
  throw new Error('not to be read')
}

it.each([
  ['a member that throws', () => Object.defineProperty({}, 'content', { enumerable: true, get: fault })],
  ['a toJSON that throws', () => ({ toJSON: fault })],
  ['a toJSON that throws the second time', () => ({ toJSON: changing() })],
  ['a proxy that throws', () => new Proxy({}, { ownKeys: fault })],
])('answers a result with %s as a failure', async (_, fn) => {
  const root = tempFolder()
  const crib = await openCrib({ root, env: { HOME: root }, cache: false })
  onTestFinished(() => crib.close())
  const tool = crib.addTool({ id: 'odd', fn })
  const text = quickText(new ClientCatalog(crib, operator), tool, await crib.call(tool, {}))
  expect(JSON.parse(text)).toMatchObject({
    isError: true,
    structuredContent: {
      error: { code: 'RESULT_INVALID', message: expect.stringContaining('not to be read') },
    },
  })
})

function changing(): () => string {
  let looks = 0
  return () => (looks++ === 0 ? 'text' : fault())
}
