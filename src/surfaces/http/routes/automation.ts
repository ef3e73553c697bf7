// What the console shows of automation: who reacts and how far it is, and the chain a breadcrumb belongs to.
import { automationOf } from '../../../automation/automation.ts'
import { automationShape, causationGraphShape } from '../../../automation/automation-shapes.ts'
import { enableSchedule, fireNow } from '../../../automation/by-hand.ts'
import { causationGraph } from '../../../automation/causation-graph.ts'
import { t } from '../../../tool/shape.ts'
import { admin, anyToken } from '../access.ts'
import { readerFor } from '../crumb-access.ts'
import { json, type Route, route } from '../route.ts'
import { maySeeRun } from './runs.ts'

const schedule = { id: 'Id of the schedule.definition.v1 breadcrumb.' }
const enabledShape = t.object({ schedule: t.text(), enabled: t.boolean() })

export const automationRoutes: readonly Route[] = [
  route({
    id: 'runSchedule',
    method: 'post',
    path: '/api/schedules/:id/run',
    summary: 'Fires a schedule now, beside its times',
    access: admin('fire schedules'),
    params: schedule,
    answers: { 200: json('The tick', t.object({ schedule: t.text(), tick: t.text() })) },
    async handle({ params: { id }, principal }, { crib }) {
      const { crumbs } = await crib.crumbs.open()
      return { schedule: id, tick: (await fireNow(crumbs, id, principal)).id }
    },
  }),
  ...(['pause', 'resume'] as const).map((word) =>
    route({
      id: `${word}Schedule`,
      method: 'post',
      path: `/api/schedules/:id/${word}`,
      summary: word === 'pause' ? 'Switches a schedule off' : 'Switches a schedule on again',
      access: admin('switch schedules'),
      params: schedule,
      answers: { 200: json('How it is now', enabledShape) },
      async handle({ params: { id }, principal }, { crib }) {
        const enabled = word === 'resume'
        const { crumbs } = await crib.crumbs.open()
        await enableSchedule(crumbs, { id, enabled }, principal)
        return { schedule: id, enabled }
      },
    }),
  ),
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
