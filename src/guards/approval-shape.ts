// The shape of a call that waits for a person.
import { named, t } from '../tool/shape.ts'

export const approvalShape = named(
  'Approval',
  t.object({
    id: t.text(),
    runId: t.text(),
    tool: t.text(),
    params: t.any(),
    caller: t.text(),
    digest: t.text({ description: 'Of tool, arguments and caller: what a decision is about.' }),
    requestedAt: t.text({ description: 'RFC 3339.' }),
    expiresAt: t.text({ description: 'RFC 3339.' }),
  }),
)
