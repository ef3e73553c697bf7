// Secrets at rest: each is sealed in its row. Values leave only through `reveal` and `release`.

import { type Clock, systemClock } from '../store/clock.ts'
import type { CrumbStore, SecretRow } from '../store/store.ts'
import type { Principal } from '../tool/principal.ts'
import type { Static } from '../tool/shape.ts'
import { timeId } from '../tool/time-id.ts'
import { ToolError } from '../tool/tool-error.ts'
import { type KeyPlace, SecretBox } from './secret-box.ts'
import type { secretShape } from './secret-shape.ts'

export const secretScopes = ['owner', 'workspace', 'tool'] as const
export type SecretScope = (typeof secretScopes)[number]

const secretName = /^[A-Za-z_][A-Za-z0-9_.-]{0,199}$/
const maxValueBytes = 65_536

export interface SecretsOptions extends KeyPlace {
  readonly store: CrumbStore
  /** Names that may come from the process environment. */
  readonly envNames?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly clock?: Clock
  /** Told of every release, with its reason. */
  readonly audit?: (access: SecretAccess) => void
}

export interface SecretAccess {
  readonly name: string
  readonly by: string
  readonly reason: string
  readonly isReleased: boolean
}

/** A secret without its value. */
export interface SecretInfo extends Static<typeof secretShape> {}

export interface SecretPlace {
  readonly tool?: string
  readonly workspace?: string
}

export class Secrets {
  readonly #options: SecretsOptions
  readonly #clock: Clock
  readonly #box: SecretBox

  constructor(options: SecretsOptions) {
    this.#options = options
    this.#box = new SecretBox(options)
    this.#clock = options.clock ?? systemClock
  }

  async create(
    given: {
      readonly name?: unknown
      readonly scope_type?: unknown
      readonly scope_id?: unknown
      readonly value?: unknown
    },
    principal: Principal,
  ): Promise<{ readonly status: 201; readonly id: string }> {
    const { name, value } = given
    const scopeType = (given.scope_type ?? 'owner') as SecretScope
    const errors: { pointer: string; message: string }[] = []
    if (typeof name !== 'string' || !secretName.test(name))
      errors.push({
        pointer: '/name',
        message: 'must be letters, digits, _ . -, and begin with a letter or _',
      })
    if (!secretScopes.includes(scopeType))
      errors.push({ pointer: '/scope_type', message: `must be one of ${secretScopes.join(', ')}` })
    else if (scopeType !== 'owner' && (typeof given.scope_id !== 'string' || given.scope_id === ''))
      errors.push({ pointer: '/scope_id', message: `must name the ${scopeType}` })
    if (!isValue(value)) errors.push({ pointer: '/value', message: 'must be text of 1 to 65536 bytes' })
    if (errors.length > 0)
      throw new ToolError(
        'INVALID',
        `The secret is not valid: ${errors.map((fault) => `${fault.pointer} ${fault.message}`).join('; ')}.`,
        { hint: 'Correct the fields that are named; docs/http.md lists them.', details: errors },
      )
    const now = new Date(this.#clock.now()).toISOString()
    const bare = {
      id: timeId(this.#clock.now()),
      owner: principal.owner,
      name: name as string,
      scopeType,
      scopeId: scopeType === 'owner' ? '' : (given.scope_id as string),
    }
    const sealed = this.#box.seal(value as string, bare)
    await this.#options.store.secrets.insert({ ...bare, sealed, createdAt: now, updatedAt: now })
    return { status: 201, id: bare.id }
  }

  /** Creates the secret, or gives it a new value when it is there. */
  async set(
    name: string,
    value: string,
    principal: Principal,
    scope: { type?: SecretScope; id?: string } = {},
  ): Promise<string> {
    const type = scope.type ?? 'owner'
    const row = (await this.#options.store.secrets.list(principal.owner)).find(
      (one) => one.name === name && one.scopeType === type && one.scopeId === (scope.id ?? ''),
    )
    if (row) {
      await this.replace(row.id, { value }, principal)
      return row.id
    }
    return (await this.create({ name, value, scope_type: type, scope_id: scope.id }, principal)).id
  }

  /** Names and scopes, never values. */
  async list(principal: Principal): Promise<SecretInfo[]> {
    return (await this.#options.store.secrets.list(principal.owner)).map(infoOf)
  }

  async replace(id: string, body: { readonly value?: unknown }, principal: Principal): Promise<void> {
    const row = await this.#row(id, principal)
    if (!isValue(body.value))
      throw new ToolError('INVALID', 'The value of a secret is text of 1 to 65536 bytes.')
    const sealed = this.#box.seal(body.value, row)
    await this.#options.store.secrets.update(id, sealed, new Date(this.#clock.now()).toISOString())
  }

  async remove(idOrName: string, principal: Principal): Promise<void> {
    const rows = await this.#options.store.secrets.list(principal.owner)
    const row = rows.find((one) => one.id === idOrName) ?? rows.find((one) => one.name === idOrName)
    if (!row || !(await this.#options.store.secrets.remove(row.id))) throw missing(idOrName)
  }

  /** The value, for an admin, on record. */
  async reveal(id: string, reason: string, principal: Principal): Promise<{ readonly value: string }> {
    const row = await this.#row(id, principal)
    if (!principal.isAdmin) {
      this.#audit(row.name, principal.name, reason, false)
      throw new ToolError('FORBIDDEN', 'Reading a secret needs the admin grant.')
    }
    const value = this.#box.open(row)
    this.#audit(row.name, principal.name, reason, true)
    return { value }
  }

  /**
   * The value a tool is given: by id, or by name in the scopes tool, workspace, owner; the environment last,
   * for names the operator allows. Null when there is none.
   */
  async release(
    idOrName: string,
    owner: string,
    { place, by, reason }: { readonly place: SecretPlace; readonly by: string; readonly reason: string },
  ): Promise<string | null> {
    const row = await this.find(idOrName, owner, place)
    const { envNames = [], env = process.env } = this.#options
    const value = row ? this.#box.open(row) : envNames.includes(idOrName) ? (env[idOrName] ?? null) : null
    this.#audit(row?.name ?? idOrName, by, reason, value !== null)
    return value
  }

  /** Puts on record that a value which was released before was asked for again. */
  note(name: string, by: string, reason: string): void {
    this.#audit(name, by, reason, true)
  }

  /** The row a name or id means at a place, or null. */
  async find(idOrName: string, owner: string, place: SecretPlace): Promise<SecretRow | null> {
    const rows = await this.#options.store.secrets.list(owner)
    const at = (type: SecretScope, id: string): SecretRow | undefined =>
      rows.find((row) => row.name === idOrName && row.scopeType === type && row.scopeId === id)
    return (
      rows.find((row) => row.id === idOrName) ??
      (place.tool === undefined ? undefined : at('tool', place.tool)) ??
      (place.workspace === undefined ? undefined : at('workspace', place.workspace)) ??
      at('owner', '') ??
      null
    )
  }

  async #row(id: string, principal: Principal): Promise<SecretRow> {
    const row = await this.#options.store.secrets.get(id)
    if (!row || row.owner !== principal.owner) throw missing(id)
    return row
  }

  #audit(name: string, by: string, reason: string, isReleased: boolean): void {
    this.#options.audit?.({ name, by, reason, isReleased })
  }
}

function infoOf(row: SecretRow): SecretInfo {
  return {
    id: row.id,
    name: row.name,
    scope_type: row.scopeType as SecretScope,
    scope_id: row.scopeId === '' ? null : row.scopeId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  }
}

function isValue(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= maxValueBytes
}

function missing(id: string): ToolError {
  return new ToolError('NOT_FOUND', `There is no secret ${id}.`, {
    hint: 'GET /secrets lists those there are, with their ids.',
  })
}
