// Where a server wants its users to log in: its answer 401, its metadata (RFC 9728) and that of the identity provider
// it names (RFC 8414). Both must be about whom we asked.
import {
  type AuthorizationServerMetadata,
  assertSecureTokenEndpoint,
  checkResourceAllowed,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client'
import type { LoginTarget } from '../../runtimes/server-logins.ts'
import { isLoopback } from '../../sandbox/addresses.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import { unsafeAddress } from './login-errors.ts'
import type { ProviderFetch } from './provider-fetch.ts'

export interface FoundProvider {
  readonly metadata: AuthorizationServerMetadata
  /** What tokens are asked for, as the server writes it (RFC 8707). */
  readonly resource: string | undefined
  readonly scope: string | undefined
}

/** `needs`: scopes that the server asked for before. */
export async function findProvider(
  target: LoginTarget,
  fetch: ProviderFetch,
  needs?: string,
): Promise<FoundProvider> {
  const { name, url, auth } = target
  const challenge = await challengeOf(url, fetch)
  const described = await describedResource(url, challenge.resourceMetadataUrl, fetch)
  if (described && !isSameServer(url, described.resource))
    throw new ToolError(
      'UPSTREAM_FAILED',
      `The server "${name}" wants tokens for ${described.resource}, which is another server; nothing was sent.`,
      { hint: 'A token for another server must not be given to this one. Check its url.' },
    )
  const issuer = described?.authorization_servers?.[0] ?? new URL('/', url).href
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch })
  if (!metadata)
    throw new ToolError('UPSTREAM_FAILED', `The server "${name}" does not say where to log in.`, {
      hint: `${new URL(issuer).origin} has no OAuth metadata. If the server takes a fixed token: auth: { type: bearer, secret: NAME }.`,
    })
  assertSecureTokenEndpoint(metadata.token_endpoint)
  refuseUnsafePage(name, metadata.authorization_endpoint)
  const asked = auth?.scopes?.join(' ') ?? challenge.scope ?? described?.scopes_supported?.join(' ')
  const mayStay = metadata.scopes_supported?.includes('offline_access') && auth?.type !== 'client-credentials'
  const scope = computeScopeUnion(asked, needs, mayStay ? 'offline_access' : undefined)
  return { metadata, resource: described?.resource, scope }
}

/** The provider of an API, of which its document says the addresses and nothing else. */
export function givenProvider({ name, client }: LoginTarget): FoundProvider {
  const { tokenUrl, authorizationUrl = tokenUrl, scopes } = client!
  assertSecureTokenEndpoint(tokenUrl)
  refuseUnsafePage(name, authorizationUrl)
  const metadata = {
    issuer: new URL(tokenUrl).origin,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    response_types_supported: ['code'],
  }
  return { metadata, resource: undefined, scope: scopes?.join(' ') || undefined }
}

/** What the server says to a request without a token. */
async function challengeOf(url: string, fetch: ProviderFetch) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {}
}

/** Undefined where the server has no such document. */
async function describedResource(
  url: string,
  resourceMetadataUrl: URL | undefined,
  fetch: ProviderFetch,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  try {
    return await discoverOAuthProtectedResourceMetadata(url, { resourceMetadataUrl }, fetch)
  } catch (error) {
    const isAbsent = !isToolError(error) && /does not implement/.test((error as Error).message)
    if (isAbsent) return undefined
    throw error
  }
}

function isSameServer(url: string, resource: string): boolean {
  return checkResourceAllowed({
    requestedResource: resourceUrlFromServerUrl(url),
    configuredResource: resource,
  })
}

/** The page a person is sent to. */
function refuseUnsafePage(name: string, address: string): void {
  const { protocol, hostname } = new URL(address)
  const isHere = isLoopback(hostname.replace(/^\[|\]$/g, ''))
  if (protocol === 'https:' || (protocol === 'http:' && isHere)) return
  throw unsafeAddress(name, `its identity provider has its page at a ${protocol} address`)
}
