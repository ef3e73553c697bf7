// Routes that only the web console needs, under /api/console; the token is checked before they are reached.
import { Hono } from 'hono'
import { version } from '../../config/version.ts'
import type { Crib } from '../../crib/crib.ts'
import { jsonResponse } from './call-route.ts'
import { consoleEvents } from './console-events.ts'
import { catalogRows, expectedFence } from './console-rows.ts'
import { toolToShow } from './find-tool.ts'
import { needAdmin } from './need-admin.ts'
import { type HttpEnv, maySee } from './principals.ts'
import { toolOnion } from './tool-onion.ts'
import { toolSource } from './tool-source.ts'

export function consoleRoutes(crib: Crib): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>()

  routes.get('/info', ({ var: { principal } }) =>
    jsonResponse(
      JSON.stringify({
        version: version(),
        name: principal.name,
        isAdmin: principal.isAdmin,
        trust: crib.config.trust,
        sandbox: crib.config.sandbox.mode,
        recordsParams: crib.config.audit.params === 'full',
        ...(principal.isAdmin ? { root: crib.root, layers: crib.fence.layers() } : {}),
      }),
    ),
  )

  routes.get('/catalog', (context) => {
    const { principal } = context.var
    const etag = `"${crib.catalog.version}-${principal.name}"`
    if (context.req.header('if-none-match') === etag) return new Response(null, { status: 304 })
    const response = jsonResponse(JSON.stringify(catalogRows(crib, principal)))
    response.headers.set('etag', etag)
    response.headers.set('cache-control', 'no-cache')
    return response
  })

  routes.get('/events', ({ var: { principal } }) => consoleEvents(crib, principal))

  routes.get('/onion/:id{.+}', async (context) => {
    const tool = await toolToShow(crib, context.req.param('id'), context.var.principal)
    return jsonResponse(JSON.stringify({ layers: toolOnion(crib, tool), fence: expectedFence(crib)(tool) }))
  })

  routes.get('/source/:id{.+}', async (context) => {
    const { principal } = context.var
    const tool = await toolToShow(crib, context.req.param('id'), principal)
    needAdmin(principal, 'read source files')
    return jsonResponse(JSON.stringify({ files: await toolSource(crib, tool) }))
  })

  /** Which tools name which secret: `{ NAME: [tool…] }`. */
  routes.get('/secret-use', ({ var: { principal } }) => {
    const use = new Map<string, string[]>()
    for (const tool of crib.catalog.tools)
      if (tool.state !== 'shadowed' && maySee(principal, tool, crib))
        for (const name of tool.secrets ?? []) use.set(name, [...(use.get(name) ?? []), tool.id])
    return jsonResponse(JSON.stringify(Object.fromEntries(use)))
  })

  return routes
}
