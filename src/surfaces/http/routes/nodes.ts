// The processes that serve this crib, for the console and for operators.
import type { Hono } from 'hono'
import type { Crib } from '../../../crib/crib.ts'
import { needAdmin } from '../need-admin.ts'
import type { HttpEnv } from '../principals.ts'

export function mountNodes(app: Hono<HttpEnv>, crib: Crib): void {
  /** `FleetReport` of src/fleet/fleet-report.ts. */
  app.get('/api/nodes', async (context) => {
    needAdmin(context.var.principal, 'see the nodes')
    return context.json(await crib.crumbs.fleet())
  })
}
