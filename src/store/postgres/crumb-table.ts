// Crumbs in PostgreSQL: writes go through the appender, reads through the living heads.
import { cribPrincipal, type Principal } from '../../tool/principal.ts'
import type { Clock } from '../clock.ts'
import type { Crumb, CrumbDraft, DeleteReason } from '../crumb.ts'
import { notFound, versionMismatch } from '../crumb-error.ts'
import { crumbOf, type PreparedWrite, prepareNew, prepareNext } from '../log-row.ts'
import type { CreateOptions, CrumbTable, ListQuery, SearchQuery, Viewer, Written } from '../store.ts'
import { type Appender, keyFields, opOf, plain, requestFields } from './appender.ts'
import { Conditions } from './conditions.ts'
import type { Database } from './database.ts'
import { queryOf, type WordIndex } from './word-index.ts'

export class PostgresCrumbTable implements CrumbTable {
  readonly #db: Database
  readonly #clock: Clock
  readonly #appender: Appender
  readonly #words: WordIndex

  constructor(db: Database, clock: Clock, appender: Appender, words: WordIndex) {
    this.#db = db
    this.#clock = clock
    this.#appender = appender
    this.#words = words
  }

  async create(draft: CrumbDraft, principal: Principal, options: CreateOptions = {}): Promise<Written> {
    const nowMs = this.#clock.now()
    const write = prepareNew(draft, principal, nowMs)
    const op = {
      ...opOf(write, 'create', 'created', principal, nowMs),
      ...keyFields(options.unique),
      ...requestFields(options.request),
    }
    const [result] = await this.#appender.append([op])
    const { taken, version, digest } = result!
    if (taken === undefined) return { id: write.crumb.id, version: 1, isNew: true }
    return { id: taken, version: version!, isNew: false, ...(digest == null ? {} : { digest }) }
  }

  async get(id: string): Promise<Crumb | null> {
    const rows = await this.#db.query(
      `SELECT log.body FROM heads JOIN log ON log.seq = heads.seq
       WHERE heads.id = $1 AND (heads.expires IS NULL OR heads.expires > $2)`,
      [plain(id), this.#clock.now()],
    )
    return rows[0] ? crumbOf(rows[0][0]) : null
  }

  async list(query: ListQuery): Promise<{ crumbs: readonly Crumb[]; next?: number }> {
    const conditions = this.#conditions(query)
    if (query.words !== undefined) {
      const words = queryOf(query.words, 'and')
      if (words === null) return { crumbs: [] }
      await this.#words.catchUp()
      conditions.add(
        (n) =>
          `EXISTS (SELECT 1 FROM words WHERE words.seq = heads.seq AND words.text @@ to_tsquery('simple', ${n}))`,
        words,
      )
    }
    if (query.after !== undefined) conditions.add((n) => `heads.seq < ${n}`, query.after)
    const rows = await this.#db.query(
      `SELECT heads.seq, log.body FROM heads JOIN log ON log.seq = heads.seq ${conditions.joins}
       WHERE ${conditions.where} ORDER BY heads.seq DESC
       LIMIT ${conditions.value(query.limit + 1)} OFFSET ${conditions.value(query.offset ?? 0)}`,
      conditions.values,
    )
    const crumbs = rows.slice(0, query.limit).map((row) => crumbOf(row[1]))
    return rows.length > query.limit ? { crumbs, next: rows[query.limit - 1]![0] as number } : { crumbs }
  }

  async search(query: SearchQuery): Promise<readonly { crumb: Crumb; score: number }[]> {
    const words = queryOf(query.words, 'or')
    if (words === null) return []
    await this.#words.catchUp()
    const conditions = this.#conditions(query)
    const asked = conditions.value(words)
    const rows = await this.#db.query(
      `SELECT log.body, ts_rank_cd(words.text, to_tsquery('simple', ${asked}), 1)::float8 AS score
       FROM words JOIN heads ON heads.seq = words.seq JOIN log ON log.seq = heads.seq ${conditions.joins}
       WHERE words.text @@ to_tsquery('simple', ${asked}) AND ${conditions.where}
       ORDER BY score DESC, heads.seq DESC LIMIT ${conditions.value(query.limit)}`,
      conditions.values,
    )
    return rows.map((row) => ({ crumb: crumbOf(row[0]), score: row[1] as number }))
  }

  async history(id: string): Promise<readonly Crumb[]> {
    const rows = await this.#db.query(
      `WITH RECURSIVE versions(seq, prev, body) AS (
         SELECT log.seq, log.prev, log.body FROM heads JOIN log ON log.seq = heads.seq
           WHERE heads.id = $1 AND (heads.expires IS NULL OR heads.expires > $2)
         UNION ALL SELECT log.seq, log.prev, log.body FROM versions JOIN log ON log.seq = versions.prev)
       SELECT body FROM versions ORDER BY seq DESC`,
      [plain(id), this.#clock.now()],
    )
    return rows.map((row) => crumbOf(row[0]))
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
    const former = before.schema_name === next.schema_name ? undefined : before.schema_name
    const op = {
      ...opOf(write, 'change', 'updated', principal, nowMs),
      expected: expectedVersion,
      ...(former === undefined ? {} : { former: plain(former) }),
    }
    const [result] = await this.#appender.append([op])
    if (result!.gone) throw notFound(id)
    if (result!.seq === undefined) throw versionMismatch(id, expectedVersion, result!.version!)
    return { id, version: write.crumb.version, isNew: true }
  }

  async remove(
    id: string,
    expectedVersion: number | null,
    principal: Principal,
    reason: DeleteReason,
  ): Promise<boolean> {
    for (;;) {
      const current = await this.get(id)
      if (!current) return false
      if (expectedVersion !== null && current.version !== expectedVersion)
        throw versionMismatch(id, expectedVersion, current.version)
      const result = await this.#end(current, principal, reason)
      if (result !== 'changed') return result === 'ended'
    }
  }

  async purge(limit: number): Promise<number> {
    const nowMs = this.#clock.now()
    const rows = await this.#db.query(
      'SELECT log.body FROM heads JOIN log ON log.seq = heads.seq WHERE heads.expires <= $1 LIMIT $2',
      [nowMs, limit],
    )
    const ended = await Promise.all(
      rows.map((row) => {
        const crumb = crumbOf(row[0])
        return this.#end(crumb, { ...cribPrincipal, owner: crumb.owner_id }, 'ttl')
      }),
    )
    await this.#db.run('DELETE FROM unique_keys WHERE expires <= $1', [nowMs])
    return ended.filter((result) => result === 'ended').length
  }

  async #end(
    crumb: Crumb,
    principal: Principal,
    reason: DeleteReason,
  ): Promise<'ended' | 'gone' | 'changed'> {
    const nowMs = this.#clock.now()
    const op = {
      ...opOf(prepareEnd(crumb, principal, nowMs), 'change', 'deleted', principal, nowMs),
      expected: crumb.version,
      reason,
    }
    const [result] = await this.#appender.append([op])
    return result!.gone ? 'gone' : result!.seq === undefined ? 'changed' : 'ended'
  }

  #conditions(query: {
    readonly viewer: Viewer | null
    readonly tags?: readonly string[]
    readonly schema?: string
    readonly schemas?: readonly string[]
  }): Conditions {
    const conditions = new Conditions()
    conditions.add((n) => `(heads.expires IS NULL OR heads.expires > ${n})`, this.#clock.now())
    for (const tag of new Set(query.tags)) conditions.tag(plain(tag))
    if (query.schema !== undefined) conditions.add((n) => `heads.schema_name = ${n}`, plain(query.schema))
    if (query.schemas && !query.schemas.includes('*')) conditions.schemas(query.schemas.map(plain))
    if (query.viewer) conditions.viewer(query.viewer)
    return conditions
  }
}

/** The last row of a crumb: what it was, without its context. */
function prepareEnd(crumb: Crumb, principal: Principal, nowMs: number): PreparedWrite {
  const last: Crumb = {
    ...crumb,
    context: null,
    version: crumb.version + 1,
    updated_by: principal.name,
    updated_at: new Date(nowMs).toISOString(),
  }
  return { crumb: last, body: JSON.stringify(last), tags: '[]', expires: null }
}
