// Log-ins as they are kept: one sealed row for each server, and for each user where users have their own. A row is
// found by the server's name, address and way of logging in, so that an entry that was changed finds none.
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client'
import type { LoginTarget } from '../../runtimes/server-logins.ts'
import type { CrumbStore, SecretRow } from '../../store/store.ts'
import { type Json, jsonDigest } from '../../tool/json.ts'
import { defaultAuth } from '../../tool/plans/server-auth.ts'
import { isToolError } from '../../tool/tool-error.ts'
import type { SecretBox } from '../secret-box.ts'
import type { ClientIdentity } from './identify-client.ts'

export interface KeptTokens {
  readonly access: string
  readonly refresh?: string | undefined
  readonly endsAtMs?: number | undefined
  readonly lifetimeMs?: number | undefined
  readonly scope?: string | undefined
}

export interface LoginRecord {
  readonly server: string
  readonly user?: string | undefined
  /** The identity provider as it was when somebody logged in; tokens are renewed there and nowhere else. */
  readonly provider: AuthorizationServerMetadata
  /** Nobody says who the issuer is: only the token endpoint is known, from the document of an API. */
  readonly isGiven?: true
  /** What the tokens are for (RFC 8707). */
  readonly resource?: string | undefined
  readonly client: ClientIdentity
  /** Absent: the log-in has ended. */
  readonly tokens?: KeptTokens | undefined
  /** Why it has ended. */
  readonly ended?: string | undefined
  /** A scope that the server asked for since. */
  readonly needs?: string | undefined
}

/** No principal has this owner, so no secret is ever one of these rows. */
const owner = 'toolcrib:logins'

export class LoginRecords {
  readonly #store: CrumbStore
  readonly #box: SecretBox

  constructor(store: CrumbStore, box: SecretBox) {
    this.#store = store
    this.#box = box
  }

  /** One that does not open any more is as good as none. */
  async get(target: LoginTarget): Promise<LoginRecord | undefined> {
    const row = await this.#store.secrets.get(idOf(target))
    return row ? this.#open(row) : undefined
  }

  async put(target: LoginTarget, record: LoginRecord): Promise<void> {
    const id = idOf(target)
    const bound = { id, owner, name: target.name, scopeType: 'login', scopeId: id }
    const sealed = this.#box.seal(JSON.stringify(record), bound)
    const now = new Date(this.#store.clock.now()).toISOString()
    const { secrets } = this.#store
    if (await secrets.update(id, sealed, now)) return
    await secrets.insert({ ...bound, sealed, createdAt: now, updatedAt: now })
  }

  /** Every log-in, those that have ended too; of one server where it is named. */
  async all(server?: string): Promise<{ readonly id: string; readonly record: LoginRecord }[]> {
    const rows = await this.#store.secrets.list(owner)
    return rows
      .filter(({ name }) => server === undefined || name === server)
      .flatMap((row) => {
        const record = this.#open(row)
        return record ? [{ id: row.id, record }] : []
      })
  }

  async remove(id: string): Promise<void> {
    await this.#store.secrets.remove(id)
  }

  #open(row: SecretRow): LoginRecord | undefined {
    try {
      return JSON.parse(this.#box.open(row)) as LoginRecord
    } catch (error) {
      if (isToolError(error) && error.code === 'SECRET_UNREADABLE') return undefined
      throw error
    }
  }
}

export function idOf({ name, url, auth = defaultAuth, user }: LoginTarget): string {
  return `login-${jsonDigest([name, url, { ...auth } as Json, user ?? null]).slice(0, 40)}`
}
