// What the console shows of automation: who reacts and how far it is, and the chain a breadcrumb belongs to.
import type { Hono } from 'hono'
import { automationOf } from '../../../automation/automation.ts'
import { causationGraph } from '../../../automation/causation-graph.ts'
import type { Crib } from '../../../crib/crib.ts'
import { readableSchemas } from '../crumb-access.ts'
import { needAdmin } from '../need-admin.ts'
import type { HttpEnv } from '../principals.ts'
import { maySeeRun } from './runs.ts'

export function mountAutomation(app: Hono<HttpEnv>, crib: Crib): void {
  /** `Automation` of src/automation/automation.ts. */
  app.get('/api/automation', async (context) => {
    needAdmin(context.var.principal, 'see automation')
    return context.json(await automationOf(await crib.crumbs.open(), Date.now()))
  })

  /** `CausationGraph` of src/events/causation-graph.ts: what set off the crumb, and all that came of it. */
  app.get('/api/crumbs/:id/causation', async (context) => {
    const { principal } = context.var
    await crib.crumbs.runs.flush()
    const graph = await causationGraph(context.req.param('id'), principal, {
      store: await crib.crumbs.store(),
      tools: () => crib.catalog.tools,
      readable: readableSchemas(principal),
      maySeeRun: (run) => maySeeRun(principal, run),
    })
    return context.json(graph)
  })
}
