// What the palette finds while one types: tools, pages, settings and actions in one index, made once for a catalog.
import MiniSearch from 'minisearch'
import type { CatalogRow } from '../api/types.ts'

export interface Entry {
  readonly key: string
  readonly title: string
  /** What else it is found by. */
  readonly words: string
}

export interface PaletteIndex<T extends Entry> {
  find(text: string, most: number): readonly T[]
}

/** Every word must occur, as a beginning or with one slip; the title weighs more than the rest. */
export function indexEntries<T extends Entry>(entries: readonly T[]): PaletteIndex<T> {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  const index = new MiniSearch<Entry>({
    idField: 'key',
    fields: ['title', 'words'],
    tokenize: wordsIn,
    searchOptions: {
      combineWith: 'AND',
      boost: { title: 4 },
      prefix: true,
      fuzzy: (word) => (word.length > 4 ? 1 : false),
      weights: { fuzzy: 0.2, prefix: 0.7 },
    },
  })
  index.addAll(entries)
  return {
    find: (text, most) =>
      index
        .search(text)
        .slice(0, most)
        .flatMap(({ id }) => byKey.get(id) ?? []),
  }
}

let made: { readonly rows: readonly CatalogRow[]; readonly index: PaletteIndex<ToolEntry> } | null = null

export interface ToolEntry extends Entry {
  readonly row: CatalogRow
}

/** The tools of the catalog; the same catalog is read once. */
export function toolIndex(rows: readonly CatalogRow[]): PaletteIndex<ToolEntry> {
  if (made?.rows !== rows) {
    const listed = rows.filter((row) => row.listed)
    const index = indexEntries(
      listed.map((row) => ({
        key: row.id,
        title: row.id,
        words: `${row.title ?? ''} ${row.tags.join(' ')} ${row.description}`,
        row,
      })),
    )
    made = { rows, index }
  }
  return made.index
}

/** Ids are written with slashes, dashes, dots and capitals inside: each part is a word. */
export function wordsIn(text: string): string[] {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}
