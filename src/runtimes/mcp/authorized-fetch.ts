// A fetch that sends the token of the server's log-in, to the server and to nobody else. A request that is refused is
// sent once more with another token, where nobody has to be asked for one.
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import type { LoginTarget, ServerLogins } from '../server-logins.ts'

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/** `onToken` is told every token that is sent, so that it is taken out of whatever comes back. */
export function authorizedFetch(
  fetch: Fetch,
  { login, logins, onToken }: { login: LoginTarget; logins: ServerLogins; onToken(token: string): void },
): Fetch {
  const { origin } = new URL(login.url)
  return async (input, init) => {
    if (new URL(input).origin !== origin) return fetch(input, init)
    const send = (token: string | undefined) => {
      if (token === undefined) return fetch(input, init)
      onToken(token)
      const headers = new Headers(init?.headers)
      headers.set('authorization', `Bearer ${token}`)
      return fetch(input, { ...init, headers })
    }
    const token = await logins.token(login)
    const response = await send(token)
    const scope = missingScope(response)
    if (response.status !== 401 && scope === undefined) return response
    await response.body?.cancel()
    const other = await send(await logins.renew(login, { token, scope }))
    if (other.status !== 401) return other
    await other.body?.cancel()
    throw await logins.refused(login)
  }
}

/** The scope of a refusal because a token may not do enough. */
function missingScope(response: Response): string | undefined {
  if (response.status !== 403) return undefined
  const { error, scope = '' } = extractWWWAuthenticateParams(response)
  return error === 'insufficient_scope' ? scope : undefined
}
