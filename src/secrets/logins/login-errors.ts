// How a log-in fails, in words with the next command.
import { IssuerMismatchError, OAuthError, RegistrationRejectedError } from '@modelcontextprotocol/client'
import type { LoginTarget } from '../../runtimes/server-logins.ts'
import { isToolError, messageOf, ToolError } from '../../tool/tool-error.ts'

/** The call needs a log-in; `why` says what became of the one there was. */
export function authRequired(target: Pick<LoginTarget, 'name' | 'auth' | 'client'>, why?: string): ToolError {
  const { name, auth, client } = target
  const command = loginCommand(name)
  const hint =
    client && !client.authorizationUrl
      ? `Store its client as \`id:password\`: \`toolcrib secrets set ${auth?.secret}\`.`
      : auth?.type === 'bearer'
        ? `Store a token that it takes: \`toolcrib secrets set ${auth.secret}\`.`
        : auth?.type === 'client-credentials'
          ? `See clientId, scopes and the secret ${auth.secret} of its entry, then \`${command}\`.`
          : `Log in with \`${command}\`.`
  const message = why
    ? `The server "${name}" wants a log-in: ${why}.`
    : `The server "${name}" wants a log-in.`
  return new ToolError('AUTH_REQUIRED', message, { hint, details: { server: name, command } })
}

export function secretMissing({ name, auth }: Pick<LoginTarget, 'name' | 'auth'>): ToolError {
  const secret = auth!.secret!
  return new ToolError('SECRET_MISSING', `The server "${name}" needs the secret ${secret}.`, {
    hint: `Store it with \`toolcrib secrets set ${secret}\`.`,
    details: { missing: [secret] },
  })
}

function loginCommand(name: string): string {
  return `toolcrib login ${/^[\w.@/-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`}`
}

/** What went wrong between us and the identity provider; nothing a callback carried is repeated. */
export function providerFault(name: string, error: unknown): ToolError {
  if (isToolError(error)) return error
  const options = { details: { server: name }, cause: error }
  if (error instanceof IssuerMismatchError)
    return new ToolError(
      'UPSTREAM_FAILED',
      `The log-in to "${name}" was given up: the answer is not from the identity provider that was asked.`,
      { ...options, hint: 'Somebody may have mixed up two providers, or put one in place of another.' },
    )
  if (error instanceof OAuthError)
    return new ToolError('UPSTREAM_FAILED', `The identity provider of "${name}" refuses: ${error.code}.`, {
      ...options,
      hint: 'See clientId and scopes of the entry, then log in again.',
    })
  if (error instanceof RegistrationRejectedError)
    return new ToolError(
      'UPSTREAM_FAILED',
      `The identity provider of "${name}" refuses to register a client: ${codeIn(error.body) ?? `status ${error.status}`}.`,
      { ...options, hint: 'Register one there by hand and give its id: auth: { clientId: … }.' },
    )
  const said = messageOf(error).split('\n', 1)[0]!.slice(0, 200)
  return new ToolError(
    'UPSTREAM_FAILED',
    `The identity provider of "${name}" answers with something else than OAuth says: ${said}.`,
    { ...options, hint: 'Try again later; its operator has to fix it.', retryable: true },
  )
}

/** The error code of RFC 6749 in an answer. */
function codeIn(body: string): string | undefined {
  return /"error"\s*:\s*"(\w{1,60})"/.exec(body)?.[1]
}

export function unsafeAddress(name: string, what: string): ToolError {
  return new ToolError('UPSTREAM_FAILED', `The log-in to "${name}" was given up: ${what}.`, {
    hint: 'Addresses of an identity provider must be https, or on this machine.',
    details: { server: name },
  })
}
