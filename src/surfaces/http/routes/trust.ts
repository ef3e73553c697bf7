// GET /api/keys, GET /api/drift, POST /api/drift/{toolId}/approve: who is trusted, and what is no longer what was
// approved.
import type { Hono } from 'hono'
import type { Crib } from '../../../crib/crib.ts'
import { isUnrestricted } from '../../../tool/principal.ts'
import { listKeys } from '../../../trust/keys.ts'
import { signingFolder } from '../../../trust/signing-key.ts'
import { approvalOf, approveTool, driftOfCrib } from '../../trust/lock-crib.ts'
import { needAdmin } from '../need-admin.ts'
import { type HttpEnv, maySee } from '../principals.ts'

export function mountTrust(app: Hono<HttpEnv>, crib: Crib): void {
  /** `{ keys: KeyEntry[] }`; only public halves are ever shown. */
  app.get('/api/keys', (context) =>
    context.json({ keys: listKeys(crib.trust, signingFolder(crib.spaces.userAi, crib.env)) }),
  )

  /** `LockReport` of src/trust/lock/lock.ts, without what the token may not see. */
  app.get('/api/drift', async (context) => {
    const { principal } = context.var
    const report = await driftOfCrib(crib)
    if (isUnrestricted(principal)) return context.json(report)
    const seen = new Set(
      crib.catalog.tools.filter((tool) => maySee(principal, tool, crib)).map((tool) => tool.id),
    )
    return context.json({
      ...report,
      drifted: report.drifted.filter((entry) => seen.has(entry.tool)),
      unpinned: report.unpinned.filter((key) => seen.has(key.slice(key.indexOf(':') + 1))),
      gone: [],
    })
  })

  /** `{ ok, tool, drifted }` with what was accepted; 404 for an unknown tool, 409 when it does not differ. */
  app.post('/api/drift/:toolId{.+}/approve', async (context) => {
    needAdmin(context.var.principal, 'approve tools')
    const { tool, offer } = await approvalOf(crib, decodeURIComponent(context.req.param('toolId')))
    return context.json({ ok: true, tool: tool.id, drifted: approveTool(crib, tool, offer) })
  })
}
