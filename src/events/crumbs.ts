// Breadcrumbs as a client sees them: who may see what, what may be stored, versions, idempotency, hints.
// Every answer carries the HTTP status it becomes, so that routes, commands and tools say the same thing.

import { type Clock, systemClock } from '../store/clock.ts'
import {
  type Crumb,
  type CrumbDraft,
  type CrumbItem,
  type CrumbVersion,
  type FullCrumb,
  fullView,
  itemOf,
  measureOf,
} from '../store/crumb.ts'
import type { CreateOptions, CrumbStore, ListQuery, SearchQuery, UniqueKey } from '../store/store.ts'
import { hasCode, notFound, versionMismatch } from '../store/store-error.ts'
import { isPlainObject, type JsonObject, jsonDigest } from '../tool/json.ts'
import type { Principal } from '../tool/principal.ts'
import type { Problem } from '../tool/problem.ts'
import { ToolError } from '../tool/tool-error.ts'
import { draftOf, patchedDraft } from './check-crumb.ts'
import { applyHints } from './hints.ts'

const idempotencyMs = 24 * 60 * 60 * 1000
const maxListLimit = 1000
const maxTags = 64

/** What a check of one schema adds to a write; it throws a ToolError to refuse it. */
export interface Checked {
  readonly warnings?: readonly Problem[]
  readonly unique?: UniqueKey
  readonly request?: CreateOptions['request']
}

/** Looks at a crumb of one schema before it is stored; `current` is null for a new one. */
export type CrumbCheck = (
  draft: CrumbDraft,
  principal: Principal,
  current: Crumb | null,
) => Checked | undefined | Promise<Checked | undefined>

export type CrumbChecks = { readonly [schemaName: string]: CrumbCheck }

export interface CrumbsOptions {
  readonly store: CrumbStore
  readonly clock?: Clock
  readonly checks?: CrumbChecks
  /** Awaited after every write that made, changed or ended a tool, before the write is answered. */
  onToolWritten?(): Promise<void>
}

const toolSchema = 'tool.code.v1'

export interface WriteResult {
  readonly status: 200 | 201
  readonly id: string
  readonly version: number
  /** The key was used before: this is the first answer again. */
  readonly isReplay: boolean
  readonly warnings: readonly Problem[]
}

export interface ListParams {
  readonly tags?: readonly string[]
  readonly schema?: string
  readonly schemas?: readonly string[]
  readonly q?: string
  readonly limit?: number
  readonly offset?: number
  readonly cursor?: string
  readonly includeContext?: boolean
  /** Leaves out what whoever asks may not see; a page may then hold fewer than its limit. */
  readonly isShown?: (crumb: Crumb) => boolean
}

export interface SearchParams {
  readonly q: string
  readonly nn?: number
  readonly tags?: readonly string[]
  readonly schema?: string
  readonly schemas?: readonly string[]
  readonly includeContext?: boolean
  readonly isShown?: (crumb: Crumb) => boolean
}

export class Crumbs {
  readonly store: CrumbStore
  readonly #clock: Clock
  readonly #checks: CrumbChecks
  readonly #onToolWritten: (() => Promise<void>) | undefined

  constructor(options: CrumbsOptions) {
    this.store = options.store
    this.#clock = options.clock ?? systemClock
    this.#checks = options.checks ?? {}
    this.#onToolWritten = options.onToolWritten?.bind(options)
  }

  async create(
    body: unknown,
    principal: Principal,
    options: { readonly idempotencyKey?: string } = {},
  ): Promise<WriteResult> {
    const { draft, checked } = await checkedDraft(body, principal, this.#checks, this.#clock.now())
    const unique = checked.unique ?? this.#idempotency(options.idempotencyKey, body, principal)
    const written = await this.store.crumbs.create(draft, principal, {
      unique,
      request: checked.request,
    })
    if (!written.isNew && unique?.digest !== undefined && unique.digest !== written.digest)
      throw new ToolError('IDEMPOTENCY_KEY_REUSED', `The key ${unique.key} was used for a different body.`, {
        hint: 'Use a new key for a new request.',
      })
    if (draft.schema_name === toolSchema) await this.#onToolWritten?.()
    return {
      status: 201,
      id: written.id,
      version: written.version,
      isReplay: !written.isNew,
      warnings: checked.warnings ?? [],
    }
  }

  /** The crumb with its hints applied. */
  async view(id: string, principal: Principal): Promise<CrumbItem & { readonly llm_hints?: JsonObject }> {
    const crumb = await this.crumb(id, principal)
    const hints = crumb.llm_hints ?? (await this.#schemaHints(crumb))
    return {
      ...itemOf(crumb, false),
      context: applyHints(crumb.context, hints),
      llm_hints: crumb.llm_hints,
    }
  }

  /** All fields, context untouched. */
  async full(id: string, principal: Principal): Promise<FullCrumb> {
    return fullView(await this.crumb(id, principal))
  }

  /** The crumb itself, when the principal may see it; else 404. */
  async crumb(id: string, principal: Principal): Promise<Crumb> {
    const crumb = await this.store.crumbs.get(id)
    if (!crumb || !canSee(crumb, principal)) throw notFound(id)
    return crumb
  }

  async list(params: ListParams, principal: Principal): Promise<{ items: CrumbItem[]; next?: string }> {
    const query: ListQuery = {
      viewer: principal,
      tags: params.tags ? tagsOf(params.tags) : undefined,
      schema: params.schema,
      schemas: params.schemas,
      words: params.q === undefined || params.q.trim() === '' ? undefined : params.q,
      limit: limitOf(params.limit, 100, 'limit'),
      offset: offsetOf(params.offset),
      after: params.cursor === undefined ? undefined : cursorOf(params.cursor),
    }
    const page = await this.store.crumbs.list(query)
    const shown = params.isShown ? page.crumbs.filter(params.isShown) : page.crumbs
    const items = shown.map((crumb) => itemOf(crumb, params.includeContext !== false))
    return page.next === undefined ? { items } : { items, next: String(page.next) }
  }

  async search(params: SearchParams, principal: Principal): Promise<CrumbItem[]> {
    const query: SearchQuery = {
      viewer: principal,
      words: params.q,
      tags: params.tags ? tagsOf(params.tags) : undefined,
      schema: params.schema,
      schemas: params.schemas,
      limit: limitOf(params.nn, 5, 'nn'),
    }
    const found = await this.store.crumbs.search(query)
    const shown = found.filter(({ crumb }) => params.isShown?.(crumb) ?? true)
    return shown.map(({ crumb, score }) => ({ ...itemOf(crumb, params.includeContext !== false), score }))
  }

  /** Every version, newest first. */
  async history(id: string, principal: Principal): Promise<CrumbVersion[]> {
    await this.crumb(id, principal)
    const versions = await this.store.crumbs.history(id)
    return versions.map((crumb) => ({
      version: crumb.version,
      title: crumb.title,
      tags: crumb.tags,
      context: crumb.context,
      checksum: measureOf(crumb.context).checksum,
      updated_at: crumb.updated_at,
      updated_by: crumb.updated_by,
    }))
  }

  /** `ifMatch` null: the last write wins. */
  async update(
    id: string,
    body: unknown,
    principal: Principal,
    ifMatch: number | null = null,
  ): Promise<WriteResult> {
    for (let attempt = 0; ; attempt++) {
      const current = await this.#writable(id, principal)
      if (ifMatch !== null && current.version !== ifMatch) throw versionMismatch(id, ifMatch, current.version)
      const draft = patchedDraft(current, body, this.#clock.now())
      const { warnings } = await checkDraft(draft, principal, current, this.#checks)
      try {
        const { version } = await this.store.crumbs.update(id, current.version, draft, principal)
        await this.#tell(current.schema_name, draft.schema_name)
        return { status: 200, id, version, isReplay: false, warnings: warnings ?? [] }
      } catch (error) {
        const isRace = hasCode(error, 'VERSION_MISMATCH') && ifMatch === null && attempt < 50
        if (!isRace) throw error
      }
    }
  }

  /** Puts a body in the place of what a crumb held: it is afterwards what it would be if it were new. */
  async replace(current: Crumb, body: unknown, principal: Principal): Promise<WriteResult> {
    const draft = draftOf(body, this.#clock.now())
    const { warnings } = await checkDraft(draft, principal, current, this.#checks)
    const { id, version } = await this.store.crumbs.update(current.id, current.version, draft, principal)
    await this.#tell(current.schema_name, draft.schema_name)
    return { status: 200, id, version, isReplay: false, warnings: warnings ?? [] }
  }

  async remove(
    id: string,
    principal: Principal,
    options: { readonly ifMatch?: number | null; readonly reason?: 'api' | 'file' } = {},
  ): Promise<void> {
    const { schema_name } = await this.#writable(id, principal)
    const isGone = await this.store.crumbs.remove(
      id,
      options.ifMatch ?? null,
      principal,
      options.reason ?? 'api',
    )
    if (!isGone) throw notFound(id)
    await this.#tell(schema_name)
  }

  async #tell(...schemas: readonly (string | undefined)[]): Promise<void> {
    if (schemas.includes(toolSchema)) await this.#onToolWritten?.()
  }

  async #writable(id: string, principal: Principal): Promise<Crumb> {
    const crumb = await this.crumb(id, principal)
    if (crumb.owner_id !== principal.owner)
      throw new ToolError('FORBIDDEN', `Breadcrumb ${id} belongs to another owner.`)
    return crumb
  }

  #idempotency(key: string | undefined, body: unknown, principal: Principal): UniqueKey | undefined {
    if (key === undefined) return undefined
    if (key === '' || key.length > 255)
      throw new ToolError('MALFORMED', 'An idempotency key has 1 to 255 characters.')
    return {
      scope: `idempotency:${principal.owner}:${principal.tool ?? ''}:${principal.name}`,
      key,
      digest: jsonDigest(body),
      expiresMs: this.#clock.now() + idempotencyMs,
    }
  }

  async #schemaHints(crumb: Crumb): Promise<JsonObject | undefined> {
    if (crumb.schema_name === undefined) return undefined
    const { crumbs } = await this.store.crumbs.list({
      viewer: { owner: crumb.owner_id, name: '', isAdmin: true },
      tags: [`defines:${crumb.schema_name}`],
      schema: 'schema.def.v1',
      limit: 1,
    })
    const definition = crumbs[0]
    if (!definition) return undefined
    if (definition.llm_hints) return definition.llm_hints
    const inner = isPlainObject(definition.context) ? definition.context['llm_hints'] : undefined
    return isPlainObject(inner) ? (inner as JsonObject) : undefined
  }
}

/** What a body becomes when it is stored as a new crumb; throws the error it would be refused with. */
export async function checkedDraft(
  body: unknown,
  principal: Principal,
  checks: CrumbChecks,
  nowMs: number,
): Promise<{ readonly draft: CrumbDraft; readonly checked: Checked }> {
  const draft = draftOf(body, nowMs)
  return { draft, checked: await checkDraft(draft, principal, null, checks) }
}

async function checkDraft(
  draft: CrumbDraft,
  principal: Principal,
  current: Crumb | null,
  checks: CrumbChecks,
): Promise<Checked> {
  const schema = draft.schema_name
  if (schema === undefined || !Object.hasOwn(checks, schema)) return {}
  return (await checks[schema]!(draft, principal, current)) ?? {}
}

/** The owner's crumbs and public ones; private ones only their creator and an admin. */
function canSee(crumb: Crumb, principal: Principal): boolean {
  if (crumb.owner_id !== principal.owner && crumb.visibility !== 'public') return false
  return crumb.visibility !== 'private' || principal.isAdmin || crumb.created_by === principal.name
}

/** `3`, `"3"`, `W/"3"` → 3; `*` or absent → null; throws 400 on anything else. */
export function parseIfMatch(header: string | null | undefined): number | null {
  if (header === null || header === undefined || header.trim() === '*') return null
  const match = /^(?:(\d{1,15})|(?:W\/)?"(\d{1,15})")$/.exec(header.trim())
  if (match) return Number(match[1] ?? match[2])
  throw new ToolError('IF_MATCH_INVALID', `If-Match "${header}" is not a version.`, {
    hint: 'Give a version such as 3 or "3", or *.',
  })
}

function limitOf(given: number | undefined, usual: number, name: string): number {
  if (given === undefined) return usual
  if (!Number.isInteger(given) || given < 1 || given > maxListLimit)
    throw new ToolError('MALFORMED', `${name} is a whole number from 1 to ${maxListLimit}.`)
  return given
}

function offsetOf(given = 0): number {
  const offset = Math.max(0, Math.floor(given))
  if (Number.isSafeInteger(offset)) return offset
  throw new ToolError('MALFORMED', 'offset is a whole number from 0.')
}

/** No crumb has more tags than this, and the database joins no more. */
function tagsOf(given: readonly string[]): readonly string[] {
  const tags = [...new Set(given)]
  if (tags.length <= maxTags) return tags
  throw new ToolError('MALFORMED', `A breadcrumb has at most ${maxTags} tags; ${tags.length} were asked for.`)
}

function cursorOf(given: string): number {
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new ToolError('MALFORMED', 'The cursor is not one this store gave out.')
}
