// Crumbs, whichever database holds them: reads go through the living heads, writes through the database's own log.
import { cribPrincipal, type Principal } from '../tool/principal.ts'
import type { Clock } from './clock.ts'
import type { Crumb, DeleteReason } from './crumb.ts'
import { crumbOf, type PreparedWrite, prepareEnd, prepareNew, prepareNext } from './log-row.ts'
import { type Sql, Values } from './sql.ts'
import type { CreateOptions, CrumbTable, ListQuery, SearchQuery, Written } from './store.ts'
import { notFound, versionMismatch } from './store-error.ts'
import type { FullText } from './word-index.ts'

/** A tag with more crumbs than this counts as common. */
const countAtMost = 1_000
const maxFacets = 200

/** A new version, or the end, of a crumb that still has the version `expected`. */
export interface Change {
  readonly write: PreparedWrite
  readonly type: 'updated' | 'deleted'
  readonly expected: number
  /** The schema it was of before. */
  readonly former: string | undefined
  readonly principal: Principal
  readonly atMs: number
  readonly reason?: DeleteReason
}

/** How a database appends to its log; each call is one transaction. */
export interface LogWriter {
  create(write: PreparedWrite, principal: Principal, options: CreateOptions, atMs: number): Promise<Written>
  /** `gone`: it lives no longer; a number: the version it has now. In both cases nothing was written. */
  change(change: Change): Promise<'done' | 'gone' | number>
}

export interface CrumbTableParts {
  readonly sql: Sql
  readonly clock: Clock
  readonly writer: LogWriter
  readonly words: FullText
  /** The database joins tables in the order they are written: the rarest tag must come first. */
  readonly keepsJoinOrder: boolean
}

export function crumbTable({ sql, clock, writer, words, keepsJoinOrder }: CrumbTableParts): CrumbTable {
  const get = async (id: string): Promise<Crumb | null> => {
    const row = await sql.first(
      `SELECT log.body FROM heads JOIN log ON log.seq = heads.seq
       WHERE heads.id = $1 AND (heads.expires IS NULL OR heads.expires > $2)`,
      [id, clock.now()],
    )
    return row ? crumbOf(row[0]) : null
  }

  const end = (
    crumb: Crumb,
    principal: Principal,
    reason: DeleteReason,
  ): Promise<'done' | 'gone' | number> => {
    const atMs = clock.now()
    const write = prepareEnd(crumb, principal, atMs)
    const { version: expected, schema_name: former } = crumb
    return writer.change({ write, type: 'deleted', expected, former, principal, atMs, reason })
  }

  /** Looking along a tag that few crumbs have is fast; among tags that many have the order does not matter. */
  const tagsOf = async (given: readonly string[] = []): Promise<string[]> => {
    const tags = [...new Set(given)]
    if (!keepsJoinOrder || tags.length < 2) return tags
    const counted = await Promise.all(
      tags.map(async (tag) => {
        const limited = `SELECT 1 FROM tags WHERE tag = $1 LIMIT ${countAtMost}`
        const row = await sql.first(`SELECT count(*) FROM (${limited}) AS some`, [tag])
        return { tag, count: Number(row![0]) }
      }),
    )
    return counted.sort((a, b) => a.count - b.count).map(({ tag }) => tag)
  }

  return {
    create(draft, principal, options = {}) {
      const nowMs = clock.now()
      return writer.create(prepareNew(draft, principal, nowMs), principal, options, nowMs)
    },

    get,

    async list(query: ListQuery) {
      const values = new Values()
      const tags = await tagsOf(query.tags)
      // Along the first tag, newest first, no sorting.
      const key = tags.length > 0 ? 't0.seq' : 'heads.seq'
      const from = [...tags.map((_, index) => `tags t${index}`), 'heads', 'log'].join(' CROSS JOIN ')
      const where = [...conditions(query, { tags, key, values, nowMs: clock.now() }), `log.seq = ${key}`]
      if (query.words !== undefined) {
        const asked = words.queryOf(query.words, 'and')
        if (asked === null) return { crumbs: [] }
        await words.catchUp()
        where.push(words.isIn(key, values.add(asked)))
      }
      if (query.after !== undefined) where.push(`${key} < ${values.add(query.after)}`)
      const rows = await sql.query(
        `SELECT ${key}, log.body FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${key} DESC
         LIMIT ${values.add(query.limit + 1)} OFFSET ${values.add(query.offset ?? 0)}`,
        values.list,
      )
      const crumbs = rows.slice(0, query.limit).map((row) => crumbOf(row[1]))
      return rows.length > query.limit ? { crumbs, next: rows[query.limit - 1]![0] as number } : { crumbs }
    },

    async facets(query) {
      const counted = async (column: string, from: string) => {
        const values = new Values()
        const where = conditions(query, { tags: [], key: 'heads.seq', values, nowMs: clock.now() })
        const rows = await sql.query(
          `SELECT ${column}, count(*) FROM ${from} WHERE ${where.join(' AND ')} AND ${column} IS NOT NULL
           GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT ${maxFacets}`,
          values.list,
        )
        return rows.map(([value, count]) => ({ value: String(value), count: Number(count) }))
      }
      const [schemas, tags] = await Promise.all([
        counted('heads.schema_name', 'heads'),
        counted('tags.tag', 'heads JOIN tags ON tags.seq = heads.seq'),
      ])
      return { schemas, tags }
    },

    async search(query: SearchQuery) {
      const asked = words.queryOf(query.words, 'or')
      if (asked === null) return []
      await words.catchUp()
      const values = new Values()
      const { key, matches, score } = words.ranked(values.add(asked))
      const tags = [...new Set(query.tags)]
      const from = ['words', 'heads', ...tags.map((_, index) => `tags t${index}`), 'log'].join(' CROSS JOIN ')
      const where = conditions(query, { tags, key: 'heads.seq', values, nowMs: clock.now() })
      const rows = await sql.query(
        `SELECT log.body, ${score} AS score FROM ${from}
         WHERE ${matches} AND heads.seq = ${key} AND log.seq = heads.seq AND ${where.join(' AND ')}
         ORDER BY score DESC, heads.seq DESC LIMIT ${values.add(query.limit)}`,
        values.list,
      )
      return rows.map((row) => ({ crumb: crumbOf(row[0]), score: row[1] as number }))
    },

    async history(id) {
      const rows = await sql.query(
        `WITH RECURSIVE versions(seq, prev, body) AS (
           SELECT log.seq, log.prev, log.body FROM heads JOIN log ON log.seq = heads.seq
             WHERE heads.id = $1 AND (heads.expires IS NULL OR heads.expires > $2)
           UNION ALL SELECT log.seq, log.prev, log.body FROM versions JOIN log ON log.seq = versions.prev)
         SELECT body FROM versions ORDER BY seq DESC`,
        [id, clock.now()],
      )
      return rows.map((row) => crumbOf(row[0]))
    },

    async update(id, expected, next, principal) {
      const atMs = clock.now()
      const before = await get(id)
      if (!before) throw notFound(id)
      if (before.version !== expected) throw versionMismatch(id, expected, before.version)
      const write = prepareNext(next, principal, before, atMs)
      const { schema_name: former } = before
      const result = await writer.change({ write, type: 'updated', expected, former, principal, atMs })
      if (result === 'gone') throw notFound(id)
      if (result !== 'done') throw versionMismatch(id, expected, result)
      return { id, version: write.crumb.version, isNew: true }
    },

    async remove(id, expected, principal, reason) {
      for (;;) {
        const current = await get(id)
        if (!current) return false
        if (expected !== null && current.version !== expected)
          throw versionMismatch(id, expected, current.version)
        const result = await end(current, principal, reason)
        if (typeof result === 'string') return result === 'done'
      }
    },

    async purge(limit) {
      const rows = await sql.query(
        'SELECT log.body FROM heads JOIN log ON log.seq = heads.seq WHERE heads.expires <= $1 LIMIT $2',
        [clock.now(), limit],
      )
      if (rows.length === 0) return 0
      const ended = await Promise.all(
        rows.map((row) => {
          const crumb = crumbOf(row[0])
          return end(crumb, { ...cribPrincipal, owner: crumb.owner_id }, 'ttl')
        }),
      )
      await sql.run('DELETE FROM unique_keys WHERE expires <= $1', [clock.now()])
      return ended.filter((result) => result === 'done').length
    },
  }
}

/** Which living crumbs: conditions over `heads` and one `tags tN` per tag, all joined by `key`. */
function conditions(
  query: Pick<ListQuery, 'viewer' | 'schema' | 'schemas'>,
  {
    tags,
    key,
    values,
    nowMs,
  }: {
    readonly tags: readonly string[]
    readonly key: string
    readonly values: Values
    readonly nowMs: number
  },
): string[] {
  const where = [`(heads.expires IS NULL OR heads.expires > ${values.add(nowMs)})`]
  const schema = query.schema === undefined ? null : values.add(query.schema)
  for (const [index, tag] of tags.entries()) {
    where.push(`t${index}.tag = ${values.add(tag)}`)
    if (schema !== null) where.push(`t${index}.schema_name = ${schema}`)
  }
  for (const joined of ['heads', ...tags.map((_, index) => `t${index}`)])
    if (`${joined}.seq` !== key) where.push(`${joined}.seq = ${key}`)
  if (schema !== null && tags.length === 0) where.push(`heads.schema_name = ${schema}`)
  if (query.schemas && !query.schemas.includes('*')) {
    const parts = query.schemas.map((pattern) =>
      pattern.endsWith('.*')
        ? `starts_with(heads.schema_name, ${values.add(pattern.slice(0, -1))})`
        : `heads.schema_name = ${values.add(pattern)}`,
    )
    where.push(parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`)
  }
  if (query.viewer) {
    where.push(`(heads.owner = ${values.add(query.viewer.owner)} OR heads.visibility = 'public')`)
    if (!query.viewer.isAdmin)
      where.push(`(heads.visibility <> 'private' OR heads.creator = ${values.add(query.viewer.name)})`)
  }
  return where
}
