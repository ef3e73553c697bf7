// What the console shows of automation: who reacts and how far it is, and the chain a breadcrumb belongs to.
import { automationOf } from '../../../automation/automation.ts'
import { automationShape, causationGraphShape } from '../../../automation/automation-shapes.ts'
import { causationGraph } from '../../../automation/causation-graph.ts'
import { admin, anyToken } from '../access.ts'
import { readerFor } from '../crumb-access.ts'
import { json, type Route, route } from '../route.ts'
import { maySeeRun } from './runs.ts'

export const automationRoutes: readonly Route[] = [
  route({
    id: 'automation',
    method: 'get',
    path: '/api/automation',
    summary: 'What started, what is scheduled, who listens',
    access: admin('see automation'),
    answers: { 200: json('Automation', automationShape) },
    handle: async (_, { crib }) => automationOf(await crib.crumbs.open(), Date.now()),
  }),
  route({
    id: 'causation',
    method: 'get',
    path: '/api/crumbs/:id/causation',
    summary: 'What set off a breadcrumb and what came of it',
    access: anyToken,
    params: { id: 'Id of the breadcrumb.' },
    answers: { 200: json('The chain', causationGraphShape) },
    async handle({ params, principal }, { crib }) {
      await crib.crumbs.runs.flush()
      return causationGraph(params.id, principal, {
        store: await crib.crumbs.store(),
        tools: () => crib.catalog.tools,
        mayRead: readerFor(principal, crib),
        maySeeRun: (run) => maySeeRun(principal, run),
      })
    },
  }),
]
