// The list of crumbs and the feed that keeps it true: events change it as they come, older pages come as one scrolls.
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, ask, problemOf } from '../../api/client.ts'
import { follow } from '../../api/follow.ts'
import type { CrumbEvent, CrumbItem } from '../../api/types.ts'
import { announce } from '../../state/notices.ts'
import { outdate, useQuery } from '../../state/query.ts'
import { useLoaded } from '../../state/use-loaded.ts'

const pageSize = 200

export interface FeedFilter {
  readonly text: string
  readonly schema: string
  readonly tag: string
}

export interface Feed {
  readonly items: readonly CrumbItem[] | null
  readonly hasMore: boolean
  loadMore(): void
  /** What happened to each since the page was opened. */
  readonly latest: ReadonlyMap<string, CrumbEvent['type']>
  readonly schemas: Facet
  readonly tags: Facet
  readonly isPaused: boolean
  /** Events that came while it was paused. */
  readonly missed: number
  togglePause(): void
  readonly error: ApiError | null
  reload(): void
}

type Facet = readonly (readonly [value: string, label: string])[]

interface Page {
  readonly items: readonly CrumbItem[]
  /** The address of the next page. */
  readonly next: string | undefined
}

interface Facets {
  readonly schemas: readonly { readonly value: string; readonly count: number }[]
  readonly tags: readonly { readonly value: string; readonly count: number }[]
}

export function useFeed({ text, schema, tag }: FeedFilter): Feed {
  const [items, setItems] = useState<readonly CrumbItem[] | null>(null)
  const [next, setNext] = useState<string>()
  const [latest, setLatest] = useState<ReadonlyMap<string, CrumbEvent['type']>>(new Map())
  const [isPaused, setPaused] = useState(false)
  const [missed, setMissed] = useState(0)
  const paused = useRef(false)
  const isLoading = useRef(false)
  const { data: facets } = useQuery<Facets>('/api/console/event-facets', ['events', 'runs'])
  const first = `/breadcrumbs?${queryOf({ text, schema, tag })}`
  const { data, error, reload } = useLoaded((signal) => loadPage(first, signal), [first])

  useEffect(() => {
    if (!data) return
    setItems(data.items)
    setNext(data.next)
  }, [data])

  useEffect(() => {
    const stop = new AbortController()
    const stream = new URLSearchParams()
    if (schema) stream.set('schema_name', schema)
    if (tag) stream.set('tag', tag)
    void follow(`/events/stream?${stream}`, {
      signal: stop.signal,
      onEvent: ({ data: line }) => {
        const event = JSON.parse(line) as CrumbEvent
        outdate('events')
        if (paused.current) return setMissed((before) => before + 1)
        if (event.type === 'stream.reset') return reload()
        setLatest((before) => new Map(before).set(event.breadcrumb_id, event.type))
        // Whether new text matches the words only the server knows.
        if (text) reload()
        else setItems((before) => applied(before ?? [], event))
      },
    })
    return () => stop.abort()
  }, [schema, tag, text])

  const loadMore = async () => {
    if (next === undefined || isLoading.current) return
    isLoading.current = true
    try {
      const page = await loadPage(next)
      setItems((before) => joined(before ?? [], page.items))
      setNext(page.next)
    } catch (fault) {
      setNext(undefined)
      announce((fault as Error).message, true)
    }
    isLoading.current = false
  }

  const togglePause = () => {
    paused.current = !paused.current
    setPaused(paused.current)
    if (paused.current) return
    setMissed(0)
    if (missed > 0) reload()
  }

  return {
    items,
    hasMore: next !== undefined,
    loadMore,
    latest,
    schemas: choicesOf(facets?.schemas),
    tags: choicesOf(facets?.tags),
    isPaused,
    missed,
    togglePause,
    error,
    reload,
  }
}

function choicesOf(facet: Facets['tags'] = []): Facet {
  return facet.map(({ value, count }) => [value, `${value} (${count})`] as const)
}

function queryOf({ text, schema, tag }: FeedFilter): string {
  const query = new URLSearchParams({ limit: String(pageSize), include_context: 'false' })
  if (text) query.set('q', text)
  if (schema) query.set('schema_name', schema)
  if (tag) query.set('tag', tag)
  return query.toString()
}

async function loadPage(path: string, signal?: AbortSignal): Promise<Page> {
  const response = await ask(path, signal ? { signal } : {})
  if (!response.ok) throw await problemOf(response)
  const address = /<([^>]+)>;\s*rel="?next/.exec(response.headers.get('link') ?? '')?.[1]
  const url = address === undefined ? undefined : new URL(address, location.href)
  return { items: await response.json(), next: url && `${url.pathname}${url.search}` }
}

/** What moved to the top meanwhile comes again at the end of a page. */
function joined(items: readonly CrumbItem[], more: readonly CrumbItem[]): readonly CrumbItem[] {
  const known = new Set(items.map(({ id }) => id))
  return [...items, ...more.filter(({ id }) => !known.has(id))]
}

/** The list after an event: the crumb goes to the top, or away. */
function applied(items: readonly CrumbItem[], event: CrumbEvent): readonly CrumbItem[] {
  const others = items.filter((item) => item.id !== event.breadcrumb_id)
  if (event.type === 'breadcrumb.deleted') return others
  const { breadcrumb_id: id, title, tags, version, updated_at, schema_name } = event
  return [
    { id, title, tags, version, updated_at, ...(schema_name === undefined ? {} : { schema_name }) },
    ...others,
  ]
}
