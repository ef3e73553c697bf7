// The catalog as the console holds it: loaded once, read again when the server says that it changed.
import { computed, signal } from '@preact/signals'
import { type ApiError, ask, problemOf } from '../api/client.ts'
import type { CatalogRow, CatalogRows } from '../api/types.ts'

const empty: CatalogRows = { version: 0, rows: [], problems: [] }

export const catalog = signal<CatalogRows | null>(null)
export const catalogError = signal<ApiError | null>(null)
export interface CatalogChange {
  readonly id: string
  readonly change: 'added' | 'changed' | 'removed'
  readonly at: string
}

/** What changed in the files since the page was opened, latest first. */
export const changes = signal<readonly CatalogChange[]>([])
/** Ids that changed a moment ago, to be marked in the list. */
export const fresh = signal<ReadonlySet<string>>(new Set())

export const rows = computed<readonly CatalogRow[]>(() => (catalog.value ?? empty).rows)

const mostChanges = 50

let loading: Promise<void> | null = null
let isStale = false
let etag = ''

/** Reads the catalog; a request during a read makes one more follow. */
export function loadCatalog(): Promise<void> {
  if (loading) {
    isStale = true
    return loading
  }
  loading = read().finally(() => {
    loading = null
    if (!isStale) return
    isStale = false
    void loadCatalog()
  })
  return loading
}

async function read(): Promise<void> {
  try {
    const response = await ask('/api/console/catalog', etag ? { headers: { 'if-none-match': etag } } : {})
    if (response.status === 304) return
    if (!response.ok) throw await problemOf(response)
    etag = response.headers.get('etag') ?? ''
    catalog.value = (await response.json()) as CatalogRows
    catalogError.value = null
  } catch (error) {
    catalogError.value = error as ApiError
  }
}

/** Keeps what changed, and marks it in the list for a few seconds. */
export function noteChanges(changed: readonly Omit<CatalogChange, 'at'>[]): void {
  const ids = changed.filter(({ change }) => change !== 'removed').map(({ id }) => id)
  const at = new Date().toISOString()
  const others = changes.value.filter((each) => !changed.some(({ id }) => id === each.id))
  changes.value = [...changed.map((each) => ({ ...each, at })), ...others].slice(0, mostChanges)
  if (ids.length === 0) return
  fresh.value = new Set([...fresh.value, ...ids])
  setTimeout(() => {
    fresh.value = new Set([...fresh.value].filter((id) => !ids.includes(id)))
  }, 4_000)
}
