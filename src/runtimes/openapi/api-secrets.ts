// The secrets of one call of an API. Where the document names a token endpoint, a secret `client id:password` is replaced
// by the token of a log-in, which is kept, renewed and taken out of what comes back (U11).
import type { OpenApiPlan } from '../../tool/plans/openapi-plan.ts'
import type { Answer } from '../http-exchange.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import type { LoginTarget } from '../server-logins.ts'
import { apiLoginTarget } from './api-login.ts'

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
  const clients = plan.credentials.flatMap((credential) => {
    const value = attempt.secrets[credential.secret]
    return apiLoginTarget({ tool: attempt.tool, profile: attempt.profile, credential, value }) ?? []
  })
  const take = ({ auth }: LoginTarget, token: string | undefined) => {
    if (token === undefined) return
    values[auth!.secret!] = token
    sent.set(token, auth!.secret!)
  }
  for (const client of clients) {
    const token = await env.logins?.token(client)
    // Without a log-in this says which command makes one.
    take(client, token ?? (await env.logins?.renew(client, { token })))
  }
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

function withoutTokens(answer: Answer, tokens: ReadonlyMap<string, string>): Answer {
  const found = [...tokens].filter(([token]) => answer.body.includes(token))
  if (found.length === 0) return answer
  const text = found.reduce(
    (rest, [token, name]) => rest.replaceAll(token, `[secret:${name}]`),
    answer.body.toString('latin1'),
  )
  return { ...answer, body: Buffer.from(text, 'latin1') }
}
