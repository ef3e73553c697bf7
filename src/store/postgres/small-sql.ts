// PostgreSQL as the small tables ask it: `:now` is the database's own time.
import type { SmallSql } from '../small-tables.ts'
import type { Database } from './database.ts'

export function smallSqlOf(db: Database): SmallSql {
  const worded = (sql: string): string => sql.replaceAll(':now', 'now_ms()')
  return {
    query: (sql, values) => db.query(worded(sql), values),
    run: (sql, values) => db.run(worded(sql), values),
    // The lock is taken in a statement of its own, so that the next one sees what the former holder wrote.
    runInTurn: (name, sql, values) =>
      db.transaction('', async (query) => {
        await query('SELECT wait_for_tool($1)', [name])
        return (await query(`${worded(sql)} RETURNING 1`, values)).length
      }),
  }
}
