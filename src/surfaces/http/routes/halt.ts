// /api/halt and /api/resume: the emergency stop of the crib (G25).
import { haltStateShape } from '../../../tool/halt-state.ts'
import { admin } from '../access.ts'
import { json, type Route, route } from '../route.ts'

const access = admin('halt the crib')
const answers = { 200: json('How it stands', haltStateShape) }

export const haltRoutes: readonly Route[] = [
  route({
    id: 'haltState',
    method: 'get',
    path: '/api/halt',
    summary: 'Whether the crib is halted',
    access,
    answers,
    handle: (_, { crib }) => crib.halt.look(),
  }),
  route({
    id: 'halt',
    method: 'post',
    path: '/api/halt',
    summary: 'Stops every call, worker, schedule and subscription, on all nodes',
    access,
    answers,
    async handle({ principal }, { crib }) {
      const { isShared: _, ...state } = await crib.halt.set(principal.name)
      return state
    },
  }),
  route({
    id: 'resume',
    method: 'post',
    path: '/api/resume',
    summary: 'Lets a halted crib go on',
    access,
    answers,
    async handle(_, { crib }) {
      await crib.halt.lift()
      return crib.halt.look()
    },
  }),
]
