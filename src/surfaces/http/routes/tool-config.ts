// GET and PUT /api/tools/{id}/config: the settings form of a tool and what was filled in.
import type { Hono } from 'hono'
import type { Crib } from '../../../crib/crib.ts'
import { parseIfMatch } from '../../../events/crumbs.ts'
import { isPlainObject } from '../../../tool/json.ts'
import { saveToolSettings, toolSettings } from '../../tool-settings.ts'
import { mustRead, mustWrite } from '../crumb-access.ts'
import { toolToShow } from '../find-tool.ts'
import type { HttpEnv } from '../principals.ts'
import { malformed } from '../query.ts'
import { readJson } from '../read-body.ts'

const configSchema = 'tool.config.v1'

export function mountToolConfig(app: Hono<HttpEnv>, crib: Crib): void {
  /** `ToolSettings` of src/surfaces/tool-settings.ts, with the version of what was saved as ETag. */
  app.get('/api/tools/:id{.+}/config', async (context) => {
    const { principal } = context.var
    const tool = await toolToShow(crib, context.req.param('id'), principal)
    mustRead(principal, tool.id, configSchema)
    const settings = await toolSettings(crib, tool, principal)
    return context.json(settings, 200, settings.version === null ? {} : { etag: `"${settings.version}"` })
  })

  /** Body `{ config }` → `{ ok, id, version }`; 422 with `errors: [{ pointer, message }]`, 412 by If-Match. */
  app.put('/api/tools/:id{.+}/config', async (context) => {
    const { principal } = context.var
    const tool = await toolToShow(crib, context.req.param('id'), principal)
    mustWrite(principal, configSchema)
    const ifMatch = parseIfMatch(context.req.header('if-match'))
    const body = await readJson(context.req.raw)
    if (!isPlainObject(body) || !('config' in body)) throw malformed('The body is {"config": {…}}.')
    const { id, version } = await saveToolSettings(crib, tool, body['config'], principal, ifMatch)
    return context.json({ ok: true, id, version }, 200, { etag: `"${version}"` })
  })
}
