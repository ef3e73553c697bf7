// /api/grants: what was denied to tools, as proposals (L8). Accepting one writes toolcrib.yaml, so only under `serve --edit`.
import { t } from '../../../tool/shape.ts'
import { grantProposalShape } from '../../grants/grant-proposal-shape.ts'
import { acceptProposal, grantProposals } from '../../grants/grant-proposals.ts'
import { admin } from '../access.ts'
import { json, type Route, route } from '../route.ts'

export const grantRoutes: readonly Route[] = [
  route({
    id: 'listGrantProposals',
    method: 'get',
    path: '/api/grants',
    summary: 'What was denied to tools, with the change of toolcrib.yaml that would allow it',
    access: admin('see what was denied'),
    answers: { 200: json('Proposals', t.object({ proposals: t.list(grantProposalShape) })) },
    handle: async (_, { crib }) => ({ proposals: await grantProposals(crib) }),
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
