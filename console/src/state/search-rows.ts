// Search in the catalog as one types: every word must occur; a hit in the id weighs more than one in the description.
import type { CatalogRow } from '../api/types.ts'

export interface Indexed {
  readonly row: CatalogRow
  readonly id: string
  readonly rest: string
}

const indexes = new WeakMap<readonly CatalogRow[], readonly Indexed[]>()

/** Made once for a catalog. */
export function indexOf(rows: readonly CatalogRow[]): readonly Indexed[] {
  let index = indexes.get(rows)
  if (!index) {
    index = rows.map((row) => ({
      row,
      id: row.id.toLowerCase(),
      rest: `${row.title ?? ''} ${row.tags.join(' ')} ${row.description}`.toLowerCase(),
    }))
    indexes.set(rows, index)
  }
  return index
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

/** 0: some word does not occur. */
export function scoreOf({ id, rest }: Indexed, words: readonly string[]): number {
  let score = 1
  for (const word of words) {
    const at = id.indexOf(word)
    if (at >= 0) score += at === 0 || '/_-.'.includes(id[at - 1]!) ? 6 : 3
    else if (rest.includes(word)) score += 1
    else return 0
  }
  return score
}
