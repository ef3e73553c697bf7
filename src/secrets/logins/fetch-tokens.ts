// Tokens from an identity provider: for a code, for a refresh token, or for the client's own password. What comes is
// checked before anything is kept.
import {
  ClientCredentialsProvider,
  exchangeAuthorization,
  fetchToken,
  type OAuthTokens,
  refreshAuthorization,
} from '@modelcontextprotocol/client'
import { refuseForeignToken } from './check-token.ts'
import type { FoundProvider } from './find-provider.ts'
import type { KeptTokens, LoginRecord } from './login-records.ts'
import type { ProviderFetch } from './provider-fetch.ts'

export interface CodeAnswer {
  readonly code: string
  /** Who the callback says it is from (RFC 9207). */
  readonly iss: string | undefined
  readonly codeVerifier: string
  readonly redirectUri: string
}

export async function tokensForCode(
  record: LoginRecord,
  { code, iss, codeVerifier, redirectUri }: CodeAnswer,
  fetch: ProviderFetch,
): Promise<KeptTokens> {
  const { provider, client, resource } = record
  const tokens = await exchangeAuthorization(provider.issuer, {
    metadata: provider,
    clientInformation: client,
    authorizationCode: code,
    iss,
    codeVerifier,
    redirectUri,
    resource,
    fetchFn: fetch,
  })
  return checked(record, tokens)
}

export async function refreshedTokens(record: LoginRecord, fetch: ProviderFetch): Promise<KeptTokens> {
  const { provider, client, resource, tokens } = record
  const fresh = await refreshAuthorization(provider.issuer, {
    metadata: provider,
    clientInformation: client,
    refreshToken: tokens!.refresh!,
    resource,
    fetchFn: fetch,
  })
  return checked(record, fresh)
}

export async function tokensForClient(
  record: LoginRecord,
  { scope }: Pick<FoundProvider, 'scope'>,
  fetch: ProviderFetch,
): Promise<KeptTokens> {
  const { provider, client, resource } = record
  const own = new ClientCredentialsProvider({
    clientId: client.client_id,
    clientSecret: client.client_secret ?? '',
    expectedIssuer: provider.issuer,
  })
  const given = { metadata: provider, resource, scope, fetchFn: fetch }
  return checked(record, await fetchToken(own, provider.issuer, given))
}

function checked({ server, provider, resource, isGiven }: LoginRecord, tokens: OAuthTokens): KeptTokens {
  const issuer = isGiven ? undefined : provider.issuer
  refuseForeignToken(tokens.access_token, { name: server, issuer, resource })
  const lifetimeMs = tokens.expires_in === undefined ? undefined : Math.max(0, tokens.expires_in) * 1000
  return {
    access: tokens.access_token,
    refresh: tokens.refresh_token,
    lifetimeMs,
    endsAtMs: lifetimeMs === undefined ? undefined : Date.now() + lifetimeMs,
    scope: tokens.scope,
  }
}

const maxMarginMs = 30_000

/** True for tokens that have ended, or will before a call that begins now is answered. */
export function areEnding({ endsAtMs, lifetimeMs = 0 }: KeptTokens): boolean {
  return endsAtMs !== undefined && Date.now() >= endsAtMs - Math.min(maxMarginMs, lifetimeMs / 5)
}

export function haveEnded({ endsAtMs }: KeptTokens): boolean {
  return endsAtMs !== undefined && Date.now() >= endsAtMs
}
