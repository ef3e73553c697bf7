// What answers requests, as a listener of Node's HTTP server. Loaded apart: the routes, the libraries of HTTP and MCP and
// Node's own fetch are most of what a server loads, and no request is there before the server is ready.
import { getRequestListener } from '@hono/node-server'
import { type QuickHttpParts, quickHttp } from '../mcp/quick-http.ts'
import { type AppParts, makeApp } from './app.ts'
import { openApiDocument } from './open-api.ts'

export type AppListener = ReturnType<typeof quickHttp>

export function appListener(parts: Omit<AppParts, 'openApi'> & QuickHttpParts): AppListener {
  const app = makeApp({ ...parts, openApi: openApiDocument })
  return quickHttp(parts, getRequestListener(app.fetch))
}
