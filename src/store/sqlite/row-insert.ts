// Inserts of many rows alike: a statement costs more than a row, so rows that come together share statements.
import type { Query, Value } from './database.ts'

const rowsAtOnce = [64, 16, 4, 1] as const

/** The same insert for several numbers of rows, most first. */
export type RowInsert = readonly { readonly count: number; readonly sql: string }[]

/** `into` is `INSERT INTO table(columns)`, `row` the brackets with the values of one row. */
export function rowInsert(into: string, row: string): RowInsert {
  return rowsAtOnce.map((count) => ({ count, sql: `${into} VALUES ${Array(count).fill(row).join(', ')}` }))
}

/** Inserts the rows in their order; must run inside a write. */
export function insertRows(
  db: { query(sql: string): Query },
  insert: RowInsert,
  rows: readonly (readonly Value[])[],
): void {
  let done = 0
  for (const { count, sql } of insert)
    for (; rows.length - done >= count; done += count)
      db.query(sql).run(...(count === 1 ? rows[done]! : rows.slice(done, done + count).flat()))
}
