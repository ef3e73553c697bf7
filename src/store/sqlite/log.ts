// Appending to the log in SQLite.
import type { Principal } from '../../tool/principal.ts'
import type { Crumb, DeleteReason } from '../crumb.ts'
import { causationText, type PreparedWrite } from '../log-row.ts'
import type { Database } from './database.ts'
import { rowInsert } from './row-insert.ts'

const insertSql = `INSERT INTO log
  (id, version, type, at, prev, owner, schema_name, visibility, creator, expires, tags, body, causation, reason)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const newInsert = rowInsert(
  `INSERT INTO log
  (id, at, owner, schema_name, visibility, creator, expires, tags, body, causation, version, type)`,
  `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'created')`,
)

/** Appends the first version of a crumb, in a write of its own, together with others that come in this turn. */
export function appendNew(
  db: Database,
  write: PreparedWrite,
  principal: Principal,
  nowMs: number,
): Promise<void> {
  const { crumb } = write
  return db.insertRow(newInsert, [
    crumb.id,
    nowMs,
    crumb.owner_id,
    crumb.schema_name ?? null,
    crumb.visibility,
    crumb.created_by,
    write.expires,
    write.tags,
    write.body,
    causationText(principal),
  ])
}

/** Appends one row; must run inside a write. Gives its position. */
export function appendWrite(
  db: Database,
  write: PreparedWrite,
  type: 'created' | 'updated',
  prev: number | null,
  principal: Principal,
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
      causationText(principal),
      null,
    )
}

/** Appends the end of a crumb; must run inside a write. */
export function appendDelete(
  db: Database,
  crumb: Crumb,
  prev: number,
  principal: Principal,
  reason: DeleteReason,
  nowMs: number,
): void {
  const last: Crumb = { ...crumb, context: null, version: crumb.version + 1, updated_by: principal.name }
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
    causationText(principal),
    reason,
  )
}
