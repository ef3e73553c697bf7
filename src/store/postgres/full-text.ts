// Full text in PostgreSQL. Words are split here and not by the server, so that both stores find the same things.
import { type FullText, IndexTimer, indexChanges, indexRows } from '../word-index.ts'
import type { Database } from './database.ts'

const maxWordLength = 100

export function postgresFullText(db: Database): FullText & { schedule(): void; close(): void } {
  const page = async (): Promise<boolean> => {
    const [state] = await db.query('SELECT indexed, (SELECT last FROM feed) FROM words_state')
    if (Number(state![0]) >= Number(state![1])) return false
    return db.transaction('ISOLATION LEVEL READ COMMITTED', async (query) => {
      // One node at a time; the others find the work done.
      const [locked] = await query('SELECT indexed FROM words_state FOR UPDATE')
      const rows = await query('SELECT seq, prev, type, body FROM log WHERE seq > $1 ORDER BY seq LIMIT $2', [
        Number(locked![0]),
        indexRows,
      ])
      if (rows.length === 0) return false
      const { gone, texts } = indexChanges(rows)
      if (gone.length > 0) await query('DELETE FROM words WHERE seq = ANY ($1)', [gone])
      if (texts.size > 0)
        await query(
          `INSERT INTO words(seq, text)
           SELECT seq, to_tsvector('simple', text) FROM unnest($1::bigint[], $2::text[]) AS given(seq, text)
           ON CONFLICT (seq) DO NOTHING`,
          [[...texts.keys()], [...texts.values()].map((text) => wordsOf(text).join(' '))],
        )
      await query('UPDATE words_state SET indexed = $1', [rows.at(-1)![0]])
      return rows.length === indexRows
    })
  }
  const timer = new IndexTimer(page)
  return {
    catchUp: () => timer.catchUp(),
    schedule: () => timer.schedule(),
    close: () => timer.close(),
    queryOf,
    isIn: (key, asked) =>
      `EXISTS (SELECT 1 FROM words WHERE words.seq = ${key} AND words.text @@ to_tsquery('simple', ${asked}))`,
    ranked: (asked) => ({
      key: 'words.seq',
      matches: `words.text @@ to_tsquery('simple', ${asked})`,
      score: `ts_rank_cd(words.text, to_tsquery('simple', ${asked}), 1)::float8`,
    }),
  }
}

/** Letters and digits in lower case without marks, as the embedded store's index has them. */
function wordsOf(text: string): string[] {
  const folded = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, maxWordLength))
}

/** Parts of one word must follow each other. */
function queryOf(text: string, how: 'and' | 'or'): string | null {
  const words = text
    .split(/\s+/)
    .map((word) =>
      wordsOf(word)
        .map((part) => `'${part}'`)
        .join(' <-> '),
    )
    .filter((word) => word !== '')
    .slice(0, 64)
  return words.length === 0 ? null : words.map((word) => `(${word})`).join(how === 'and' ? ' & ' : ' | ')
}
