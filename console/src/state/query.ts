// What the server answered, kept by address. Pages share it; the event stream says what is out of date; nothing polls.
// What is kept stays on the screen until the new answer is there.
import { type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type ApiError, askJson } from '../api/client.ts'

/** What can happen on the server that makes answers old. */
export type Topic = 'catalog' | 'runs' | 'approvals' | 'events' | 'settings' | 'nodes'

interface Kept {
  readonly answer: Signal<Answer<unknown>>
  readonly topics: readonly Topic[]
  watchers: number
  isLoading: boolean
  isStale: boolean
  loadedAt: number
}

export interface Answer<T> {
  readonly data: T | null
  readonly error: ApiError | null
}

export interface Query<T> extends Answer<T> {
  reload(): void
}

const kept = new Map<string, Kept>()
/** An address is asked again at most this often, however much happens. */
const restMs = 1_000
const mostKept = 60

/** The answer of an address, kept up to date while somebody looks; null asks nothing. */
export function useQuery<T>(path: string | null, topics: readonly Topic[] = []): Query<T> {
  const entry = path === null ? null : entryOf(path, topics)
  useEffect(() => {
    if (path === null || !entry) return
    entry.watchers++
    if (entry.isStale || entry.answer.value.data === null) load(path, entry)
    return () => {
      entry.watchers--
    }
  }, [path])
  const { data, error } = entry?.answer.value ?? { data: null, error: null }
  return { data: data as T | null, error, reload: () => path !== null && entry && load(path, entry) }
}

/** Says that something happened: what depends on it and is looked at is read again, the rest when it is. */
export function outdate(...topics: readonly Topic[]): void {
  for (const [path, entry] of kept)
    if (entry.topics.some((topic) => topics.includes(topic))) {
      entry.isStale = true
      if (entry.watchers > 0) loadSoon(path, entry)
    }
}

/** Everything may have changed: the connection was lost for a while, or somebody else signed in. */
export function outdateAll(): void {
  outdate('catalog', 'runs', 'approvals', 'events', 'settings', 'nodes')
}

/** Nothing is kept for the next one who signs in. */
export function forgetAll(): void {
  for (const entry of kept.values()) entry.answer.value = { data: null, error: null }
  kept.clear()
}

function entryOf(path: string, topics: readonly Topic[]): Kept {
  let entry = kept.get(path)
  if (!entry) {
    const answer = signal<Answer<unknown>>({ data: null, error: null })
    entry = { answer, topics, watchers: 0, isLoading: false, isStale: false, loadedAt: 0 }
    for (const [old, { watchers }] of kept) {
      if (kept.size < mostKept) break
      if (watchers === 0) kept.delete(old)
    }
    kept.set(path, entry)
  }
  return entry
}

function loadSoon(path: string, entry: Kept): void {
  const waitMs = entry.loadedAt + restMs - Date.now()
  if (waitMs <= 0) load(path, entry)
  else
    setTimeout(() => {
      if (entry.isStale && entry.watchers > 0) load(path, entry)
    }, waitMs)
}

function load(path: string, entry: Kept): void {
  if (entry.isLoading) {
    entry.isStale = true
    return
  }
  entry.isLoading = true
  entry.isStale = false
  entry.loadedAt = Date.now()
  askJson<unknown>(path)
    .then(
      (data) => {
        entry.answer.value = { data, error: null }
      },
      (error: ApiError) => {
        entry.answer.value = { data: entry.answer.value.data, error }
      },
    )
    .finally(() => {
      entry.isLoading = false
      if (entry.isStale && entry.watchers > 0) loadSoon(path, entry)
    })
}
