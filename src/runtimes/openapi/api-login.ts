// The log-in to an API whose document names a token endpoint (U11). Its secret is `client id:password`; with nothing after
// the colon the client has no password. A secret of another shape is a token itself.

import type { Profile } from '../../sandbox/profile.ts'
import type { ApiCredential, OpenApiPlan } from '../../tool/plans/openapi-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { mayCarrySecrets } from '../http-exchange.ts'
import type { Attempt } from '../runtime.ts'
import type { LoginTarget } from '../server-logins.ts'

export interface ApiLogin extends Pick<Attempt, 'tool' | 'profile'> {
  readonly credential: ApiCredential
  /** The value of its secret. */
  readonly value: string | undefined
  /** What a person is asked for; default: what the credential says. */
  readonly scopes?: readonly string[]
}

/** Undefined where nobody logs in: it is no client's, or the secret is a token. */
export function apiLoginTarget({
  tool,
  profile,
  credential,
  value,
  scopes,
}: ApiLogin): LoginTarget | undefined {
  const { secret, tokenUrl, authorizationUrl } = credential
  const [, clientId, password] = /^([^:]+):(.*)$/s.exec(value ?? '') ?? []
  if (tokenUrl === undefined || clientId === undefined || password === undefined) return undefined
  const isPersons = authorizationUrl !== undefined
  if (!isPersons && password === '') return undefined
  const { api, server } = planOf(tool, 'openapi')!
  const url = new URL(tokenUrl)
  if (!mayCarrySecrets({ profile }, url, 'POST')) throw unnamedHost(tool, api, secret, url)
  const asked = scopes ?? credential.scopes
  return {
    name: api,
    url: server,
    auth: isPersons
      ? // One log-in for all operations, whatever scopes each of them names.
        { type: 'oauth', per: 'crib', clientId, secret }
      : { type: 'client-credentials', per: 'crib', clientId, secret, scopes: asked && [...asked] },
    client: { password, tokenUrl, authorizationUrl, scopes: asked },
    hosts: profile.network.mode === 'none' ? [] : profile.network.hosts,
  }
}

/** The credential by which a person logs in to an API, with an operation that has it and the scopes of all of them. */
function personsCredential(
  tools: readonly Tool[],
  api: string,
): Pick<ApiLogin, 'tool' | 'credential' | 'scopes'> | undefined {
  const found = tools.flatMap((tool) => {
    const plan = planOf(tool, 'openapi') as OpenApiPlan | undefined
    const own = plan?.api === api ? plan.credentials : []
    return own.flatMap((credential) => (credential.authorizationUrl ? [{ tool, credential }] : []))
  })
  const [first] = found
  if (!first) return undefined
  const same = found.filter(({ credential }) => credential.secret === first.credential.secret)
  return { ...first, scopes: [...new Set(same.flatMap(({ credential }) => credential.scopes ?? []))] }
}

interface ApiLoginParts {
  readonly tools: readonly Tool[]
  profileOf(tool: Tool): Promise<Profile>
  secret(name: string, reason: string): Promise<string | undefined>
}

/** Undefined where no API of this name has a page to log in at. */
export async function loginToApi(
  name: string,
  { tools, profileOf, secret }: ApiLoginParts,
): Promise<LoginTarget | undefined> {
  const found = personsCredential(tools, name)
  if (!found) return undefined
  const { secret: secretName } = found.credential
  const value = await secret(secretName, `for the log-in to ${name}`)
  const target = apiLoginTarget({ ...found, profile: await profileOf(found.tool), value })
  if (target) return target
  throw new ToolError(
    value === undefined ? 'SECRET_MISSING' : 'FORBIDDEN',
    value === undefined
      ? `The log-in to "${name}" needs a client: the secret ${secretName} is not there.`
      : `The secret ${secretName} is a token, so nobody has to log in to "${name}".`,
    {
      hint: `Store the client as \`id:password\`, or \`id:\` where it has no password: \`toolcrib secrets set ${secretName}\`.`,
      details: { missing: [secretName] },
    },
  )
}

function unnamedHost(tool: Tool, api: string, secret: string, { host }: URL): ToolError {
  return new ToolError(
    'CAPABILITY_DENIED',
    `${tool.id} would log in with ${secret} at ${host}, which no grant names; nothing was sent.`,
    {
      hint: `Grant the host by name in toolcrib.yaml: grants: { tools: { "${api}/*": ["net.http:${host}"] } }`,
      details: { host },
    },
  )
}
