// Every tool of the crib, found by typing and narrowed by filters; it changes as the files do.
import { computed, signal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RunStats } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loading } from '../../parts/loading.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { catalog, catalogError, loadCatalog, rows } from '../../state/catalog.ts'
import { now } from '../../state/clock.ts'
import { isAdmin } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { route, setQuery } from '../../state/route.ts'
import { dayMs, lastRange, statsPath } from '../../state/stats.ts'
import { say, sayMany } from '../../words/say.ts'
import { AddDialog } from './add-dialog.tsx'
import { CatalogFilters } from './catalog-filters.tsx'
import type { ToolFigures } from './deviations.ts'
import { FileProblems } from './file-problems.tsx'
import { facetNames, findRows, type Wanted } from './find-rows.ts'
import { Namespaces, namespacesOf, serverNames } from './namespaces.tsx'
import { ToolRow } from './tool-row.tsx'
import './catalog.css'

const wanted = computed<Wanted>(() => {
  const { query } = route.value
  const of = (name: string) => query.get(name) ?? ''
  return {
    text: of('q'),
    format: of('format'),
    tag: of('tag'),
    trust: of('trust'),
    needs: of('needs'),
    state: of('state'),
    within: of('in'),
    all: query.has('all'),
  }
})

/** Of the last day, by tool; read by the list and its facets. */
const figures = signal<ReadonlyMap<string, ToolFigures>>(new Map())
const found = computed(() => findRows(rows.value, wanted.value, figures.value))
const namespaces = computed(() => namespacesOf(found.value.anywhere, serverNames(rows.value)))

function useFigures(): void {
  const range = useMemo(() => lastRange(dayMs, 24, Date.now()), [Math.floor(now.value / 3_600_000)])
  const { data } = useQuery<RunStats>(statsPath(range, { by: 'tool', course: 'true' }), ['runs'])
  useEffect(() => {
    if (data) figures.value = new Map(data.groups.map((group) => [group.key, group]))
  }, [data])
}

export function CatalogPage() {
  const { text, within } = wanted.value
  const [isAdding, setAdding] = useState(false)
  useFigures()
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Tools')}</Heading>
        <span class="muted" role="status">
          {catalog.value ? countOf(found.value.rows.length) : ''}
        </span>
        <span class="grow" />
        {isAdmin.value && (
          <button type="button" class="button" onClick={() => setAdding(true)}>
            <Icon name="plus" /> {say('Add')}
          </button>
        )}
      </div>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      <div class="filters">
        <SearchBox label={say('Search tools')} value={text} onInput={(q) => setQuery({ q })} />
      </div>
      {rows.value.length > 0 && <CatalogFilters wanted={wanted.value} facets={found.value.facets} />}
      {catalogError.value && <Failure error={catalogError.value} onRetry={() => void loadCatalog()} />}
      {catalog.value && <FileProblems problems={catalog.value.problems} />}
      {catalog.value ? (
        <div class="catalog">
          <Namespaces all={namespaces.value} chosen={within} />
          <Rows />
        </div>
      ) : (
        !catalogError.value && <Loading what={say('the catalog')} lines={12} />
      )}
    </div>
  )
}

function Rows() {
  if (rows.value.length === 0)
    return (
      <Empty title={say('No tools yet')}>
        <p>
          {say('Put a tool into this folder. It shows up here as soon as the file is saved. For example:')}{' '}
          <code>toolcrib new skill hello</code>
        </p>
      </Empty>
    )
  if (found.value.rows.length === 0)
    return (
      <Empty title={say('Nothing matches')} icon="search">
        <p>{say('No tool has all of these words and properties.')}</p>
        <button type="button" class="button" onClick={clear}>
          {say('Clear search and filters')}
        </button>
      </Empty>
    )
  return (
    <div class="card">
      <VirtualList
        label={say('Tools')}
        items={found.value.rows}
        keyOf={(row) => `${row.format}:${row.id}:${row.file ?? ''}`}
        rowClass="tool-row"
      >
        {(row) => <ToolRow row={row} figures={figures.value.get(row.id)} />}
      </VirtualList>
    </div>
  )
}

function clear(): void {
  setQuery({ q: null, in: null, ...Object.fromEntries(facetNames.map((name) => [name, null])) })
}

function countOf(shown: number): string {
  const all = rows.value.length
  return shown < all ? say('{shown} of {all} tools', { shown, all }) : sayMany(shown, '{n} tool', '{n} tools')
}
