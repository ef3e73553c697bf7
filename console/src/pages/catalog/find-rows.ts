// Search as one types: every word must occur; a hit in the id weighs more than one in the description.
import type { CatalogRow } from '../../api/types.ts'
import { serverToLogIn } from '../../parts/login-button.tsx'
import { pathsOf, serverNames } from './namespaces.tsx'

export interface Wanted {
  readonly text: string
  readonly format: string
  readonly tag: string
  readonly trust: string
  readonly capability: string
  readonly state: string
  /** The namespace or server they are in. */
  readonly within: string
  /** Hidden tools, middleware, runtimes and shadowed ones too. */
  readonly all: boolean
}

interface Indexed {
  readonly row: CatalogRow
  readonly id: string
  readonly rest: string
}

const indexes = new WeakMap<readonly CatalogRow[], readonly Indexed[]>()

function indexOf(rows: readonly CatalogRow[]): readonly Indexed[] {
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

export function findRows(rows: readonly CatalogRow[], wanted: Wanted): readonly CatalogRow[] {
  const servers = wanted.within === '' ? [] : serverNames(rows)
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean)
  const found: { row: CatalogRow; score: number }[] = []
  for (const entry of indexOf(rows)) {
    if (!matches(entry.row, wanted)) continue
    if (wanted.within !== '' && !pathsOf(entry.row, servers).includes(wanted.within)) continue
    const score = scoreOf(entry, words)
    if (score > 0) found.push({ row: entry.row, score })
  }
  // Rows come sorted by id, and sorting keeps that order among equals.
  if (words.length > 0) found.sort((a, b) => b.score - a.score)
  return found.map(({ row }) => row)
}

function scoreOf({ id, rest }: Indexed, words: readonly string[]): number {
  let score = 1
  for (const word of words) {
    const at = id.indexOf(word)
    if (at >= 0) score += at === 0 || '/_-.'.includes(id[at - 1]!) ? 6 : 3
    else if (rest.includes(word)) score += 1
    else return 0
  }
  return score
}

function matches(row: CatalogRow, wanted: Wanted): boolean {
  if (!isShown(row, wanted)) return false
  if (wanted.format && row.format !== wanted.format) return false
  if (wanted.tag && !row.tags.includes(wanted.tag)) return false
  if (wanted.trust && row.trust !== wanted.trust) return false
  if (!wanted.capability) return true
  return wanted.capability === '(not stated)'
    ? row.requires === null
    : (row.requires?.includes(wanted.capability) ?? false)
}

/** Without "all": what can be called, what ought to be but is broken, and servers that wait for a log-in. */
function isShown(row: CatalogRow, { state, all }: Wanted): boolean {
  if (state === 'problems') return row.problems !== undefined
  if (state) return row.state === state
  return all || row.listed || isBroken(row) || serverToLogIn(row) !== undefined
}

function isBroken({ state, kind }: CatalogRow): boolean {
  return (state === 'invalid' || state === 'quarantined' || state === 'unavailable') && kind !== 'runtime'
}
