// Writing to and reading from the log table: the one place that knows its columns.
import type { Json } from '../../tool/json.ts'
import type { Actor, Causation, Crumb, CrumbDraft, CrumbEvent, DeleteReason, EventType } from '../crumb.ts'
import { timeId } from '../ids.ts'
import type { Database, Row } from './database.ts'

/** A crumb ready to be written, with the JSON work done outside the transaction. */
export interface PreparedWrite {
  readonly crumb: Crumb
  readonly body: string
  readonly tags: string
  readonly expires: number | null
}

export function prepareNew(draft: CrumbDraft, actor: Actor, nowMs: number): PreparedWrite {
  const now = new Date(nowMs).toISOString()
  return prepare(draft, {
    id: timeId(nowMs),
    owner_id: actor.owner,
    version: 1,
    created_at: now,
    updated_at: now,
    created_by: actor.name,
    updated_by: actor.name,
  })
}

export function prepareNext(draft: CrumbDraft, actor: Actor, current: Crumb, nowMs: number): PreparedWrite {
  return prepare(draft, {
    id: current.id,
    owner_id: current.owner_id,
    version: current.version + 1,
    created_at: current.created_at,
    updated_at: new Date(nowMs).toISOString(),
    created_by: current.created_by,
    updated_by: actor.name,
  })
}

type Stamped = Pick<
  Crumb,
  'id' | 'owner_id' | 'version' | 'created_at' | 'updated_at' | 'created_by' | 'updated_by'
>

function prepare(draft: CrumbDraft, stamp: Stamped): PreparedWrite {
  const crumb: Crumb = { ...draft, ...stamp }
  return {
    crumb,
    body: JSON.stringify(crumb),
    tags: JSON.stringify(crumb.tags),
    expires: crumb.ttl === undefined ? null : Date.parse(crumb.ttl),
  }
}

const insertSql = `INSERT INTO log
  (id, version, type, at, prev, owner, schema_name, visibility, creator, expires, tags, body, causation, reason)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Appends one row; must run inside a write. Gives its position. */
export function appendWrite(
  db: Database,
  write: PreparedWrite,
  type: 'created' | 'updated',
  prev: number | null,
  actor: Actor,
  nowMs: number,
): number {
  const { crumb } = write
  return db
    .query(insertSql)
    .insert(
      crumb.id,
      crumb.version,
      type,
      nowMs,
      prev,
      crumb.owner_id,
      crumb.schema_name ?? null,
      crumb.visibility,
      crumb.created_by,
      write.expires,
      write.tags,
      write.body,
      causationText(actor),
      null,
    )
}

/** Appends the end of a crumb; must run inside a write. */
export function appendDelete(
  db: Database,
  crumb: Crumb,
  prev: number,
  actor: Actor,
  reason: DeleteReason,
  nowMs: number,
): void {
  const last: Crumb = { ...crumb, context: null, version: crumb.version + 1, updated_by: actor.name }
  db.query(insertSql).insert(
    crumb.id,
    last.version,
    'deleted',
    nowMs,
    prev,
    crumb.owner_id,
    crumb.schema_name ?? null,
    crumb.visibility,
    crumb.created_by,
    null,
    '[]',
    JSON.stringify({ ...last, updated_at: new Date(nowMs).toISOString() }),
    causationText(actor),
    reason,
  )
}

export function causationText(actor: Actor): string | null {
  if (!actor.depth && !actor.tool && !actor.root) return null
  return JSON.stringify({
    root: actor.root,
    depth: actor.depth ?? 0,
    by_tool: actor.tool ?? null,
    by_run: actor.run,
  })
}

/** Columns `eventOf` reads, in its order. */
export const eventColumns = 'log.seq, log.type, log.body, log.causation, log.reason'

export function eventOf(row: Row): CrumbEvent {
  const [seq, type, body, causation, reason] = row as [number, string, string, string | null, string | null]
  const crumb = JSON.parse(body) as Crumb
  const cause = causation === null ? null : (JSON.parse(causation) as Partial<Causation>)
  const shown = type !== 'deleted' && crumb.sensitivity !== 'secret'
  return {
    id: String(seq),
    type: `breadcrumb.${type}` as EventType,
    breadcrumb_id: crumb.id,
    owner_id: crumb.owner_id,
    version: crumb.version,
    tags: crumb.tags,
    ...(crumb.schema_name === undefined ? {} : { schema_name: crumb.schema_name }),
    title: crumb.title,
    updated_at: crumb.updated_at,
    created_by: crumb.created_by,
    ...(shown ? { context: crumb.context as Json } : {}),
    ...(reason === null ? {} : { reason: reason as DeleteReason }),
    causation: {
      root: cause?.root ?? String(seq),
      depth: cause?.depth ?? 0,
      by_tool: cause?.by_tool ?? null,
      ...(cause?.by_run === undefined ? {} : { by_run: cause.by_run }),
    },
  }
}

export function crumbOf(body: unknown): Crumb {
  return JSON.parse(body as string) as Crumb
}
