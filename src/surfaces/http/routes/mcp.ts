// /mcp: MCP Streamable HTTP; GET and DELETE are for clients of the older era.
import { t } from '../../../tool/shape.ts'
import { anyToken } from '../access.ts'
import { json, type Method, ownBody, type Route, route } from '../route.ts'

const message = t.any({ description: 'JSON-RPC' })

export const mcpRoutes: readonly Route[] = [
  mcp('mcp', 'post', 'MCP Streamable HTTP'),
  mcp('mcpStream', 'get', 'Messages of the server, for MCP clients before 2026'),
  mcp('mcpEnd', 'delete', 'Ends a session, for MCP clients before 2026'),
]

function mcp(id: string, method: Method, summary: string): Route {
  return route({
    id,
    method,
    path: '/mcp',
    summary,
    access: anyToken,
    body: method === 'post' ? ownBody(message) : undefined,
    answers: { 200: json('JSON-RPC, or a stream of it', message) },
    handle: ({ request, principal }, parts) => parts.mcp(request, principal),
  })
}
