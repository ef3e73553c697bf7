// GET /api/keys, GET /api/drift, POST /api/drift/{toolId}/approve: who is trusted, and what is no longer what was
// approved.

import { isUnrestricted } from '../../../tool/principal.ts'
import { named, t } from '../../../tool/shape.ts'
import { listKeys } from '../../../trust/keys.ts'
import { signingFolder } from '../../../trust/signing-key.ts'
import { driftShape, keyShape, lockReportShape } from '../../../trust/trust-shapes.ts'
import { approvalOf, driftOfCrib } from '../../trust/lock-crib.ts'
import { admin, anyToken } from '../access.ts'
import { maySee } from '../principals.ts'
import { checkedBody, json, type Route, route } from '../route.ts'
import { toolId } from './tools.ts'

const acceptBody = named(
  'Acceptance',
  t.closed({
    digest: t.optional(
      t.text({ description: 'Of what was looked at, from the review: nothing else is accepted then.' }),
    ),
  }),
)

export const trustRoutes: readonly Route[] = [
  route({
    id: 'listKeys',
    method: 'get',
    path: '/api/keys',
    summary: 'Every key, those that do not count included',
    description: 'Every key, those that do not count included; only the public halves.',
    access: anyToken,
    answers: { 200: json('Keys', t.object({ keys: t.list(keyShape) })) },
    handle: (_, { crib }) => ({ keys: listKeys(crib.trust, signingFolder(crib.spaces.userAi, crib.env)) }),
  }),
  route({
    id: 'showDrift',
    method: 'get',
    path: '/api/drift',
    summary: 'What differs from the lock file',
    access: anyToken,
    answers: { 200: json('The state of the lock', lockReportShape) },
    async handle({ principal }, { crib }) {
      const report = await driftOfCrib(crib)
      if (isUnrestricted(principal)) return report
      const seen = new Set(
        crib.catalog.tools.filter((tool) => maySee(principal, tool, crib)).map((tool) => tool.id),
      )
      return {
        ...report,
        drifted: report.drifted.filter((entry) => seen.has(entry.tool)),
        unpinned: report.unpinned.filter((key) => seen.has(key.slice(key.indexOf(':') + 1))),
        gone: [],
      }
    },
  }),
  route({
    id: 'approveDrift',
    method: 'post',
    path: '/api/drift/:toolId{.+}/approve',
    summary: 'Accepts a tool as it is now; needs an admin token',
    description:
      'Accepts a tool as it is now; 404 for an unknown tool, 409 when it does not differ, or no longer as it was seen.',
    access: admin('approve tools'),
    params: { toolId },
    body: checkedBody(acceptBody, false),
    answers: {
      200: json(
        'What was accepted',
        t.object({ ok: t.only(true), tool: t.text(), drifted: t.list(driftShape) }),
      ),
    },
    async handle({ params, body }, { crib }) {
      const { digest } = await body()
      const { what, accept } = await approvalOf(crib, decodeURIComponent(params.toolId), digest)
      return { ok: true, tool: what, drifted: await accept() }
    },
  }),
]
