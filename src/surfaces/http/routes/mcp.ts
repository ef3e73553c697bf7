// /mcp: MCP Streamable HTTP; GET and DELETE are for clients of the older era. /mcp/<offer> serves one selection of tools.
import { boundToOffer } from '../../../guards/offer-selection.ts'
import { t } from '../../../tool/shape.ts'
import { anyToken } from '../access.ts'
import { json, type Method, ownBody, type Route, route } from '../route.ts'

const message = t.any({ description: 'JSON-RPC' })

export const mcpRoutes: readonly Route[] = [
  mcp('mcp', 'post', 'MCP Streamable HTTP'),
  mcp('mcpStream', 'get', 'Messages of the server, for MCP clients before 2026'),
  mcp('mcpEnd', 'delete', 'Ends a session, for MCP clients before 2026'),
  offer('mcpOffer', 'post', 'MCP Streamable HTTP, with the tools of one offer'),
  offer('mcpOfferStream', 'get', 'Messages of the server, for MCP clients before 2026'),
  offer('mcpOfferEnd', 'delete', 'Ends a session, for MCP clients before 2026'),
]

function mcp(id: string, method: Method, summary: string): Route {
  return route({
    ...common(method),
    id,
    path: '/mcp',
    summary,
    handle: ({ request, principal }, parts) => parts.mcp(request, principal),
  })
}

function offer(id: string, method: Method, summary: string): Route {
  return route({
    ...common(method),
    id,
    path: '/mcp/:offer',
    summary,
    params: { offer: 'Name of an offer of toolcrib.yaml.' },
    handle: ({ request, principal, params }, parts) =>
      parts.mcp(request, boundToOffer(principal, params['offer']!, parts.crib.config)),
  })
}

function common(method: Method) {
  return {
    method,
    access: anyToken,
    body: method === 'post' ? ownBody(message) : undefined,
    answers: { 200: json('JSON-RPC, or a stream of it', message) },
  }
}
