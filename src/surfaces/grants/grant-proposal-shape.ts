// The shape of a proposal that comes from denials, for the command line, the HTTP interface and the console.
import { named, t } from '../../tool/shape.ts'

export const grantProposalShape = named(
  'GrantProposal',
  t.object({
    n: t.integer({ description: 'Its number in the list; `accept` takes it.' }),
    tool: t.text(),
    grants: t.list(t.text(), { description: 'What would be granted.' }),
    count: t.integer({ description: 'How often it was denied.' }),
    lastAt: t.time({ description: 'When it was denied last.' }),
    change: t.list(t.text(), { description: 'Lines of toolcrib.yaml that go (`- `) and come (`+ `).' }),
    refused: t.list(t.object({ what: t.text(), why: t.text() }), {
      description: 'What was denied and is not proposed.',
    }),
  }),
)
