// Access tokens of an OAuth 2.1 issuer (`serve.issuer`): JWTs signed with one of its published keys, made for
// this server. What a token may do is in its scopes; a scope nobody knows gives nothing.
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { isLoopback } from '../../sandbox/addresses.ts'
import { makePrincipal, type Principal, powerless } from '../../tool/principal.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'

/**
 * Scopes: `tools` every tool, `tool:<pattern>` those of an allowed-tools pattern, `grant:<capability>` narrows
 * what calls may do to the grants listed, `admin` decides approvals and reads all runs.
 */
export const issuedScopes = ['tools', 'admin'] as const

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const discoverMs = 10_000

export class IssuedTokens {
  readonly issuer: string
  readonly #audiences: () => readonly string[]
  #keys: Promise<JWTVerifyGetKey> | undefined

  /** `audiences`: the addresses this server goes by; a token must be made for one of them. */
  constructor(issuer: string, audiences: () => readonly string[]) {
    checkIssuer(issuer)
    this.issuer = issuer
    this.#audiences = audiences
  }

  /** Who a token belongs to; undefined when it is none of the issuer's, expired or made for another server. */
  async identify(token: string): Promise<Principal | undefined> {
    if (token.split('.').length !== 3) return undefined
    const { jwtVerify } = await import('jose')
    const keys = await this.#keySet()
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: this.issuer,
        audience: [...this.#audiences()],
        algorithms,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: 30,
      })
      return principalOf(payload)
    } catch {
      return undefined
    }
  }

  /** A name of the issuer's. What its bearer may do stands in its token alone, so by name it may do nothing. */
  named(name: string): Principal | undefined {
    return name.endsWith(` (${new URL(this.issuer).host})`) ? powerless(name) : undefined
  }

  /** The issuer is asked for its keys by the first token; a failure is not remembered. */
  #keySet(): Promise<JWTVerifyGetKey> {
    this.#keys ??= this.#discover().catch((error) => {
      this.#keys = undefined
      throw new ToolError(
        'UPSTREAM_FAILED',
        `The issuer ${this.issuer} cannot be asked for its keys: ${messageOf(error)}.`,
        {
          hint: 'Check serve.issuer, and that it can be reached from here.',
          retryable: true,
        },
      )
    })
    return this.#keys
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet } = await import('jose')
    let failure: unknown
    for (const address of metadataAddresses(this.issuer)) {
      try {
        const answer = await fetch(address, { signal: AbortSignal.timeout(discoverMs), redirect: 'error' })
        if (!answer.ok) throw new Error(`${address} answered ${answer.status}`)
        const metadata = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown }
        if (metadata.issuer !== this.issuer) throw new Error(`${address} speaks for another issuer`)
        return createRemoteJWKSet(keyAddress(metadata.jwks_uri), { timeoutDuration: discoverMs })
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
}

function checkIssuer(issuer: string): void {
  let url: URL | undefined
  try {
    url = new URL(issuer)
  } catch {
    url = undefined
  }
  if (!url || !isSafe(url))
    throw new ToolError('CONFIG_INVALID', `serve.issuer is "${issuer}", which is no https address.`, {
      hint: 'Write the issuer as its tokens do, for example https://login.example.com.',
    })
}

function keyAddress(given: unknown): URL {
  const url = new URL(String(given))
  if (!isSafe(url)) throw new Error('its jwks_uri is no https address')
  return url
}

function isSafe(url: URL): boolean {
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
  )
}

/** RFC 8414 first, then OpenID Connect, with the path of the issuer in both places it may stand. */
function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ]
}

function principalOf(payload: JWTPayload): Principal {
  const scopes = typeof payload['scope'] === 'string' ? payload['scope'].split(' ').filter(Boolean) : []
  const after = (prefix: string) =>
    scopes.flatMap((scope) => (scope.startsWith(prefix) ? [scope.slice(prefix.length)] : []))
  const grants = after('grant:')
  return makePrincipal({
    surface: 'http',
    // Names of issued tokens cannot be taken for those of this crib's own.
    name: `${payload.sub} (${new URL(payload.iss!).host})`,
    isAdmin: scopes.includes('admin'),
    allowedTools: scopes.includes('tools') ? undefined : after('tool:').join(' '),
    grants: grants.length > 0 ? grants : undefined,
    expiresAt: new Date(payload.exp! * 1000).toISOString(),
    isToken: true,
  })
}
