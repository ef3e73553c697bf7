// Whether a token is from whom it should be and for whom it should be. Tokens need not be readable to us; one that is,
// must not speak of another issuer or another server.
import { checkResourceAllowed } from '@modelcontextprotocol/client'
import { decodeJwt, type JWTPayload } from 'jose'
import { ToolError } from '../../tool/tool-error.ts'

export function refuseForeignToken(
  token: string,
  {
    name,
    issuer,
    resource,
  }: { readonly name: string; readonly issuer: string | undefined; readonly resource?: string | undefined },
): void {
  const { iss, aud } = claimsOf(token) ?? {}
  const isNamed = issuer !== undefined && typeof iss === 'string'
  if (isNamed && withoutSlash(iss) !== withoutSlash(issuer)) throw foreign(name, 'from another issuer')
  if (resource === undefined) return
  const audiences = [aud ?? []]
    .flat()
    .filter((audience) => /^https?:\/\//.test(audience) && URL.canParse(audience))
  const isOurs = (audience: string) =>
    checkResourceAllowed({ requestedResource: resource, configuredResource: audience })
  if (audiences.length > 0 && !audiences.some(isOurs)) throw foreign(name, 'for another server')
}

function claimsOf(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token)
  } catch {
    return undefined
  }
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '')
}

function foreign(name: string, what: string): ToolError {
  return new ToolError('UPSTREAM_FAILED', `The log-in to "${name}" was given up: its token is ${what}.`, {
    hint: 'The identity provider has to give out tokens for the server that was asked for (RFC 8707).',
    details: { server: name },
  })
}
