// SQLite as the small tables ask it: numbered parameters in its own words, `:now` from the store's clock.
import type { Clock } from '../clock.ts'
import type { SmallSql, SqlValue } from '../small-tables.ts'
import type { Database } from './database.ts'

export function smallSqlOf(db: Database, clock: Clock): SmallSql {
  const known = new Map<string, string>()
  const worded = (sql: string, values: readonly SqlValue[]): { text: string; values: SqlValue[] } => {
    let text = known.get(sql)
    if (text === undefined) {
      text = sql.replace(/\$(\d)/g, '?$1').replaceAll(':now', `?${values.length + 1}`)
      known.set(sql, text)
    }
    return { text, values: sql.includes(':now') ? [...values, clock.now()] : [...values] }
  }
  const run: SmallSql['run'] = (sql, given = []) => {
    const { text, values } = worded(sql, given)
    return db.write(() => db.query(text).run(...values), { isOneStatement: true })
  }
  return {
    async query(sql, given = []) {
      const { text, values } = worded(sql, given)
      return db.read(() => db.query(text).all(...values))
    },
    run,
    // There is one writer at a time.
    runInTurn: (_, sql, given) => run(sql, given),
  }
}
