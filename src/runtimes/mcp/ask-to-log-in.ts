// A call that needs a log-in asks its caller for one, where the caller's client can show an address to a person, and
// goes on when that person is back (U5).
import { randomUUID } from 'node:crypto'
import { isLoopback } from '../../sandbox/addresses.ts'
import { isPlainObject } from '../../tool/json.ts'
import { libraryPrincipal, type Principal } from '../../tool/principal.ts'
import { isToolError } from '../../tool/tool-error.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import type { Caller } from './ask-caller.ts'
import { loginTargetOf } from './login-target.ts'
import type { ServerTarget } from './server-target.ts'

interface Asking {
  readonly attempt: Attempt
  readonly env: RuntimeEnv
  readonly target: ServerTarget
  readonly caller: Caller
}

/** Resolves when somebody has logged in; throws what the call failed with where nobody does. */
export async function askToLogIn(error: unknown, { attempt, env, target, caller }: Asking): Promise<void> {
  const login = loginTargetOf(target, attempt.profile.network)
  const isNeeded = isToolError(error) && error.code === 'AUTH_REQUIRED'
  const isForPeople = (login?.auth?.type ?? 'oauth') === 'oauth'
  const canShow = caller.capabilities.elicitation?.url !== undefined && mayLogIn(attempt, target, env)
  if (!isNeeded || !login || !isForPeople || !canShow || !env.logins) throw error
  let shownId: string | undefined
  const show = async (url: string) => {
    shownId = randomUUID()
    const message = `Log in to ${target.name} to go on with ${attempt.tool.id}.`
    const question = { mode: 'url', message, url, elicitationId: shownId }
    const answer = await caller.answer('elicitation/create', question)
    return isPlainObject(answer) && answer['action'] === 'accept'
  }
  await env.logins.logIn(login, show, attempt.signal)
  if (shownId !== undefined) caller.elicited(shownId)
}

/**
 * The person comes back to a listener of this machine, so it must be theirs; and a log-in that everybody uses is an
 * admin's to make.
 */
function mayLogIn({ call }: Attempt, target: ServerTarget, { config }: RuntimeEnv): boolean {
  const { principal = libraryPrincipal } = call as { readonly principal?: Principal }
  const isOwn = target.kind === 'http' && target.auth?.per === 'user'
  return (isOwn || principal.isAdmin) && (!principal.isToken || isLoopback(config.serve.host))
}
