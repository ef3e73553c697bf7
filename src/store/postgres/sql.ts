// PostgreSQL as the shared statements ask it: `:now` is the database's own time, text is what its columns can hold.
import type { Sql, SqlValue } from '../sql.ts'
import { plain } from './appender.ts'
import type { Database } from './database.ts'

export function postgresSql(db: Database): Sql {
  const worded = (sql: string): string => sql.replaceAll(':now', 'now_ms()')
  return {
    query: (sql, values) => db.query(worded(sql), values?.map(held)),
    first: async (sql, values) => (await db.query(worded(sql), values?.map(held)))[0],
    run: (sql, values) => db.run(worded(sql), values?.map(held)),
    // The lock is taken in a statement of its own, so that the next one sees what the former holder wrote.
    runInTurn: (name, statements) =>
      db.transaction('', async (query) => {
        await query('SELECT wait_for_tool($1)', [name])
        const written: number[] = []
        for (const { sql, values = [] } of statements)
          written.push((await query(`${worded(sql)} RETURNING 1`, values.map(held))).length)
        return written
      }),
  }
}

function held(value: SqlValue): SqlValue {
  if (typeof value === 'string') return plain(value)
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? plain(one) : one)) : value
}
