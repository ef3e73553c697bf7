// The list of crumbs and the feed that keeps it true: events change it as they come.
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, ask, problemOf } from '../../api/client.ts'
import { follow } from '../../api/follow.ts'
import type { CrumbEvent, CrumbItem } from '../../api/types.ts'
import { useLoaded } from '../../state/use-loaded.ts'

const most = 300

export interface FeedFilter {
  readonly text: string
  readonly schema: string
  readonly tag: string
}

export interface Feed {
  readonly items: readonly CrumbItem[] | null
  readonly hasMore: boolean
  /** What happened to each since the page was opened. */
  readonly latest: ReadonlyMap<string, CrumbEvent['type']>
  readonly schemas: readonly string[]
  readonly tags: readonly string[]
  readonly error: ApiError | null
  reload(): void
}

export function useFeed({ text, schema, tag }: FeedFilter): Feed {
  const [items, setItems] = useState<readonly CrumbItem[] | null>(null)
  const [latest, setLatest] = useState<ReadonlyMap<string, CrumbEvent['type']>>(new Map())
  const [seen, setSeen] = useState<{ schemas: ReadonlySet<string>; tags: ReadonlySet<string> }>({
    schemas: new Set(),
    tags: new Set(),
  })
  const query = queryOf({ text, schema, tag })
  const { data, error, reload } = useLoaded((signal) => loadList(query, signal), [query])

  useEffect(() => {
    if (!data) return
    setItems(data.items)
    setSeen((before) => withNames(before, data.items))
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
        if (event.type === 'stream.reset') {
          reload()
          return
        }
        setLatest((before) => new Map(before).set(event.breadcrumb_id, event.type))
        // Whether new text matches the words only the server knows.
        if (text) reload()
        else setItems((before) => applied(before ?? [], event))
        setSeen((before) => withNames(before, [event]))
      },
    })
    return () => stop.abort()
  }, [schema, tag, text])

  return {
    items,
    hasMore: data?.hasMore ?? false,
    latest,
    schemas: [...seen.schemas].sort(),
    tags: [...seen.tags].sort(),
    error,
    reload,
  }
}

function queryOf({ text, schema, tag }: FeedFilter): string {
  const query = new URLSearchParams({ limit: String(most), include_context: 'false' })
  if (text) query.set('q', text)
  if (schema) query.set('schema_name', schema)
  if (tag) query.set('tag', tag)
  return query.toString()
}

async function loadList(
  query: string,
  signal: AbortSignal,
): Promise<{ items: readonly CrumbItem[]; hasMore: boolean }> {
  const response = await ask(`/breadcrumbs?${query}`, { signal })
  if (!response.ok) throw await problemOf(response)
  return { items: await response.json(), hasMore: response.headers.has('link') }
}

/** The list after an event: the crumb goes to the top, or away. */
function applied(items: readonly CrumbItem[], event: CrumbEvent): readonly CrumbItem[] {
  const others = items.filter((item) => item.id !== event.breadcrumb_id)
  if (event.type === 'breadcrumb.deleted') return others
  const { breadcrumb_id: id, title, tags, version, updated_at, schema_name } = event
  return [
    { id, title, tags, version, updated_at, ...(schema_name === undefined ? {} : { schema_name }) },
    ...others,
  ].slice(0, most)
}

function withNames(
  before: { schemas: ReadonlySet<string>; tags: ReadonlySet<string> },
  items: readonly Pick<CrumbItem, 'schema_name' | 'tags'>[],
) {
  return {
    schemas: new Set([...before.schemas, ...items.flatMap((item) => item.schema_name ?? [])]),
    tags: new Set([...before.tags, ...items.flatMap((item) => item.tags)]),
  }
}
