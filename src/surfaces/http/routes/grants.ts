// /api/grants: what was denied to tools, as proposals (L8). Accepting one writes toolcrib.yaml, so only under `serve --edit`.
import { t } from '../../../tool/shape.ts'
import { grantProposalShape } from '../../grants/grant-proposal-shape.ts'
import { acceptProposal, grantProposals } from '../../grants/grant-proposals.ts'
import { admin } from '../access.ts'
import { json, type Route, route } from '../route.ts'

const grantsShape = t.object({
  proposals: t.list(grantProposalShape),
  given: t.list(
    t.object({ tools: t.text({ description: 'A pattern; `*` is the default.' }), names: t.list(t.text()) }),
  ),
  approve: t.list(t.text(), { description: 'Patterns of tools that ask a person first.' }),
})

export const grantRoutes: readonly Route[] = [
  route({
    id: 'listGrantProposals',
    method: 'get',
    path: '/api/grants',
    summary:
      'What tools are given, and what was denied to them with the change of toolcrib.yaml that would allow it',
    access: admin('see what was denied'),
    answers: { 200: json('Grants', grantsShape) },
    handle: async (_, { crib }) => ({
      proposals: await grantProposals(crib),
      given: [
        { tools: '*', names: crib.config.grants.default },
        ...Object.entries(crib.config.grants.tools).map(([tools, names]) => ({ tools, names })),
      ],
      approve: crib.config.approve,
    }),
  }),
  route({
    id: 'acceptGrantProposal',
    method: 'post',
    path: '/api/grants/:n/accept',
    params: { n: 'Number of the proposal, or the id of its tool.' },
    summary: 'Writes a proposal to toolcrib.yaml; only under `serve --edit`',
    access: admin('grant rights'),
    answers: { 200: json('Written', grantProposalShape) },
    isServed: ({ canEdit }) => canEdit,
    handle: ({ params, principal }, { crib }) => acceptProposal(crib, params.n, principal),
  }),
]
