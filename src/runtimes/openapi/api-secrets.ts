// The secrets of one call of an API. Where the document names a token endpoint for clients, a secret `client id:password`
// is exchanged there for a token, which is kept, renewed and taken out of what comes back as that of a log-in (U11).
import type { ApiCredential, OpenApiPlan } from '../../tool/plans/openapi-plan.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { type Answer, mayCarrySecrets } from '../http-exchange.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import type { LoginTarget } from '../server-logins.ts'

export interface ApiSecrets {
  of(name: string): string
  /** After a refusal: true when there is another token now. */
  renew(): Promise<boolean>
  /** The answer without the tokens that were sent. */
  clean(answer: Answer): Answer
}

export async function apiSecrets(attempt: Attempt, plan: OpenApiPlan, env: RuntimeEnv): Promise<ApiSecrets> {
  const values: Record<string, string> = { ...attempt.secrets }
  const sent = new Map<string, string>()
  const clients = plan.credentials.flatMap((credential) => targetOf(attempt, plan, credential) ?? [])
  const take = ({ auth }: LoginTarget, token: string | undefined) => {
    if (token === undefined) return
    values[auth!.secret!] = token
    sent.set(token, auth!.secret!)
  }
  for (const client of clients) take(client, await env.logins?.token(client))
  return {
    of: (name) => values[name] ?? '',
    async renew() {
      for (const client of clients)
        take(client, await env.logins?.renew(client, { token: values[client.auth!.secret!] }))
      return clients.length > 0
    },
    clean: (answer) => withoutTokens(answer, sent),
  }
}

/** Undefined for what is sent as it is: it is no client's, or the secret is a token itself. */
function targetOf(attempt: Attempt, plan: OpenApiPlan, credential: ApiCredential): LoginTarget | undefined {
  const { secret, tokenUrl, scopes } = credential
  const [, clientId, password] = /^([^:]+):(.+)$/s.exec(attempt.secrets[secret] ?? '') ?? []
  if (tokenUrl === undefined || clientId === undefined || password === undefined) return undefined
  const { network } = attempt.profile
  const url = new URL(tokenUrl)
  if (!mayCarrySecrets(attempt, url, 'POST'))
    throw new ToolError(
      'CAPABILITY_DENIED',
      `${attempt.tool.id} would log in with ${secret} at ${url.host}, which no grant names; nothing was sent.`,
      {
        hint: `Grant the host by name in toolcrib.yaml: grants: { tools: { "${plan.api}/*": ["net.http:${url.host}"] } }`,
        details: { host: url.host },
      },
    )
  return {
    name: plan.api,
    url: plan.server,
    auth: { type: 'client-credentials', per: 'crib', clientId, secret, scopes },
    client: { password, tokenUrl },
    hosts: network.mode === 'none' ? [] : network.hosts,
  }
}

function withoutTokens(answer: Answer, tokens: ReadonlyMap<string, string>): Answer {
  const found = [...tokens].filter(([token]) => answer.body.includes(token))
  if (found.length === 0) return answer
  const text = found.reduce(
    (rest, [token, name]) => rest.replaceAll(token, `[secret:${name}]`),
    answer.body.toString('latin1'),
  )
  return { ...answer, body: Buffer.from(text, 'latin1') }
}
