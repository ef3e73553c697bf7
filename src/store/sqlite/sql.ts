// SQLite as the shared statements ask it: the words it says differently, and `:now` from the store's clock.
import type { Clock } from '../clock.ts'
import type { Sql, SqlValue } from '../sql.ts'
import type { Database, Value } from './database.ts'

export function sqliteSql(db: Database, clock: Clock): Sql {
  const translated = new Map<string, { readonly text: string; readonly needsNow: boolean }>()
  const worded = (sql: string, given: readonly SqlValue[] = []): { text: string; values: Value[] } => {
    let known = translated.get(sql)
    if (known === undefined) {
      const text = translate(sql).replaceAll(':now', `?${given.length + 1}`)
      known = { text, needsNow: sql.includes(':now') }
      translated.set(sql, known)
    }
    const values = given.map((value) => (isList(value) ? JSON.stringify(value) : value))
    if (known.needsNow) values.push(clock.now())
    return { text: known.text, values }
  }
  return {
    async query(sql, given) {
      const { text, values } = worded(sql, given)
      return db.read(() => db.query(text).all(...values))
    },
    async first(sql, given) {
      const { text, values } = worded(sql, given)
      return db.read(() => db.query(text).get(...values))
    },
    run(sql, given) {
      const { text, values } = worded(sql, given)
      return db.write(() => db.query(text).run(...values), { isOneStatement: true })
    },
    // There is one writer at a time.
    runInTurn(_, statements) {
      const all = statements.map(({ sql, values }) => worded(sql, values))
      return db.write(() => all.map(({ text, values }) => db.query(text).run(...values)))
    },
  }
}

/** Lists come as JSON; text is compared by its bytes anyway; there is one writer, so nothing is locked. */
function translate(sql: string): string {
  return sql
    .replace(/= ANY \(\$(\d+)\)/g, 'IN (SELECT value FROM json_each(?$1))')
    .replace(/starts_with\((\S+), \$(\d+)\)/g, 'substr($1, 1, length(?$2)) = ?$2')
    .replaceAll('strpos(', 'instr(')
    .replace(
      /floor_to\(epoch_of\((\w+)\), \$(\d+)\)/g,
      'unixepoch($1) / CAST(?$2 AS INTEGER) * CAST(?$2 AS INTEGER)',
    )
    .replaceAll('log.root', "json_extract(log.causation, '$.root')")
    .replaceAll(' COLLATE "C"', '')
    .replaceAll(' FOR UPDATE SKIP LOCKED', '')
    .replace(/\$(\d+)/g, '?$1')
}

function isList(value: SqlValue): value is readonly (string | number)[] {
  return Array.isArray(value)
}
