// The store for one run of a tool: everything it asks for is asked in its name, and what it writes carries where it
// came from.
import type {
  BrokerSession,
  CrumbRanking,
  CrumbSearch,
  CrumbVersion,
  RunRequest,
  SecretName,
  StoredCrumb,
} from '../runtimes/deno/broker.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { type Crumb, fullView } from '../store/crumb.ts'
import { hasCode, notFound } from '../store/store-error.ts'
import { asJson, type JsonObject } from '../tool/json.ts'
import { isUnrestricted, type Principal } from '../tool/principal.ts'
import { ToolError } from '../tool/tool-error.ts'
import { type MayCall, mustWriteAs, type Readable, readerFor, requestSchema } from './crumb-rights.ts'
import type { Crumbs } from './crumbs.ts'

export interface SessionParts {
  readonly crumbs: Crumbs
  readonly secrets: Secrets
  /** Whether one may call a tool; absent: none, for one that is narrowed. */
  mayCall?(tool: string, principal: Principal): boolean
}

/** Who a session works for. */
export interface SessionPrincipals {
  /** In whose name it writes; `tool` is the tool that runs. */
  readonly principal: Principal & { readonly tool: string }
  /** Whoever asked first: a tool reads and writes nothing for this one that it may not itself (G17). */
  readonly asker: Principal
}

export class CrumbSession implements BrokerSession {
  readonly #crumbs: Crumbs
  readonly #secrets: Secrets
  readonly #principal: SessionPrincipals['principal']
  readonly #asker: Principal
  readonly #mayCall: MayCall
  readonly workspace: string
  readonly request: RunRequest
  readonly config: JsonObject

  constructor(
    { crumbs, secrets, mayCall }: SessionParts,
    { principal, asker }: SessionPrincipals,
    workspace: string,
    request: RunRequest,
    config: JsonObject,
  ) {
    this.#crumbs = crumbs
    this.#secrets = secrets
    this.#principal = principal
    this.#asker = asker
    this.#mayCall = (tool) => tool === principal.tool || (mayCall?.(tool, asker) ?? false)
    this.workspace = workspace
    this.request = request
    this.config = config
  }

  get owner(): string {
    return this.#principal.owner
  }

  get(id: string): Promise<StoredCrumb | undefined> {
    return unlessMissing(async () => fullView(await this.#readable(id)) as never)
  }

  view(id: string): Promise<JsonObject | undefined> {
    return unlessMissing(async () => {
      await this.#readable(id)
      return asJson(await this.#crumbs.view(id, this.#principal))
    })
  }

  async create(body: JsonObject, options: { readonly idempotencyKey?: string }): Promise<CrumbVersion> {
    this.#mustWrite(body['schema_name'])
    const { id, version } = await this.#crumbs.create(body, this.#principal, options)
    return { id, version }
  }

  async update(id: string, version: number | undefined, updates: JsonObject): Promise<CrumbVersion> {
    await this.#writable(id)
    if ('schema_name' in updates) this.#mustWrite(updates['schema_name'])
    const written = await this.#crumbs.update(id, updates, this.#principal, version ?? null)
    return { id, version: written.version }
  }

  async remove(id: string, version: number | undefined): Promise<void> {
    await this.#writable(id)
    await this.#crumbs.remove(id, this.#principal, { ifMatch: version ?? null })
  }

  async search(query: CrumbSearch): Promise<readonly JsonObject[]> {
    const { items } = await this.#crumbs.list(
      {
        schema: query.schema_name,
        tags: query.tags,
        q: query.q,
        limit: query.limit,
        offset: query.offset,
        schemas: query.readable,
        isShown: this.#reader(),
      },
      this.#principal,
    )
    return items.map(asJson)
  }

  async rank(query: CrumbRanking): Promise<readonly JsonObject[]> {
    const items = await this.#crumbs.search(
      {
        q: query.q,
        nn: query.nn,
        schema: query.schema_name,
        tags: query.tags,
        schemas: query.readable,
        isShown: this.#reader(),
      },
      this.#principal,
    )
    return items.map(asJson)
  }

  #reader(): (crumb: Readable) => boolean {
    return readerFor(this.#asker, this.#mayCall)
  }

  async #readable(id: string): Promise<Crumb> {
    const crumb = await this.#crumbs.crumb(id, this.#principal)
    if (!this.#reader()(crumb)) throw notFound(id)
    return crumb
  }

  /** Asked only of one that is narrowed: for everybody else the rights of the tool say all. */
  async #writable(id: string): Promise<void> {
    if (!isUnrestricted(this.#asker)) this.#mustWrite((await this.#readable(id)).schema_name)
  }

  #mustWrite(schema: unknown): void {
    // A request runs with the rights of whoever asked first.
    if (isUnrestricted(this.#asker) || schema === requestSchema) return
    mustWriteAs(this.#asker, schema)
  }

  async findSecret(idOrName: string): Promise<SecretName | undefined> {
    const row = await this.#secrets.find(idOrName, this.owner, this.#place)
    return row ? { id: row.id, name: row.name } : undefined
  }

  async readSecret(id: string, reason: string): Promise<string> {
    const value = await this.#secrets.release(id, this.owner, {
      place: this.#place,
      by: this.#principal.tool,
      reason,
    })
    if (value === null) throw new ToolError('SECRET_MISSING', `There is no secret ${id}.`)
    return value
  }

  noteSecret(name: string, reason: string): void {
    this.#secrets.note(name, this.#principal.tool, reason)
  }

  get #place() {
    return { tool: this.#principal.tool, workspace: this.workspace }
  }
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (hasCode(error, 'NOT_FOUND')) return undefined
    throw error
  }
}
