// OAuth 2.1 protected-resource metadata (RFC 9728): where a client gets a token for this server. There only
// when an issuer is configured, and open to everybody, because a client asks before it has a token.
import { t } from '../../../tool/shape.ts'
import { anybody } from '../access.ts'
import { issuedScopes } from '../issued-tokens.ts'
import { json, type Route, route } from '../route.ts'

const wellKnown = '/.well-known/oauth-protected-resource'

export interface OAuthParts {
  readonly issuer: string | null
  /** Address the server goes by, as the request or the configuration says. */
  baseUrl(request: Request): string
}

const metadata = t.object({
  resource: t.text(),
  authorization_servers: t.list(t.text()),
  bearer_methods_supported: t.list(t.text()),
  scopes_supported: t.list(t.text()),
  resource_name: t.text(),
})

export const oauthRoutes: readonly Route[] = [
  metadataRoute('oauthMetadata', ''),
  metadataRoute('oauthMetadataOfMcp', '/mcp'),
  metadataRoute('oauthMetadataOfApi', '/api'),
]

function metadataRoute(id: string, path: string): Route {
  return route({
    id,
    method: 'get',
    path: `${wellKnown}${path}`,
    summary: 'Where a client gets a token, when `serve.issuer` is set',
    access: anybody,
    answers: { 200: json('Metadata of RFC 9728', metadata) },
    isServed: ({ oauth }) => oauth.issuer !== null,
    handle: ({ request }, { oauth: { issuer, baseUrl } }) => ({
      resource: `${baseUrl(request)}${path}`,
      authorization_servers: [issuer!],
      bearer_methods_supported: ['header'],
      scopes_supported: issuedScopes,
      resource_name: 'Toolcrib',
    }),
  })
}

/** What a refused request is told: the metadata where there is some, and why. */
export function challenge(parts: OAuthParts, request: Request, wasGiven: boolean): string {
  const path = new URL(request.url).pathname === '/mcp' ? '/mcp' : ''
  const facts = [
    wasGiven && 'error="invalid_token"',
    parts.issuer !== null && `resource_metadata="${parts.baseUrl(request)}${wellKnown}${path}"`,
  ].filter(Boolean)
  return facts.length > 0 ? `Bearer ${facts.join(', ')}` : 'Bearer'
}
