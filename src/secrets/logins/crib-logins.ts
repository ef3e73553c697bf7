// The log-ins of a crib, for its runtimes and for whoever logs in or out by hand. The store is opened when there is
// something to look for in it.
import type { LoginTarget, ServerLogins, ServerRefusal, ShowAddress } from '../../runtimes/server-logins.ts'
import type { Principal } from '../../tool/principal.ts'
import { isToolError, type ToolError } from '../../tool/tool-error.ts'
import type { LoginState, Logins } from './logins.ts'

export interface CribLoginsParts {
  /** False while there is no store, and so no token. */
  isStored(): boolean
  open(): Promise<Logins>
  /** The server of a name as this principal reaches it; throws where there is none that can be logged in to. */
  target(server: string, principal: Principal): Promise<LoginTarget>
  /** Asks the server for its tools again. */
  refresh(server: string): Promise<void>
}

export interface LoginReport extends LoginState {
  readonly server: string
}

/** Somebody was sent away to log in. */
export interface BegunLogin {
  readonly server: string
  /** The page of the identity provider. */
  readonly address: string
  /** What the callback will name. */
  readonly flow: string
}

export class CribLogins implements ServerLogins {
  readonly #parts: CribLoginsParts
  /** Servers that refused a call in this process. */
  readonly #needed = new Map<string, LoginTarget>()
  #opened: Promise<Logins> | undefined

  constructor(parts: CribLoginsParts) {
    this.#parts = parts
  }

  async token(target: LoginTarget): Promise<string | undefined> {
    const isLookedFor = target.auth !== undefined && target.auth.type !== 'oauth'
    if (!isLookedFor && !this.#isStored) return undefined
    return this.#noting(target, (logins) => logins.token(target))
  }

  async renew(target: LoginTarget, refusal: ServerRefusal): Promise<string> {
    return this.#noting(target, (logins) => logins.renew(target, refusal))
  }

  async refused(target: LoginTarget): Promise<ToolError> {
    this.#needed.set(target.name, target)
    return (await this.#logins()).refused(target)
  }

  async lacking(target: LoginTarget): Promise<ToolError | undefined> {
    const isNeeded = this.#needed.has(target.name) && (await this.needed()).has(target.name)
    if (!isNeeded && !this.#isStored) return undefined
    const logins = await this.#logins()
    return (await logins.lacking(target)) ?? (isNeeded ? logins.refused(target) : undefined)
  }

  async logIn(target: LoginTarget, show: ShowAddress, signal: AbortSignal, port?: number): Promise<void> {
    await (await this.#logins()).logIn(target, show, signal, port)
    await this.#isIn(target.name)
  }

  async someUser(target: LoginTarget): Promise<string | undefined> {
    return this.#isStored ? (await this.#logins()).someUser(target) : target.user
  }

  /** Logs in to a server by its name; `port` is the one the person comes back to. */
  async logInTo(
    server: string,
    principal: Principal,
    { show, signal, port }: { show: ShowAddress; signal: AbortSignal; port?: number | undefined },
  ): Promise<LoginReport> {
    const target = await this.#parts.target(server, principal)
    await this.logIn(target, show, signal, port)
    return { server: target.name, ...(await (await this.#logins()).stateOf(target)) }
  }

  /** Sends somebody away who comes back to `redirectUri`; a report where nobody has to go anywhere. */
  async begin(server: string, principal: Principal, redirectUri: string): Promise<BegunLogin | LoginReport> {
    const target = await this.#parts.target(server, principal)
    const logins = await this.#logins()
    if (await logins.isInAlone(target)) {
      await this.#isIn(target.name)
      return { server: target.name, ...(await logins.stateOf(target)) }
    }
    const { address, state } = await logins.begin(target, redirectUri)
    return { server: target.name, address, flow: state }
  }

  /** Takes what a person brings back; gives the name of the server they are logged in to. */
  async finish(callback: URLSearchParams): Promise<{ readonly name: string }> {
    const { name } = await (await this.#logins()).finish(callback)
    await this.#isIn(name)
    return { name }
  }

  /** `isRevoked` is false where the identity provider did not take the tokens back. */
  async logOutOf(
    server: string,
    principal: Principal,
  ): Promise<LoginReport & { readonly isRevoked: boolean }> {
    const target = await this.#parts.target(server, principal)
    const isRevoked = await (await this.#logins()).logOut(target)
    return { server: target.name, state: 'logged-out', isRevoked }
  }

  async stateOf(server: string, principal: Principal): Promise<LoginReport> {
    const target = await this.#parts.target(server, principal)
    return { server: target.name, ...(await (await this.#logins()).stateOf(target)) }
  }

  /** Servers that wait for somebody to log in, by name, with why. */
  async needed(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    if (!this.#isStored) return found
    const logins = await this.#logins()
    for (const { server, ended, needs } of await logins.ended())
      found.set(server, ended ?? `it asks for the scope ${needs}`)
    for (const [name, target] of this.#needed) {
      // Somebody may have logged in by another process.
      if ((await logins.stateOf(target)).state === 'logged-in') this.#needed.delete(name)
      else if (!found.has(name)) found.set(name, 'a call was refused')
    }
    return found
  }

  async close(): Promise<void> {
    ;(await this.#opened?.catch(() => undefined))?.close()
  }

  async #noting<T>(target: LoginTarget, ask: (logins: Logins) => Promise<T>): Promise<T> {
    try {
      return await ask(await this.#logins())
    } catch (error) {
      if (isToolError(error) && error.code === 'AUTH_REQUIRED') this.#needed.set(target.name, target)
      throw error
    }
  }

  /** What the server offers is known from here on. */
  async #isIn(server: string): Promise<void> {
    this.#needed.delete(server)
    await this.#parts.refresh(server)
  }

  get #isStored(): boolean {
    return this.#opened !== undefined || this.#parts.isStored()
  }

  #logins(): Promise<Logins> {
    this.#opened ??= this.#parts.open()
    this.#opened.catch(() => {
      this.#opened = undefined
    })
    return this.#opened
  }
}
