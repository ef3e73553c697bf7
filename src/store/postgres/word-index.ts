// Full text in PostgreSQL follows the log at a distance: writes never wait for it, searches first catch up. Words
// are split here and not by the server, so that both stores find the same things.
import { textOf } from '../crumb-text.ts'
import { crumbOf } from '../log-row.ts'
import type { Database } from './database.ts'

const pageRows = 500
const idleMs = 250
const longestWord = 100

export class WordIndex {
  readonly #db: Database
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(db: Database) {
    this.#db = db
  }

  /** Indexes everything that is in the log. */
  async catchUp(): Promise<void> {
    while (await this.#page());
  }

  /** Something was written: index it soon. */
  schedule(): void {
    if (this.#timer || this.#isClosed) return
    this.#timer = setTimeout(async () => {
      this.#timer = null
      // A failure here is met again, and told, by the next search.
      if (await this.#page().catch(() => false)) this.schedule()
    }, idleMs)
    this.#timer.unref()
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** True when there may be more. */
  async #page(): Promise<boolean> {
    const [state] = await this.#db.query('SELECT indexed, (SELECT last FROM feed) FROM words_state')
    if (Number(state![0]) >= Number(state![1])) return false
    return this.#db.transaction('ISOLATION LEVEL READ COMMITTED', async (query) => {
      // One node at a time; the others find the work done.
      const [locked] = await query('SELECT indexed FROM words_state FOR UPDATE')
      const from = Number(locked![0])
      const rows = await query('SELECT seq, prev, type, body FROM log WHERE seq > $1 ORDER BY seq LIMIT $2', [
        from,
        pageRows,
      ])
      if (rows.length === 0) return false
      const gone = rows.flatMap(([, prev]) => (prev === null ? [] : [prev as number]))
      const texts = new Map<number, string>()
      for (const [seq, prev, type, body] of rows) {
        if (prev !== null) texts.delete(prev as number)
        if (type === 'deleted') continue
        const crumb = crumbOf(body)
        if (crumb.sensitivity !== 'secret') texts.set(seq as number, wordsOf(textOf(crumb)).join(' '))
      }
      if (gone.length > 0) await query('DELETE FROM words WHERE seq = ANY ($1)', [gone])
      if (texts.size > 0)
        await query(
          `INSERT INTO words(seq, text)
           SELECT seq, to_tsvector('simple', text) FROM unnest($1::bigint[], $2::text[]) AS given(seq, text)
           ON CONFLICT (seq) DO NOTHING`,
          [[...texts.keys()], [...texts.values()]],
        )
      await query('UPDATE words_state SET indexed = $1', [rows.at(-1)![0]])
      return rows.length === pageRows
    })
  }
}

/** Letters and digits in lower case without marks, as the embedded store's index has them. */
function wordsOf(text: string): string[] {
  const folded = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, longestWord))
}

/** What was typed as a query in which nothing is syntax; parts of one word must follow each other. */
export function queryOf(text: string, how: 'and' | 'or'): string | null {
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
