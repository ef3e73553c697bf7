// Tokens in place of those that end: one renewal at a time, in this process and in all that share the store. What a
// provider refuses for good ends the log-in; what it cannot do now is tried again by the next call.
import { OAuthError } from '@modelcontextprotocol/client'
import type { LoginTarget } from '../../runtimes/server-logins.ts'
import type { CrumbStore } from '../../store/store.ts'
import { underLease } from '../../store/under-lease.ts'
import { areEnding, haveEnded, refreshedTokens, tokensForClient } from './fetch-tokens.ts'
import { findProvider, givenProvider } from './find-provider.ts'
import { authRequired, providerFault } from './login-errors.ts'
import { idOf, type LoginRecord, type LoginRecords } from './login-records.ts'
import type { ProviderFetch } from './provider-fetch.ts'

export interface RenewalsParts {
  readonly store: CrumbStore
  readonly records: LoginRecords
  fetchFor(target: LoginTarget): ProviderFetch
  /** The secret that the entry names; throws where there is none. */
  secretOf(target: LoginTarget): Promise<string>
}

export class Renewals {
  readonly #parts: RenewalsParts
  readonly #renewing = new Map<string, Promise<string>>()

  constructor(parts: RenewalsParts) {
    this.#parts = parts
  }

  /** The token in place of `old`; whoever asks meanwhile waits for the same one. */
  once(target: LoginTarget, old: string | undefined): Promise<string> {
    const id = idOf(target)
    let renewing = this.#renewing.get(id)
    if (!renewing) {
      renewing = this.#renew(target, id, old).finally(() => this.#renewing.delete(id))
      this.#renewing.set(id, renewing)
    }
    return renewing
  }

  async #renew(target: LoginTarget, id: string, old: string | undefined): Promise<string> {
    let token = ''
    await underLease(this.#parts.store, id, async () => {
      const record = await this.#parts.records.get(target)
      // Somebody else was faster.
      if (record?.tokens && record.tokens.access !== old && !areEnding(record.tokens))
        token = record.tokens.access
      else
        token =
          target.auth?.type === 'client-credentials'
            ? await this.#logInAlone(target)
            : await this.#refresh(target, record, old)
    })
    return token
  }

  async #refresh(
    target: LoginTarget,
    record: LoginRecord | undefined,
    old: string | undefined,
  ): Promise<string> {
    const { tokens } = record ?? {}
    if (!record || !tokens) throw authRequired(target, record?.ended)
    const isRefused = tokens.access === old && !areEnding(tokens)
    if (tokens.refresh === undefined) {
      if (!isRefused && !haveEnded(tokens)) return tokens.access
      return this.#end(target, record, isRefused ? 'it refuses the token' : 'the log-in has ended')
    }
    try {
      const fresh = await refreshedTokens(record, this.#parts.fetchFor(target))
      await this.#parts.records.put(target, { ...record, tokens: { scope: tokens.scope, ...fresh } })
      return fresh.access
    } catch (error) {
      if (isFinal(error)) return this.#end(target, record, `its identity provider does not renew the log-in`)
      // One that still holds for a moment is better than none.
      if (!isRefused && !haveEnded(tokens)) return tokens.access
      throw providerFault(target.name, error)
    }
  }

  /** Keeps nothing but the client, and why. */
  async #end(target: LoginTarget, record: LoginRecord, ended: string): Promise<never> {
    await this.#parts.records.put(target, { ...record, tokens: undefined, ended })
    throw authRequired(target, ended)
  }

  async #logInAlone(target: LoginTarget): Promise<string> {
    const fetch = this.#parts.fetchFor(target)
    const password = target.client?.password ?? (await this.#parts.secretOf(target))
    try {
      const { metadata, resource, scope } = target.client
        ? givenProvider(target)
        : await findProvider(target, fetch)
      const client = { client_id: target.auth!.clientId!, client_secret: password }
      const isGiven = target.client ? (true as const) : undefined
      const record = { server: target.name, user: target.user, provider: metadata, isGiven, resource, client }
      const tokens = await tokensForClient(record, { scope }, fetch)
      // The password stays in its secret.
      await this.#parts.records.put(target, { ...record, client: { client_id: client.client_id }, tokens })
      return tokens.access
    } catch (error) {
      if (isFinal(error)) throw authRequired(target, 'its identity provider refuses the client')
      throw providerFault(target.name, error)
    }
  }
}

/** The provider says no, and will say no again. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof OAuthError &&
    /^(invalid_grant|invalid_client|unauthorized_client|invalid_scope|invalid_target|access_denied)$/.test(
      error.code,
    )
  )
}
