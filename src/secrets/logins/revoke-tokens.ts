// Takes tokens back at the identity provider (RFC 7009), as far as it can do that.
import {
  assertSecureTokenEndpoint,
  type OAuthMetadata,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client'
import type { LoginRecord } from './login-records.ts'
import type { ProviderFetch } from './provider-fetch.ts'

/** False where the provider does not say that they are taken back. */
export async function revokeTokens(record: LoginRecord, fetch: ProviderFetch): Promise<boolean> {
  const { tokens } = record
  const { revocation_endpoint: address }: Partial<OAuthMetadata> = record.provider
  if (!tokens) return true
  if (address === undefined) return false
  const endpoint = assertSecureTokenEndpoint(address)
  const revoke = async (token: string | undefined, hint: string): Promise<boolean> => {
    if (token === undefined) return true
    const form = new URLSearchParams({ token, token_type_hint: hint })
    const headers = identify(record, form)
    return (await fetch(endpoint, { method: 'POST', headers, body: form })).ok
  }
  try {
    const isRefreshGone = await revoke(tokens.refresh, 'refresh_token')
    // One that servers read by themselves cannot be taken back; it ends soon, and nothing renews it any more.
    const isAccessGone = await revoke(tokens.access, 'access_token')
    return tokens.refresh === undefined ? isAccessGone : isRefreshGone
  } catch {
    return false
  }
}

/** Says who we are as the provider wants it, in the form or in a header. */
function identify({ provider, client }: LoginRecord, form: URLSearchParams): Record<string, string> {
  const metadata: Partial<OAuthMetadata> = provider
  const methods =
    metadata.revocation_endpoint_auth_methods_supported ??
    metadata.token_endpoint_auth_methods_supported ??
    []
  const { client_id: id, client_secret: password } = client
  if (selectClientAuthMethod(client, methods) === 'client_secret_basic')
    return { authorization: `Basic ${Buffer.from(`${id}:${password ?? ''}`).toString('base64')}` }
  form.set('client_id', id)
  if (password !== undefined) form.set('client_secret', password)
  return {}
}
