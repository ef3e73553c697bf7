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
import { fullView } from '../store/crumb.ts'
import { hasCode } from '../store/store-error.ts'
import { asJson, type JsonObject } from '../tool/json.ts'
import type { Principal } from '../tool/principal.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Crumbs } from './crumbs.ts'

export interface SessionParts {
  readonly crumbs: Crumbs
  readonly secrets: Secrets
}

/** `principal.tool` is the tool that runs. */
export class CrumbSession implements BrokerSession {
  readonly #crumbs: Crumbs
  readonly #secrets: Secrets
  readonly #principal: Principal & { readonly tool: string }
  readonly workspace: string
  readonly request: RunRequest
  readonly config: JsonObject

  constructor(
    { crumbs, secrets }: SessionParts,
    principal: Principal & { readonly tool: string },
    workspace: string,
    request: RunRequest,
    config: JsonObject,
  ) {
    this.#crumbs = crumbs
    this.#secrets = secrets
    this.#principal = principal
    this.workspace = workspace
    this.request = request
    this.config = config
  }

  get owner(): string {
    return this.#principal.owner
  }

  get(id: string): Promise<StoredCrumb | undefined> {
    return unlessMissing(async () => fullView(await this.#crumbs.crumb(id, this.#principal)) as never)
  }

  view(id: string): Promise<JsonObject | undefined> {
    return unlessMissing(async () => asJson(await this.#crumbs.view(id, this.#principal)))
  }

  async create(body: JsonObject, options: { readonly idempotencyKey?: string }): Promise<CrumbVersion> {
    const { id, version } = await this.#crumbs.create(body, this.#principal, options)
    return { id, version }
  }

  async update(id: string, version: number | undefined, updates: JsonObject): Promise<CrumbVersion> {
    const written = await this.#crumbs.update(id, updates, this.#principal, version ?? null)
    return { id, version: written.version }
  }

  remove(id: string, version: number | undefined): Promise<void> {
    return this.#crumbs.remove(id, this.#principal, { ifMatch: version ?? null })
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
      },
      this.#principal,
    )
    return items.map(asJson)
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
