// The embedded store as one end of a copy: read in one snapshot, written in one transaction.
import type { CopyEnd, TableRow } from '../copy-store.ts'
import { Database } from './database.ts'

const pageRows = 1_000

export function openSqliteEnd(file: string): CopyEnd {
  const db = new Database(file)
  const inTransaction = async <T>(begin: string, work: () => Promise<T>): Promise<T> => {
    db.query(begin).run()
    try {
      const value = await work()
      db.query('COMMIT').run()
      return value
    } catch (error) {
      db.query('ROLLBACK').run()
      throw error
    }
  }
  return {
    where: file,
    read: (work) =>
      inTransaction('BEGIN', () =>
        work(async function* (table) {
          const select = `SELECT ${table.columns.join(', ')} FROM ${table.name} ORDER BY ${table.order.join(', ')} LIMIT ? OFFSET ?`
          for (let offset = 0; ; offset += pageRows) {
            const rows = db.read(() => db.query(select).all(pageRows, offset)) as TableRow[]
            if (rows.length > 0) yield rows.map((row) => [...row])
            if (rows.length < pageRows) return
          }
        }),
      ),
    async isEmpty() {
      const [row] = db.read(() =>
        db
          .query(
            'SELECT EXISTS (SELECT 1 FROM log) OR EXISTS (SELECT 1 FROM runs) OR EXISTS (SELECT 1 FROM secrets)',
          )
          .all(),
      )
      return row![0] === 0
    },
    write: (fill) =>
      inTransaction('BEGIN IMMEDIATE', async () => {
        db.query('DELETE FROM runs_head').run()
        db.query('DELETE FROM cursors').run()
        await fill(async (table, rows) => {
          // The triggers of the log fill these two while it is written.
          if (table.name === 'heads' || table.name === 'tags') return
          const places = table.columns.map(() => '?').join(', ')
          const insert = db.query(`INSERT INTO ${table.name}(${table.columns.join(', ')}) VALUES (${places})`)
          for (const row of rows) insert.run(...row)
        })
      }),
    async close() {
      db.close()
    },
  }
}
