// The rows of the list: one pass finds them and counts what each facet would give.
import type { CatalogRow } from '../../api/types.ts'
import { indexOf, scoreOf, wordsOf } from '../../state/search-rows.ts'
import { deviationsOf, type ToolFigures } from './deviations.ts'
import { pathsOf, serverNames } from './namespaces.tsx'

export const facetNames = ['state', 'format', 'needs', 'tag', 'trust'] as const
export type FacetName = (typeof facetNames)[number]
export type Chosen = { readonly [name in FacetName]: string }

export interface Wanted extends Chosen {
  readonly text: string
  /** The namespace or server they are in. */
  readonly within: string
  /** Hidden tools, middleware, runtimes and shadowed ones too. */
  readonly all: boolean
}

export interface Found {
  readonly rows: readonly CatalogRow[]
  /** How many rows each value would leave, the other facets as they are; the most frequent first. */
  readonly facets: { readonly [name in FacetName]: readonly (readonly [value: string, count: number])[] }
  /** Those without a namespace chosen, for the tree. */
  readonly anywhere: readonly CatalogRow[]
}

export function findRows(
  rows: readonly CatalogRow[],
  wanted: Wanted,
  figures: ReadonlyMap<string, ToolFigures>,
): Found {
  const servers = serverNames(rows)
  const words = wordsOf(wanted.text)
  const chosen = facetNames.filter((name) => wanted[name] !== '')
  const counts = new Map(facetNames.map((name) => [name, new Map<string, number>()]))
  const found: { row: CatalogRow; score: number }[] = []
  const anywhere: CatalogRow[] = []
  for (const entry of indexOf(rows)) {
    const { row } = entry
    if (!isShown(row, wanted)) continue
    const score = scoreOf(entry, words)
    if (score === 0) continue
    const values = valuesOf(row, figures.get(row.id))
    const missing = chosen.filter((name) => !values[name].includes(wanted[name]))
    const isWithin = wanted.within === '' || pathsOf(row, servers).includes(wanted.within)
    if (missing.length === 0) anywhere.push(row)
    if (!isWithin || missing.length > 1) continue
    for (const name of missing.length === 1 ? missing : facetNames)
      for (const value of values[name]) {
        const count = counts.get(name)!
        count.set(value, (count.get(value) ?? 0) + 1)
      }
    if (missing.length === 0) found.push({ row, score })
  }
  // Rows come sorted by id, and sorting keeps that order among equals.
  if (words.length > 0) found.sort((a, b) => b.score - a.score)
  const facets = Object.fromEntries(
    facetNames.map((name) => [
      name,
      [...counts.get(name)!].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
    ]),
  ) as unknown as Found['facets']
  return { rows: found.map(({ row }) => row), facets, anywhere }
}

function valuesOf(
  row: CatalogRow,
  figures: ToolFigures | undefined,
): { readonly [name in FacetName]: readonly string[] } {
  const deviations = deviationsOf(row, figures)
  return {
    state: row.problems?.some(({ severity }) => severity !== 'info')
      ? [...deviations, 'problems']
      : deviations,
    format: [row.format],
    needs: row.requires ?? [],
    tag: row.tags,
    trust: [row.trust],
  }
}

/** Without "all": what can be called, what ought to be but is broken, and servers. */
function isShown(row: CatalogRow, { all, state }: Wanted): boolean {
  return all || row.listed || row.kind === 'server' || isBroken(row) || state === row.state
}

function isBroken({ state, kind }: CatalogRow): boolean {
  return (state === 'invalid' || state === 'quarantined' || state === 'unavailable') && kind !== 'runtime'
}
