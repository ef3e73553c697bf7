// Crumbs are written to SQLite's log; its triggers keep the living heads and their tags.

import type { Principal } from '../../tool/principal.ts'
import type { LogWriter } from '../crumb-table.ts'
import { causationText, type PreparedWrite } from '../log-row.ts'
import type { RequestEntry, UniqueKey, Written } from '../store.ts'
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

export function sqliteLogWriter(db: Database): LogWriter {
  return {
    async create(write, principal, { unique, request }, atMs) {
      const { id } = write.crumb
      const written = { id, version: 1, isNew: true }
      if (!unique && !request) {
        await appendNew(db, write, principal, atMs)
        return written
      }
      return db.write(() => {
        const taken = unique && takenBy(db, unique, atMs)
        if (taken) return taken
        const seq = append(db, write, { type: 'created', principal, atMs })
        if (unique) takeKey(db, unique, id)
        if (request) enqueue(db, { ...request, seq, id, atMs })
        return written
      })
    },

    change({ write, type, expected, principal, atMs, reason }) {
      return db.write(() => {
        // What is purged has expired.
        const row = db
          .query(
            'SELECT seq, version FROM heads WHERE id = ?1 AND (expires IS NULL OR expires > ?2 OR ?3 IS NOT NULL)',
          )
          .get(write.crumb.id, atMs, reason === 'ttl' ? reason : null)
        if (!row) return 'gone'
        const [prev, version] = row as [number, number]
        if (version !== expected) return version
        append(db, write, { type, prev, principal, atMs, reason })
        return 'done'
      })
    },
  }
}

/** Appends the first version of a crumb, in a write of its own, together with others that come in this turn. */
function appendNew(db: Database, write: PreparedWrite, principal: Principal, atMs: number): Promise<void> {
  const { crumb } = write
  return db.insertRow(newInsert, [
    crumb.id,
    atMs,
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

interface RowFacts {
  readonly type: 'created' | 'updated' | 'deleted'
  /** The row with the version before. */
  readonly prev?: number
  readonly principal: Principal
  readonly atMs: number
  readonly reason?: string | undefined
}

/** Appends one row; must run inside a write. Gives its position. */
export function append(db: Database, write: PreparedWrite, facts: RowFacts): number {
  const { crumb } = write
  return db
    .query(insertSql)
    .insert(
      crumb.id,
      crumb.version,
      facts.type,
      facts.atMs,
      facts.prev ?? null,
      crumb.owner_id,
      crumb.schema_name ?? null,
      crumb.visibility,
      crumb.created_by,
      write.expires,
      write.tags,
      write.body,
      causationText(facts.principal),
      facts.reason ?? null,
    )
}

function takenBy(db: Database, unique: UniqueKey, nowMs: number): Written | null {
  const row = db
    .query(
      `SELECT crumb, version, digest FROM unique_keys
       WHERE scope = ? AND key = ? AND (expires IS NULL OR expires > ?)`,
    )
    .get(unique.scope, unique.key, nowMs)
  if (!row) return null
  const [id, version, digest] = row as [string, number, string | null]
  return { id, version, isNew: false, digest: digest ?? undefined }
}

/** Takes a unique key for a new crumb; must run inside a write. */
export function takeKey(db: Database, unique: UniqueKey, id: string): void {
  db.query(
    'INSERT OR REPLACE INTO unique_keys(scope, key, crumb, version, digest, expires) VALUES (?, ?, ?, 1, ?, ?)',
  ).run(unique.scope, unique.key, id, unique.digest ?? null, unique.expiresMs ?? null)
}

function enqueue(
  db: Database,
  entry: RequestEntry & { readonly seq: number; readonly id: string; readonly atMs: number },
): void {
  const { seq, id, atMs, dedupeKey = null, dedupeMs, tool = null } = entry
  const isDuplicate =
    dedupeKey !== null &&
    db
      .query('SELECT 1 FROM requests WHERE dedupe = ? AND first_at > ? LIMIT 1')
      .get(dedupeKey, atMs - dedupeMs) !== undefined
  db.query(
    'INSERT INTO requests(seq, id, state, due, attempts, first_at, dedupe, tool) VALUES (?, ?, ?, ?, 0, ?, ?, ?)',
  ).run(seq, id, isDuplicate ? 'duplicate' : 'waiting', atMs, atMs, isDuplicate ? null : dedupeKey, tool)
}
