// GET /api/nodes: the processes that serve this crib, for the console and for operators.
import { fleetReportShape } from '../../../fleet/fleet-shape.ts'
import { admin } from '../access.ts'
import { json, route } from '../route.ts'

export const nodesRoute = route({
  id: 'listNodes',
  method: 'get',
  path: '/api/nodes',
  summary: 'The processes that share the store, and the queue between them',
  access: admin('see the nodes'),
  answers: { 200: json('Nodes', fleetReportShape) },
  handle: (_, { crib }) => crib.crumbs.fleet(),
})
