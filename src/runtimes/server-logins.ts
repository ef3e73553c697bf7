// What runtimes ask of the log-ins to foreign servers. The store of tokens stands behind it; a runtime sees a token
// for the one server it is about to send to, and nothing else of it (U4).
import type { NetworkRule } from '../sandbox/profile.ts'
import type { ServerAuth } from '../tool/plans/server-auth.ts'
import type { ToolError } from '../tool/tool-error.ts'

/** A server that may want a log-in. */
export interface LoginTarget {
  readonly name: string
  /** Where its tokens go; they go nowhere else. */
  readonly url: string
  readonly auth?: ServerAuth | undefined
  /** Whose log-in it is, where each user has an own one. */
  readonly user?: string | undefined
  /** A client of an API, at addresses that its document names; a person lets it in where there is a page for that. */
  readonly client?:
    | {
        readonly password: string
        readonly tokenUrl: string
        readonly authorizationUrl?: string | undefined
        readonly scopes?: readonly string[] | undefined
      }
    | undefined
  /** What may be reached to log in, besides public addresses. */
  readonly hosts: readonly string[]
}

/** What a server said when it refused a request. */
export interface ServerRefusal {
  /** The token that was sent. */
  readonly token: string | undefined
  /** A scope that it asks for and the token has not. */
  readonly scope?: string | undefined
}

export interface ServerLogins {
  /** The token to send now, renewed when it is about to end; undefined: there is none. AUTH_REQUIRED: a log-in ended. */
  token(target: LoginTarget): Promise<string | undefined>
  /** Another token in place of one that was refused, where nobody has to be asked; else AUTH_REQUIRED. */
  renew(target: LoginTarget, refusal: ServerRefusal): Promise<string>
  /** The server refuses the newest token too. */
  refused(target: LoginTarget): Promise<ToolError>
  /** Why a call would be refused, as far as that is known without asking anybody. */
  lacking(target: LoginTarget): Promise<ToolError | undefined>
  /** Lets a person log in: `show` gives them the address and says whether they took it. Resolves when they are back. */
  logIn(target: LoginTarget, show: ShowAddress, signal: AbortSignal): Promise<void>
  /** Whose log-in the crib itself may list tools with, where each user has an own one. */
  someUser(target: LoginTarget): Promise<string | undefined>
}

export type ShowAddress = (address: string) => Promise<boolean>

/** The rule for requests to the identity provider of a server: public addresses, and what is open for the server. */
export function loginNetwork({ url, hosts }: LoginTarget): NetworkRule {
  const { hostname } = new URL(url)
  return { mode: 'public', hosts: [hostname === '127.0.0.1' ? 'localhost' : hostname, ...hosts] }
}
