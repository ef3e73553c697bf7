// Who we are at an identity provider: the client id of the entry, our metadata document, the client of the last log-in,
// or one that is registered now (RFC 7591).
import {
  type AuthorizationServerMetadata,
  type OAuthClientInformationMixed,
  registerClient,
} from '@modelcontextprotocol/client'
import { version } from '../../config/version.ts'
import type { LoginTarget } from '../../runtimes/server-logins.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { ProviderFetch } from './provider-fetch.ts'

/** A client with where it lets people be sent back to, when it was registered for that. */
export type ClientIdentity = OAuthClientInformationMixed & { readonly redirectUri?: string | undefined }

export interface Identifying {
  readonly target: LoginTarget
  readonly metadata: AuthorizationServerMetadata
  readonly redirectUri: string
  /** The client of the last log-in at the same provider. */
  readonly kept: ClientIdentity | undefined
  /** The password of the client that the entry names. */
  readonly password: string | undefined
  /** Address of the document that describes us, where there is one. */
  readonly document: string | null
  readonly fetch: ProviderFetch
}

export async function identifyClient(given: Identifying): Promise<ClientIdentity> {
  const { target, metadata, redirectUri, kept, password, document, fetch } = given
  const { clientId } = target.auth ?? {}
  if (clientId !== undefined) return { client_id: clientId, client_secret: password }
  if (document !== null && metadata.client_id_metadata_document_supported === true)
    return { client_id: document }
  if (kept?.redirectUri === redirectUri) return kept
  if (metadata.registration_endpoint === undefined) throw noClient(target.name, metadata.issuer, redirectUri)
  const client = await registerClient(metadata.issuer, {
    metadata,
    clientMetadata: {
      client_name: 'Toolcrib',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: redirectUri.startsWith('http:') ? 'native' : 'web',
      software_id: 'toolcrib',
      software_version: version(),
    },
    fetchFn: fetch,
  })
  return { ...client, redirectUri }
}

function noClient(name: string, issuer: string, redirectUri: string): ToolError {
  return new ToolError('UPSTREAM_FAILED', `${issuer} does not register clients by itself.`, {
    hint: `Register one there that may send people back to ${redirectUri}, and give its id in the entry: auth: { clientId: … }. \`toolcrib login ${name} --port <n>\` keeps that address.`,
    details: { server: name, redirectUri },
  })
}
