// A PostgreSQL store as one end of a copy: read by a cursor in one snapshot, written in one transaction.
import type { CopiedTable, CopyEnd, TableRow } from '../copy-store.ts'
import { Database } from './database.ts'

const pageRows = 1_000
/** Text is ordered by its bytes, as the embedded store does. */
const numbers = new Set(['seq', 'count', 'denied'])

export async function openPostgresEnd(url: string): Promise<CopyEnd> {
  const db = await Database.open(url)
  const orderOf = (table: CopiedTable): string =>
    table.order.map((column) => (numbers.has(column) ? column : `${column} COLLATE "C"`)).join(', ')
  return {
    where: db.where,
    read: (work) =>
      db.transaction('ISOLATION LEVEL REPEATABLE READ READ ONLY', (query) =>
        work(async function* (table) {
          await query(
            `DECLARE copied CURSOR FOR SELECT ${table.columns.join(', ')} FROM ${table.name} ORDER BY ${orderOf(table)}`,
          )
          for (;;) {
            const rows = (await query(`FETCH ${pageRows} FROM copied`)) as TableRow[]
            if (rows.length > 0) yield rows
            if (rows.length < pageRows) break
          }
          await query('CLOSE copied')
        }),
      ),
    async isEmpty() {
      const [row] = await db.query(
        'SELECT EXISTS (SELECT 1 FROM log) OR EXISTS (SELECT 1 FROM runs) OR EXISTS (SELECT 1 FROM secrets)',
      )
      return row![0] === false
    },
    write: (fill) =>
      db.transaction('', async (query) => {
        await query('DELETE FROM runs_head')
        await query('DELETE FROM cursors')
        await fill(async (table, rows) => {
          const columns = table.columns.join(', ')
          await query(
            `INSERT INTO ${table.name}(${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table.name}, $1)`,
            [
              JSON.stringify(
                rows.map((row) =>
                  Object.fromEntries(table.columns.map((column, index) => [column, row[index]])),
                ),
              ),
            ],
          )
        })
        await query('UPDATE feed SET last = coalesce((SELECT max(seq) FROM log), 0)')
      }),
    close: () => db.close(),
  }
}
