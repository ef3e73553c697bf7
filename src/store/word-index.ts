// Full text follows the log at a distance: writes never wait for it, searches first catch up. The words themselves lie
// in the database's own index.
import { textOf } from './crumb-text.ts'
import { crumbOf } from './log-row.ts'
import type { Row } from './sql.ts'

/** Rows of the log that are indexed in one transaction. */
export const indexRows = 500
/** How long after a write the background work begins. */
const idleMs = 250

/** Full text as the shared statements ask for it. */
export interface FullText {
  /** Indexes everything that is in the log. */
  catchUp(): Promise<void>
  /** What was typed as a query in which nothing is syntax; null when there is no word in it. */
  queryOf(text: string, how: 'and' | 'or'): string | null
  /** The condition that the crumb at a position has these words; `asked` is the parameter with the query. */
  isIn(key: string, asked: string): string
  /** What a ranked search reads from `words`: its position, its condition and its score. */
  ranked(asked: string): { readonly key: string; readonly matches: string; readonly score: string }
}

/** Indexes page by page, some time after it was asked to. */
export class IndexTimer {
  readonly #page: () => Promise<boolean>
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  /** `page` indexes some rows and says whether there may be more. */
  constructor(page: () => Promise<boolean>) {
    this.#page = page
  }

  async catchUp(): Promise<void> {
    while (await this.#page());
  }

  /** Something was written: index it soon. */
  schedule(): void {
    if (this.#timer || this.#isClosed) return
    this.#timer = setTimeout(async () => {
      this.#timer = null
      // A failure here (the store was closed, the disk is full) is met again, and told, by the next search.
      if (await this.#page().catch(() => false)) this.schedule()
    }, idleMs)
    this.#timer.unref()
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
  }
}

/** What rows of the log (seq, prev, type, body) change: positions that leave the index, and texts that come in. */
export function indexChanges(rows: readonly Row[]): { gone: number[]; texts: Map<number, string> } {
  const gone: number[] = []
  const texts = new Map<number, string>()
  for (const [seq, prev, type, body] of rows) {
    if (prev !== null) {
      gone.push(prev as number)
      texts.delete(prev as number)
    }
    if (type === 'deleted') continue
    const crumb = crumbOf(body)
    if (crumb.sensitivity !== 'secret') texts.set(seq as number, textOf(crumb))
  }
  return { gone, texts }
}
