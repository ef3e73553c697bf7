import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { openCrib } from '../crib/open-crib.ts'
import { toolDocument } from '../formats/tool-code/fixture.ts'
import { describeTool } from './describe-tool.ts'

async function rightsOf(context: Record<string, unknown>, config: Record<string, unknown>) {
  const root = tempFolder({ 'crumbs/adder.json': JSON.stringify(toolDocument(context)) })
  const crib = await openCrib({ root, cache: false, env: { HOME: root }, config })
  onTestFinished(() => crib.close())
  return (await describeTool(crib, crib.find('adder'))).rights?.map(
    ({ right, what, from }) => `${right} ${what}, ${from}`,
  )
}

it('says of every right of a tool-code tool whether it was declared or added by the operator', async () => {
  verifies('C25')
  expect(
    await rightsOf(
      {
        permissions: {
          network: ['api.example.com'],
          breadcrumbs: { read: ['note.*'], write: [] },
          tools: ['helper'],
        },
        required_secrets: ['KEY'],
      },
      {
        grants: { tools: { adder: ['net.http'] } },
        tools: { adder: { network: ['127.0.0.1'], breadcrumbs: { write: ['note.v1'] }, secrets: ['OTHER'] } },
      },
    ),
  ).toEqual([
    'network api.example.com, declared',
    'breadcrumbs.read note.*, declared',
    'tools helper, declared',
    'secrets KEY, declared',
    'network 127.0.0.1, toolcrib.yaml',
    'breadcrumbs.write note.v1, toolcrib.yaml',
    'secrets OTHER, toolcrib.yaml',
  ])
})

it('leaves out a declared network that is not granted', async () => {
  verifies('C25')
  expect(await rightsOf({ permissions: { network: true } }, {})).toEqual([])
  const granted = { grants: { tools: { adder: ['net.http'] } } }
  expect(await rightsOf({ permissions: { network: true } }, granted)).toEqual(['network public, declared'])
})
