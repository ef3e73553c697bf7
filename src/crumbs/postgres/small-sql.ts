// PostgreSQL as the small tables ask it: `:now` is the database's own time.
import type { SmallSql } from '../small-tables.ts'
import type { Database } from './database.ts'

export function smallSqlOf(db: Database): SmallSql {
  const worded = (sql: string): string => sql.replaceAll(':now', 'now_ms()')
  return {
    query: (sql, values) => db.query(worded(sql), values),
    run: (sql, values) => db.run(worded(sql), values),
  }
}
