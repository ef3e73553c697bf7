// How an operation is logged in to: each security scheme is a secret named `<API>_<SCHEME>` (U11).
import type { ApiCredential } from '../../tool/plans/openapi-plan.ts'
import { type ApiDocument, isNode, type Located, type Node } from './document.ts'

export interface Security {
  readonly credentials: readonly ApiCredential[]
  /** Why the operation cannot be logged in to; absent: it can. */
  readonly unsupported?: string
}

/** `secretName('pet-store', 'api key')` → `PET_STORE_API_KEY` */
function secretName(api: string, scheme: string): string {
  return `${api}_${scheme}`.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}

/** Every scheme of the document by name. */
function schemesOf(document: ApiDocument): Map<string, Node> {
  const { root } = document
  const holder = [
    document.at(document.at(root, 'components'), 'securitySchemes'),
    document.at(root, 'securityDefinitions'),
  ].find(({ value }) => isNode(value))
  if (!holder) return new Map()
  return new Map(
    Object.keys(holder.value as Node).flatMap((name) => {
      const scheme = document.resolve(document.at(holder, name))?.value
      return isNode(scheme) ? [[name, scheme] as const] : []
    }),
  )
}

/**
 * What is sent with an operation. Of several ways the one that `auth` names counts, else the first; where the document
 * lets anybody in, nothing is sent unless `auth` names a way. `auth: none` sends nothing at all.
 */
export function securityOf(
  document: ApiDocument,
  operation: Located,
  { api, auth }: { readonly api: string; readonly auth?: string | undefined },
): Security {
  if (auth === 'none') return { credentials: [] }
  const given = document.at(operation, 'security').value ?? document.at(document.root, 'security').value
  const ways = Array.isArray(given) ? given.filter(isNode) : []
  const schemes = schemesOf(document)
  const named = auth === undefined ? undefined : ways.find((way) => Object.hasOwn(way, auth))
  const isOpen = ways.length === 0 || ways.some((way) => Object.keys(way).length === 0)
  const chosen = named ?? (isOpen ? undefined : (ways.find((way) => isSupported(way, schemes)) ?? ways[0]))
  const credentials: ApiCredential[] = []
  for (const [name, scopes] of Object.entries(chosen ?? {})) {
    const credential = credentialOf(secretName(api, name), schemes.get(name), scopes)
    if (typeof credential === 'string') return { credentials: [], unsupported: `${name}: ${credential}` }
    credentials.push(credential)
  }
  return { credentials }
}

function isSupported(way: Node, schemes: ReadonlyMap<string, Node>): boolean {
  return Object.keys(way).every((name) => typeof credentialOf('', schemes.get(name)) !== 'string')
}

/** A text says why there is none. */
function credentialOf(secret: string, scheme: Node | undefined, scopes?: unknown): ApiCredential | string {
  if (!scheme) return 'the document does not describe this scheme'
  const { type, name } = scheme
  const way = String(scheme['scheme'] ?? '').toLowerCase()
  if (type === 'basic' || (type === 'http' && way === 'basic')) return { secret, kind: 'basic' }
  if (type === 'http' && way === 'bearer') return { secret, kind: 'bearer' }
  if (type === 'openIdConnect') return { secret, kind: 'bearer' }
  if (type === 'oauth2') return { secret, kind: 'bearer', ...flowOf(scheme, scopes) }
  if (type === 'apiKey' && typeof name === 'string') {
    const place = scheme['in']
    if (place === 'header' || place === 'query' || place === 'cookie') return { secret, kind: place, name }
  }
  return `the scheme ${String(type)}${way ? ` ${way}` : ''} is not one this program can use`
}

/** Where a client gets its tokens, by itself or by a person: a flow of OpenAPI 3, or the only one of Swagger 2. */
function flowOf(
  scheme: Node,
  scopes: unknown,
): Pick<ApiCredential, 'tokenUrl' | 'authorizationUrl' | 'scopes'> {
  const flows = isNode(scheme['flows']) ? scheme['flows'] : {}
  const own = scheme['flow'] === 'application' ? scheme : flows['clientCredentials']
  const persons = scheme['flow'] === 'accessCode' ? scheme : flows['authorizationCode']
  const flow = isNode(own) ? own : isNode(persons) ? persons : {}
  const tokenUrl = addressIn(flow['tokenUrl'])
  const authorizationUrl = isNode(own) ? undefined : addressIn(flow['authorizationUrl'])
  const isWhole = tokenUrl !== undefined && (isNode(own) || authorizationUrl !== undefined)
  if (!isWhole) return {}
  const asked = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
  return {
    tokenUrl,
    ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
    ...(asked.length > 0 ? { scopes: asked } : {}),
  }
}

function addressIn(given: unknown): string | undefined {
  return typeof given === 'string' && /^https?:\/\//i.test(given) && URL.canParse(given) ? given : undefined
}
