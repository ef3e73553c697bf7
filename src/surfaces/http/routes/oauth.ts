// OAuth 2.1 protected-resource metadata (RFC 9728): where a client gets a token for this server. There only
// when an issuer is configured, and open to everybody, because a client asks before it has a token.
import type { Hono } from 'hono'
import { issuedScopes } from '../issued-tokens.ts'
import type { HttpEnv } from '../principals.ts'

const wellKnown = '/.well-known/oauth-protected-resource'

export interface OAuthParts {
  readonly issuer: string | null
  /** Address the server goes by, as the request or the configuration says. */
  baseUrl(request: Request): string
}

export function mountOAuth(app: Hono<HttpEnv>, { issuer, baseUrl }: OAuthParts): void {
  if (issuer === null) return
  for (const path of ['', '/mcp', '/api'])
    app.get(`${wellKnown}${path}`, (context) =>
      context.json({
        resource: `${baseUrl(context.req.raw)}${path}`,
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: [...issuedScopes],
        resource_name: 'Toolcrib',
      }),
    )
}

/** What a refused request is told: the metadata where there is some, and why. */
export function challenge(parts: OAuthParts, request: Request, wasGiven: boolean): string {
  const facts = [
    ...(wasGiven ? ['error="invalid_token"'] : []),
    ...(parts.issuer === null
      ? []
      : [
          `resource_metadata="${parts.baseUrl(request)}${wellKnown}${new URL(request.url).pathname === '/mcp' ? '/mcp' : ''}"`,
        ]),
  ]
  return facts.length > 0 ? `Bearer ${facts.join(', ')}` : 'Bearer'
}
