// /api/approvals: calls that wait for a person, and the decision.
import { approvalShape } from '../../../guards/approval-shape.ts'
import { named, t } from '../../../tool/shape.ts'
import { admin } from '../access.ts'
import { HttpProblem } from '../problem-json.ts'
import { checkedBody, json, type Route, route } from '../route.ts'

const decision = t.oneOf(['approve', 'deny'])

const decisionBody = named(
  'DecisionBody',
  t.closed({
    decision,
    reason: t.optional(t.text({ maxLength: 2000, description: 'Told to the caller.' })),
    forThread: t.optional(
      t.boolean({ description: 'Also later calls of this tool by this caller in the same thread.' }),
    ),
    digest: t.optional(
      t.text({ description: 'That of the question; a decision about another one is refused.' }),
    ),
  }),
)

export const approvalRoutes: readonly Route[] = [
  route({
    id: 'listApprovals',
    method: 'get',
    path: '/api/approvals',
    summary: 'Calls that wait for a person',
    access: admin('see approvals'),
    answers: { 200: json('Waiting calls', t.list(approvalShape)) },
    handle: (_, { crib }) => crib.approvals.pending,
  }),
  route({
    id: 'decideApproval',
    method: 'post',
    path: '/api/approvals/:id',
    summary: 'Approves or denies',
    access: admin('decide approvals'),
    params: { id: 'Id of the approval.' },
    body: checkedBody(decisionBody, true),
    answers: { 200: json('Decided', t.object({ ok: t.only(true), id: t.text(), decision })) },
    async handle({ params: { id }, principal, body: read }, { crib }) {
      const body = await read()
      if (!crib.approvals.decide(id, { ...body, by: principal.name }))
        throw new HttpProblem('APPROVAL_NOT_FOUND', `No call waits for approval under ${id}.`, {
          hint: 'It may have been decided, cancelled or timed out; see GET /api/approvals.',
        })
      return { ok: true, id, decision: body.decision }
    },
  }),
]
