// The log-ins to foreign servers: who is logged in where, the tokens to send, and the ways in and out (U4).
import { NetGuard } from '../../runtimes/net-guard.ts'
import type { LoginTarget, ServerLogins, ServerRefusal, ShowAddress } from '../../runtimes/server-logins.ts'
import type { CrumbStore } from '../../store/store.ts'
import { onAbort } from '../../tool/on-abort.ts'
import type { ToolError } from '../../tool/tool-error.ts'
import type { SecretBox } from '../secret-box.ts'
import { CodeFlows, type StartedFlow } from './code-flows.ts'
import { areEnding, haveEnded } from './fetch-tokens.ts'
import { findProvider, givenProvider } from './find-provider.ts'
import { identifyClient } from './identify-client.ts'
import { listenForCallback } from './listen-for-callback.ts'
import { authRequired, providerFault, secretMissing } from './login-errors.ts'
import { idOf, type LoginRecord, LoginRecords } from './login-records.ts'
import { type ProviderFetch, providerFetch } from './provider-fetch.ts'
import { Renewals } from './renewals.ts'
import { revokeTokens } from './revoke-tokens.ts'

export interface LoginsOptions {
  readonly store: CrumbStore
  readonly box: SecretBox
  /** The value of a secret that an entry names. */
  secret(name: string, server: string): Promise<string | undefined>
  /** Address of the document that describes this client, where there is one. */
  clientDocument(): string | null
  /** How long one request to an identity provider may take. */
  readonly requestMs?: number
}

export interface LoginState {
  readonly state: 'logged-in' | 'logged-out'
  readonly expiresAt?: string | undefined
}

const defaultRequestMs = 10_000

export class Logins implements ServerLogins {
  readonly #options: LoginsOptions
  readonly #records: LoginRecords
  readonly #flows = new CodeFlows()
  readonly #renewals: Renewals
  readonly #loggingIn = new Map<string, Promise<void>>()
  readonly #guard = new NetGuard()

  constructor(options: LoginsOptions) {
    this.#options = options
    this.#records = new LoginRecords(options.store, options.box)
    this.#renewals = new Renewals({
      store: options.store,
      records: this.#records,
      fetchFor: (target) => this.#fetchFor(target),
      secretOf: (target) => this.#secretOf(target),
    })
  }

  async token(target: LoginTarget): Promise<string | undefined> {
    const { auth } = target
    if (auth?.type === 'bearer') return this.#secretOf(target)
    const record = await this.#records.get(target)
    if (!record)
      return auth?.type === 'client-credentials' ? this.#renewals.once(target, undefined) : undefined
    if (!record.tokens) throw authRequired(target, record.ended)
    return areEnding(record.tokens) ? this.#renewals.once(target, record.tokens.access) : record.tokens.access
  }

  async renew(target: LoginTarget, { token, scope }: ServerRefusal): Promise<string> {
    if (target.auth?.type === 'bearer') throw await this.refused(target)
    const record = await this.#records.get(target)
    if (record && scope !== undefined) {
      await this.#records.put(target, { ...record, needs: scope })
      throw authRequired(target, `it asks for the scope ${JSON.stringify(scope.slice(0, 200))}`)
    }
    if (!record && target.auth?.type !== 'client-credentials') throw authRequired(target)
    return this.#renewals.once(target, token)
  }

  async refused(target: LoginTarget): Promise<ToolError> {
    return authRequired(target, 'it refuses the token')
  }

  async lacking(target: LoginTarget): Promise<ToolError | undefined> {
    if (target.auth?.type === 'bearer') {
      const { state } = await this.stateOf(target)
      return state === 'logged-in' ? undefined : secretMissing(target)
    }
    const record = await this.#records.get(target)
    return record && !record.tokens ? authRequired(target, record.ended) : undefined
  }

  /** One person at a time: calls that come meanwhile wait for the same log-in. */
  logIn(target: LoginTarget, show: ShowAddress, signal: AbortSignal, port?: number): Promise<void> {
    const id = idOf(target)
    let waiting = this.#loggingIn.get(id)
    if (!waiting) {
      waiting = this.#logIn(target, show, signal, port).finally(() => this.#loggingIn.delete(id))
      this.#loggingIn.set(id, waiting)
    }
    return waiting
  }

  async #logIn(target: LoginTarget, show: ShowAddress, signal: AbortSignal, port?: number): Promise<void> {
    if (await this.isInAlone(target)) return
    const kept = (await this.#records.get(target))?.client.redirectUri
    const keptPort = kept?.startsWith('http://127.0.0.1:') ? Number(new URL(kept).port) : 0
    const listener = await listenForCallback((callback) => this.finish(callback), {
      port: port ?? keptPort,
      mustHavePort: port !== undefined,
    })
    let forget = () => {}
    try {
      const flow = await this.begin(target, listener.redirectUri)
      forget = onAbort(signal, () => this.#flows.giveUp(flow.state, signal.reason))
      if (!(await show(flow.address))) {
        this.#flows.giveUp(flow.state, undefined)
        throw authRequired(target)
      }
      await flow.done
    } finally {
      forget()
      await listener.close()
    }
  }

  /** Sends somebody away who will come back to `redirectUri`, which is given to `finish`. */
  async begin(target: LoginTarget, redirectUri: string): Promise<StartedFlow> {
    const fetch = this.#fetchFor(target)
    try {
      const known = await this.#records.get(target)
      if (target.client) return await this.#beginAtApi(target, redirectUri)
      const { metadata, resource, scope } = await findProvider(target, fetch, known?.needs)
      const client = await identifyClient({
        target,
        metadata,
        redirectUri,
        kept: known?.provider.issuer === metadata.issuer ? known.client : undefined,
        password: target.auth?.secret === undefined ? undefined : await this.#secretOf(target),
        document: this.#options.clientDocument(),
        fetch,
      })
      const record = { server: target.name, user: target.user, provider: metadata, resource, client }
      return await this.#flows.start(target, record, { redirectUri, scope, fetch })
    } catch (error) {
      throw providerFault(target.name, error)
    }
  }

  /** At the addresses that the document of an API names. */
  #beginAtApi(target: LoginTarget, redirectUri: string): Promise<StartedFlow> {
    const { metadata: provider, scope } = givenProvider(target)
    const client = { client_id: target.auth!.clientId!, client_secret: target.client!.password || undefined }
    const record = { server: target.name, user: target.user, provider, isGiven: true as const, client }
    return this.#flows.start(target, record, { redirectUri, scope, fetch: this.#fetchFor(target) })
  }

  finish(callback: URLSearchParams): Promise<LoginTarget> {
    return this.#flows.finish(callback, (target, record) => this.#records.put(target, record))
  }

  /** True where nobody has to go anywhere: a fixed token is there, or the crib logs in by itself now. */
  async isInAlone(target: LoginTarget): Promise<boolean> {
    if (target.auth?.type === 'bearer') await this.#secretOf(target)
    else if (target.auth?.type === 'client-credentials') {
      const record = await this.#records.get(target)
      await this.#renewals.once(target, record?.tokens?.access)
    } else return false
    return true
  }

  async stateOf(target: LoginTarget): Promise<LoginState> {
    if (target.auth?.type === 'bearer') {
      const { secret } = target.auth
      const value = await this.#options.secret(secret!, target.name)
      return { state: value === undefined ? 'logged-out' : 'logged-in' }
    }
    const tokens = (await this.#records.get(target))?.tokens
    if (!tokens || (haveEnded(tokens) && tokens.refresh === undefined)) return { state: 'logged-out' }
    const { endsAtMs } = tokens
    return {
      state: 'logged-in',
      expiresAt: endsAtMs === undefined ? undefined : new Date(endsAtMs).toISOString(),
    }
  }

  /** Forgets the tokens, also those of entries as they were before; false where the provider did not take them back. */
  async logOut(target: LoginTarget): Promise<boolean> {
    const fetch = this.#fetchFor(target)
    let isRevoked = true
    for (const { id, record } of await this.#records.all(target.name)) {
      if (record.user !== target.user) continue
      await this.#records.remove(id)
      isRevoked = (await revokeTokens(record, fetch)) && isRevoked
    }
    return isRevoked
  }

  /** Log-ins that have ended, so that somebody has to log in again. */
  async ended(): Promise<readonly LoginRecord[]> {
    const all = await this.#records.all()
    return all.map(({ record }) => record).filter(({ tokens, needs }) => !tokens || needs !== undefined)
  }

  async someUser(target: LoginTarget): Promise<string | undefined> {
    const all = await this.#records.all(target.name)
    const users = all.flatMap(({ id, record: { user, tokens } }) =>
      tokens && id === idOf({ ...target, user }) ? [user] : [],
    )
    return users.find((user) => user === target.user) ?? users[0] ?? target.user
  }

  close(): void {
    this.#guard.close()
  }

  async #secretOf(target: LoginTarget): Promise<string> {
    const value = await this.#options.secret(target.auth!.secret!, target.name)
    if (value === undefined) throw secretMissing(target)
    return value
  }

  #fetchFor(target: LoginTarget): ProviderFetch {
    return providerFetch(target, this.#guard, this.#options.requestMs ?? defaultRequestMs)
  }
}
