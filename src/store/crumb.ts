// What a breadcrumb is: the record as stored and the event every write leaves behind.

import { defined } from '../tool/defined.ts'
import { canonicalJson, type Json, type JsonObject, sha256 } from '../tool/json.ts'
import type { Static } from '../tool/shape.ts'
import type { crumbItemShape, crumbShape, crumbVersionShape, fullCrumbShape } from './crumb-shape.ts'

export const visibilities = ['public', 'team', 'private'] as const
export const sensitivities = ['low', 'pii', 'secret'] as const
export type Visibility = (typeof visibilities)[number]

/** A breadcrumb with all its fields. Field names are those of the HTTP interface. */
export interface Crumb extends Static<typeof crumbShape> {
  /** Top-level fields nobody here knows, kept as they came. */
  readonly extra?: JsonObject
}

/** What a writer decides; the store adds id, version, checksum, sizes and times. */
export type CrumbDraft = Pick<
  Crumb,
  | 'title'
  | 'description'
  | 'semantic_version'
  | 'context'
  | 'tags'
  | 'schema_name'
  | 'llm_hints'
  | 'visibility'
  | 'sensitivity'
  | 'ttl'
  | 'extra'
>

export type EventType = 'breadcrumb.created' | 'breadcrumb.updated' | 'breadcrumb.deleted'
export type DeleteReason = 'api' | 'ttl' | 'file'

/** How an event came about: the event at the root of the chain and how many runs lie between. */
export interface Causation {
  readonly root: string
  readonly depth: number
  readonly by_tool: string | null
  /** The run that wrote it, when one did. */
  readonly by_run?: string
}

export interface CrumbEvent {
  /** Position in the feed, as text; later events have higher numbers. */
  readonly id: string
  readonly type: EventType
  readonly breadcrumb_id: string
  readonly owner_id: string
  readonly version: number
  readonly tags: readonly string[]
  readonly schema_name?: string
  readonly title: string
  readonly updated_at: string
  readonly created_by: string
  readonly context?: Json
  readonly reason?: DeleteReason
  readonly causation: Causation
}

/** A crumb with what is worked out of its context. */
export interface FullCrumb extends Static<typeof fullCrumbShape> {}

/** One version of its history. */
export interface CrumbVersion extends Static<typeof crumbVersionShape> {}

/** What a list shows of a crumb. */
export interface CrumbItem extends Static<typeof crumbItemShape> {}

/** A crumb as a list item; the context of a secret crumb is never part of it. */
export function itemOf(crumb: Crumb, includeContext: boolean): CrumbItem {
  return defined({
    id: crumb.id,
    title: crumb.title,
    description: crumb.description,
    semantic_version: crumb.semantic_version,
    tags: crumb.tags,
    schema_name: crumb.schema_name,
    version: crumb.version,
    updated_at: crumb.updated_at,
    context: includeContext && crumb.sensitivity !== 'secret' ? crumb.context : undefined,
  })
}

/**
 * All fields of a crumb as the interface shows them: unknown ones at the top, where they were given; checksum
 * and size are worked out here, so that a write does not have to.
 */
export function fullView(crumb: Crumb): FullCrumb {
  const { extra, ...known } = crumb
  return { ...extra, ...known, ...measureOf(crumb.context) }
}

/** SHA-256 of the canonical context, and its size. */
export function measureOf(context: Json): { readonly checksum: string; readonly size_bytes: number } {
  const canonical = canonicalJson(context)
  return { checksum: `sha256:${sha256(canonical)}`, size_bytes: Buffer.byteLength(canonical) }
}

/** An event this many steps behind its first cause sets nothing off. */
export const maxDepth = 8
export const defaultWorkspace = 'workspace:tools'
