// Every tool of the crib, found by typing and narrowed by filters; it changes as the files do.
import { computed } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loading } from '../../parts/loading.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { catalog, catalogError, loadCatalog, rows } from '../../state/catalog.ts'
import { isAdmin } from '../../state/live.ts'
import { route, setQuery } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { AddDialog } from './add-dialog.tsx'
import { CatalogFilters } from './catalog-filters.tsx'
import { FileProblems } from './file-problems.tsx'
import { findRows, type Wanted } from './find-rows.ts'
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
    capability: of('needs'),
    state: of('state'),
    within: of('in'),
    all: query.has('all'),
  }
})

const found = computed(() => findRows(rows.value, wanted.value))
const namespaces = computed(() =>
  namespacesOf(findRows(rows.value, { ...wanted.value, within: '' }), serverNames(rows.value)),
)

export function CatalogPage() {
  const { text, within } = wanted.value
  const [isAdding, setAdding] = useState(false)
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Tools')}</Heading>
        <span class="muted" role="status">
          {catalog.value ? countOf(found.value.length) : ''}
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
        <SearchBox label="Search tools" value={text} onInput={(q) => setQuery({ q })} />
        <CatalogFilters wanted={wanted.value} />
      </div>
      {catalogError.value && <Failure error={catalogError.value} onRetry={() => void loadCatalog()} />}
      {catalog.value && <FileProblems problems={catalog.value.problems} />}
      {catalog.value ? (
        <div class="catalog">
          <Namespaces all={namespaces.value} chosen={within} />
          <Rows />
        </div>
      ) : (
        !catalogError.value && <Loading what="the catalog" lines={12} />
      )}
    </div>
  )
}

function Rows() {
  if (rows.value.length === 0)
    return (
      <Empty title="No tools yet">
        <p>
          Put a tool into this folder, for example with <code>toolcrib new skill hello</code>. It shows up
          here as soon as the file is saved.
        </p>
      </Empty>
    )
  if (found.value.length === 0)
    return (
      <Empty title="Nothing matches" icon="search">
        <p>No tool has all of these words and properties.</p>
        <button
          type="button"
          class="button"
          onClick={() =>
            setQuery({ q: null, format: null, tag: null, trust: null, needs: null, state: null, in: null })
          }
        >
          Clear search and filters
        </button>
      </Empty>
    )
  return (
    <div class="card">
      <VirtualList
        label="Tools"
        items={found.value}
        keyOf={(row) => `${row.format}:${row.id}:${row.file ?? ''}`}
        rowClass="tool-row"
      >
        {(row) => <ToolRow row={row} />}
      </VirtualList>
    </div>
  )
}

function countOf(shown: number): string {
  const all = rows.value.length
  return `${shown.toLocaleString('en')} ${shown === 1 ? 'tool' : 'tools'}${shown < all ? ` of ${all.toLocaleString('en')} known` : ''}`
}
