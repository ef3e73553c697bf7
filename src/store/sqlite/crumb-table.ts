// Crumbs in SQLite: creates, changes and deletes append to the log, reads go through the living heads.
import { cribPrincipal, type Principal } from '../../tool/principal.ts'
import type { Clock } from '../clock.ts'
import type { Crumb, CrumbDraft, DeleteReason } from '../crumb.ts'
import { notFound, versionMismatch } from '../crumb-error.ts'
import { crumbOf, prepareNew, prepareNext } from '../log-row.ts'
import type {
  CreateOptions,
  CrumbTable,
  ListQuery,
  RequestEntry,
  SearchQuery,
  UniqueKey,
  Viewer,
  Written,
} from '../store.ts'
import type { Database, Value } from './database.ts'
import { appendDelete, appendNew, appendWrite } from './log.ts'
import type { WordIndex } from './word-index.ts'

/** A tag with more crumbs than this counts as common. */
const countAtMost = 1_000

export class SqliteCrumbTable implements CrumbTable {
  readonly #db: Database
  readonly #clock: Clock
  readonly #words: WordIndex

  constructor(db: Database, clock: Clock, words: WordIndex) {
    this.#db = db
    this.#clock = clock
    this.#words = words
  }

  async create(draft: CrumbDraft, principal: Principal, options: CreateOptions = {}): Promise<Written> {
    const nowMs = this.#clock.now()
    const write = prepareNew(draft, principal, nowMs)
    const { id } = write.crumb
    const written = { id, version: 1, isNew: true }
    if (!options.unique && !options.request) {
      await appendNew(this.#db, write, principal, nowMs)
      return written
    }
    return this.#db.write(() => {
      const taken = options.unique && this.#takenBy(options.unique, nowMs)
      if (taken) return taken
      const seq = appendWrite(this.#db, write, 'created', null, principal, nowMs)
      if (options.unique) takeKey(this.#db, options.unique, id, 1)
      if (options.request) this.#enqueue(seq, id, options.request, nowMs)
      return written
    })
  }

  async get(id: string): Promise<Crumb | null> {
    return this.#db.read(() => this.#living(id)?.crumb ?? null)
  }

  async list(query: ListQuery): Promise<{ crumbs: readonly Crumb[]; next?: number }> {
    if (query.words !== undefined) await this.#words.catchUp()
    return this.#db.read(() => {
      const tags = this.#rarestFirst(distinct(query.tags))
      // The order of the tables is the order of the loops: along the first tag, newest first, no sorting.
      const key = tags.length > 0 ? 't0.seq' : 'heads.seq'
      const from = [...tags.map((_, index) => `tags t${index}`), 'heads', 'log'].join(' CROSS JOIN ')
      const { where, values } = this.#conditions(query, tags, key)
      where.push(`heads.seq = ${key}`, `log.seq = ${key}`)
      if (query.words !== undefined) {
        const match = matchAll(query.words)
        if (match === null) return { crumbs: [] }
        where.push(`${key} IN (SELECT rowid FROM words WHERE words MATCH ?)`)
        values.push(match)
      }
      if (query.after !== undefined) {
        where.push(`${key} < ?`)
        values.push(query.after)
      }
      const rows = this.#db
        .query(
          `SELECT heads.seq, log.body FROM ${from}
           WHERE ${where.join(' AND ')} ORDER BY ${key} DESC LIMIT ? OFFSET ?`,
        )
        .all(...values, query.limit + 1, query.offset ?? 0)
      const crumbs = rows.slice(0, query.limit).map((row) => crumbOf(row[1]))
      const isMore = rows.length > query.limit
      return isMore ? { crumbs, next: rows[query.limit - 1]![0] as number } : { crumbs }
    })
  }

  async search(query: SearchQuery): Promise<readonly { crumb: Crumb; score: number }[]> {
    const match = matchAny(query.words)
    if (match === null) return []
    await this.#words.catchUp()
    return this.#db.read(() => {
      const tags = distinct(query.tags)
      const from = ['words', 'heads', ...tags.map((_, index) => `tags t${index}`), 'log'].join(' CROSS JOIN ')
      const { where, values } = this.#conditions(query, tags, 'heads.seq')
      const rows = this.#db
        .query(
          `SELECT log.body, -words.rank FROM ${from}
           WHERE words MATCH ? AND heads.seq = words.rowid AND log.seq = heads.seq AND ${where.join(' AND ')}
           ORDER BY words.rank, heads.seq DESC LIMIT ?`,
        )
        .all(match, ...values, query.limit)
      return rows.map((row) => ({ crumb: crumbOf(row[0]), score: row[1] as number }))
    })
  }

  async history(id: string): Promise<readonly Crumb[]> {
    return this.#db.read(() => {
      if (!this.#living(id)) return []
      return this.#db
        .query(
          `WITH RECURSIVE versions(seq, prev, body) AS (
             SELECT log.seq, log.prev, log.body FROM heads JOIN log ON log.seq = heads.seq WHERE heads.id = ?
             UNION ALL SELECT log.seq, log.prev, log.body FROM versions JOIN log ON log.seq = versions.prev)
           SELECT body FROM versions ORDER BY seq DESC`,
        )
        .all(id)
        .map((row) => crumbOf(row[0]))
    })
  }

  async update(
    id: string,
    expectedVersion: number,
    next: CrumbDraft,
    principal: Principal,
  ): Promise<Written> {
    const nowMs = this.#clock.now()
    const before = await this.get(id)
    if (!before) throw notFound(id)
    if (before.version !== expectedVersion) throw versionMismatch(id, expectedVersion, before.version)
    const write = prepareNext(next, principal, before, nowMs)
    return this.#db.write(() => {
      const living = this.#living(id)
      if (!living) throw notFound(id)
      if (living.crumb.version !== expectedVersion)
        throw versionMismatch(id, expectedVersion, living.crumb.version)
      appendWrite(this.#db, write, 'updated', living.seq, principal, nowMs)
      return { id, version: write.crumb.version, isNew: true }
    })
  }

  remove(
    id: string,
    expectedVersion: number | null,
    principal: Principal,
    reason: DeleteReason,
  ): Promise<boolean> {
    const nowMs = this.#clock.now()
    return this.#db.write(() => {
      const living = this.#living(id)
      if (!living) return false
      if (expectedVersion !== null && living.crumb.version !== expectedVersion)
        throw versionMismatch(id, expectedVersion, living.crumb.version)
      appendDelete(this.#db, living.crumb, living.seq, principal, reason, nowMs)
      return true
    })
  }

  purge(limit: number): Promise<number> {
    const nowMs = this.#clock.now()
    const expired = this.#db.read(() =>
      this.#db.query('SELECT seq FROM heads WHERE expires <= ? LIMIT ?').all(nowMs, limit),
    )
    if (expired.length === 0) return Promise.resolve(0)
    return this.#db.write(() => {
      let count = 0
      for (const [seq] of expired) {
        // Another process may have purged or changed it meanwhile: look again inside the transaction.
        const row = this.#db
          .query('SELECT log.body FROM heads JOIN log ON log.seq = heads.seq WHERE heads.seq = ?')
          .get(seq!)
        if (!row) continue
        const crumb = crumbOf(row[0])
        const principal = { ...cribPrincipal, owner: crumb.owner_id }
        appendDelete(this.#db, crumb, seq as number, principal, 'ttl', nowMs)
        count++
      }
      this.#db.query('DELETE FROM unique_keys WHERE expires <= ?').run(nowMs)
      return count
    })
  }

  #living(id: string): { seq: number; crumb: Crumb } | null {
    const row = this.#db
      .query(
        `SELECT heads.seq, log.body FROM heads JOIN log ON log.seq = heads.seq
         WHERE heads.id = ? AND (heads.expires IS NULL OR heads.expires > ?)`,
      )
      .get(id, this.#clock.now())
    return row ? { seq: row[0] as number, crumb: crumbOf(row[1]) } : null
  }

  /** Looking along a tag that few crumbs have is fast; among tags that many have the order does not matter. */
  #rarestFirst(tags: string[]): string[] {
    if (tags.length < 2) return tags
    const counted = tags.map((tag) => {
      const row = this.#db
        .query(`SELECT count(*) FROM (SELECT 1 FROM tags WHERE tag = ? LIMIT ${countAtMost})`)
        .get(tag)
      return { tag, count: Number(row?.[0] ?? 0) }
    })
    return counted.sort((a, b) => a.count - b.count).map(({ tag }) => tag)
  }

  #takenBy(unique: UniqueKey, nowMs: number): Written | null {
    const row = this.#db
      .query(
        `SELECT crumb, version, digest FROM unique_keys
         WHERE scope = ? AND key = ? AND (expires IS NULL OR expires > ?)`,
      )
      .get(unique.scope, unique.key, nowMs)
    if (!row) return null
    const [id, version, digest] = row as [string, number, string | null]
    return { id, version, isNew: false, ...(digest === null ? {} : { digest }) }
  }

  #enqueue(seq: number, id: string, entry: RequestEntry, nowMs: number): void {
    const dedupe = entry.dedupeKey ?? null
    const earlier =
      dedupe !== null &&
      this.#db
        .query('SELECT 1 FROM requests WHERE dedupe = ? AND first_at > ? LIMIT 1')
        .get(dedupe, nowMs - entry.dedupeMs)
    this.#db
      .query(
        'INSERT INTO requests(seq, id, state, due, attempts, first_at, dedupe, tool) VALUES (?, ?, ?, ?, 0, ?, ?, ?)',
      )
      .run(
        seq,
        id,
        earlier ? 'duplicate' : 'waiting',
        nowMs,
        nowMs,
        earlier ? null : dedupe,
        entry.tool ?? null,
      )
  }

  /** Which living crumbs: conditions over `heads` and one `tags tN` per tag, all joined by `key`. */
  #conditions(
    query: {
      readonly viewer: Viewer | null
      readonly schema?: string
      readonly schemas?: readonly string[]
    },
    tags: readonly string[],
    key: string,
  ): { where: string[]; values: Value[] } {
    const where = ['(heads.expires IS NULL OR heads.expires > ?)']
    const values: Value[] = [this.#clock.now()]
    tags.forEach((tag, index) => {
      where.push(`t${index}.tag = ?`, `t${index}.seq = ${key}`)
      values.push(tag)
      if (query.schema !== undefined) {
        where.push(`t${index}.schema_name = ?`)
        values.push(query.schema)
      }
    })
    if (query.schema !== undefined && tags.length === 0) {
      where.push('heads.schema_name = ?')
      values.push(query.schema)
    }
    if (query.schemas && !query.schemas.includes('*')) {
      const parts = query.schemas.map((pattern) =>
        pattern.endsWith('.*') ? 'substr(heads.schema_name, 1, ?) = ?' : 'heads.schema_name = ?',
      )
      where.push(parts.length === 0 ? '0' : `(${parts.join(' OR ')})`)
      for (const pattern of query.schemas) {
        if (pattern.endsWith('.*')) values.push(pattern.length - 1, pattern.slice(0, -1))
        else values.push(pattern)
      }
    }
    if (query.viewer) {
      where.push('(heads.owner = ? OR heads.visibility = ?)')
      values.push(query.viewer.owner, 'public')
      if (!query.viewer.isAdmin) {
        where.push('(heads.visibility <> ? OR heads.creator = ?)')
        values.push('private', query.viewer.name)
      }
    }
    return { where, values }
  }
}

function distinct(tags: readonly string[] = []): string[] {
  return [...new Set(tags)]
}

/** Takes a unique key for a crumb; must run inside a write. */
export function takeKey(db: Database, unique: UniqueKey, id: string, version: number): void {
  db.query(
    'INSERT OR REPLACE INTO unique_keys(scope, key, crumb, version, digest, expires) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(unique.scope, unique.key, id, version, unique.digest ?? null, unique.expiresMs ?? null)
}

/** Words as an FTS5 expression in which nothing is syntax; null when there is no word at all. */
function ftsWords(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, 64)
    .map((word) => `"${word.replaceAll('"', '""').replaceAll('\0', '')}"`)
}

function matchAll(text: string): string | null {
  const words = ftsWords(text)
  return words.length === 0 ? null : words.join(' AND ')
}

function matchAny(text: string): string | null {
  const words = ftsWords(text)
  return words.length === 0 ? null : words.join(' OR ')
}
