// Full text in SQLite: an FTS5 table whose rows are positions in the log.
import { type FullText, IndexTimer, indexChanges, indexRows } from '../word-index.ts'
import type { Database } from './database.ts'

export function sqliteFullText(db: Database): FullText & { close(): void } {
  let indexed = -1
  const page = async (): Promise<boolean> => {
    const last = db.read(() => Number(db.query('SELECT max(seq) FROM log').get()?.[0] ?? 0))
    if (last <= indexed) return false
    return db.write(() => {
      const from = Number(db.query('SELECT indexed FROM words_state').get()![0])
      const rows = db
        .query('SELECT seq, prev, type, body FROM log WHERE seq > ? ORDER BY seq LIMIT ?')
        .all(from, indexRows)
      const { gone, texts } = indexChanges(rows)
      for (const seq of gone) db.query('DELETE FROM words WHERE rowid = ?').run(seq)
      for (const [seq, text] of texts) db.query('INSERT INTO words(rowid, text) VALUES (?, ?)').run(seq, text)
      indexed = rows.length === 0 ? from : Number(rows.at(-1)![0])
      if (indexed > from) db.query('UPDATE words_state SET indexed = ?').run(indexed)
      return rows.length === indexRows
    })
  }
  const timer = new IndexTimer(page)
  const stop = db.onCommit(() => timer.schedule())
  return {
    catchUp: () => timer.catchUp(),
    queryOf: (text, how) => wordsOf(text).join(how === 'and' ? ' AND ' : ' OR ') || null,
    isIn: (key, asked) => `${key} IN (SELECT rowid FROM words WHERE words MATCH ${asked})`,
    ranked: (asked) => ({ key: 'words.rowid', matches: `words MATCH ${asked}`, score: '-words.rank' }),
    close() {
      stop()
      timer.close()
    },
  }
}

/** Words as FTS5 expressions in which nothing is syntax. */
function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, 64)
    .map((word) => `"${word.replaceAll('"', '""').replaceAll('\0', '')}"`)
}
