// Full text follows the log at a distance: writes never wait for it, searches first catch up.
import { textOf } from '../crumb-text.ts'
import { crumbOf } from '../log-row.ts'
import type { Database } from './database.ts'

const pageRows = 500
/** How long after a write the background work begins. */
const idleMs = 250

export class WordIndex {
  readonly #db: Database
  #timer: NodeJS.Timeout | null = null
  readonly #stop: () => void
  #indexed = -1

  constructor(db: Database) {
    this.#db = db
    this.#stop = db.onCommit(() => this.#schedule())
  }

  /** Indexes everything that is in the log. */
  async catchUp(): Promise<void> {
    while (await this.#page());
  }

  close(): void {
    this.#stop()
    if (this.#timer) clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#timer) return
    this.#timer = setTimeout(async () => {
      this.#timer = null
      // A failure here (the store was closed, the disk is full) is met again, and told, by the next search.
      if (await this.#page().catch(() => false)) this.#schedule()
    }, idleMs)
    this.#timer.unref()
  }

  /** True when there may be more. */
  async #page(): Promise<boolean> {
    const last = this.#db.read(() => Number(this.#db.query('SELECT max(seq) FROM log').get()?.[0] ?? 0))
    if (last <= this.#indexed) return false
    return this.#db.write(() => {
      const from = Number(this.#db.query('SELECT indexed FROM words_state').get()![0])
      const rows = this.#db
        .query('SELECT seq, prev, type, body FROM log WHERE seq > ? ORDER BY seq LIMIT ?')
        .all(from, pageRows)
      for (const [seq, prev, type, body] of rows) {
        if (prev !== null) this.#db.query('DELETE FROM words WHERE rowid = ?').run(prev!)
        if (type === 'deleted') continue
        const crumb = crumbOf(body)
        if (crumb.sensitivity === 'secret') continue
        this.#db.query('INSERT INTO words(rowid, text) VALUES (?, ?)').run(seq!, textOf(crumb))
      }
      const to = rows.length === 0 ? from : Number(rows.at(-1)![0])
      if (to > from) this.#db.query('UPDATE words_state SET indexed = ?').run(to)
      this.#indexed = to
      return rows.length === pageRows
    })
  }
}
