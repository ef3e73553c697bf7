// The event feed as a client follows it: what came after a position, in order, without gap or double, then
// what comes. Wake-ups are in memory; the position is the only thing that must be remembered.
import type { CrumbEvent, EventType } from '../store/crumb.ts'
import type { CrumbStore, LoggedEvent } from '../store/store.ts'
import type { Principal } from '../tool/principal.ts'

const pageSize = 500

export interface FeedFilter {
  readonly schema?: string
  /** All of them must be present. */
  readonly tags?: readonly string[]
  readonly type?: EventType
}

export interface FeedOptions extends FeedFilter {
  /** Position to go on from; absent: only what comes. */
  readonly since?: string
  readonly signal?: AbortSignal
}

/** `stream.reset`: what lay between `since` and the oldest kept event is gone; read the crumbs again. */
export type FeedItem = CrumbEvent | { readonly type: 'stream.reset'; readonly id: string }

export type Feed = AsyncGenerator<FeedItem>

/**
 * Follows the feed as a principal may see it, until the signal fires. Where it begins is settled before this is:
 * what is written after it comes, however late the reader takes the first item.
 */
export async function followFeed(
  store: CrumbStore,
  principal: Principal,
  options: FeedOptions = {},
): Promise<Feed> {
  const last = await store.events.last()
  if (options.since === undefined) return itemsAfter(last, { store, principal, options, isLost: false })
  const since = positionOf(options.since)
  const horizon = await store.events.horizon()
  const isLost = since === null || since < horizon || since > last
  const from = isLost ? (since !== null && since > last ? last : horizon) : since
  return itemsAfter(from, { store, principal, options, isLost })
}

interface Following {
  readonly store: CrumbStore
  readonly principal: Principal
  readonly options: FeedOptions
  readonly isLost: boolean
}

async function* itemsAfter(from: number, { store, principal, options, isLost }: Following): Feed {
  const wake = new WakeUp()
  const unsubscribe = store.events.onAppend(() => wake.ring())
  const stop = (): void => wake.ring()
  options.signal?.addEventListener('abort', stop)
  try {
    if (isLost) yield { type: 'stream.reset', id: String(from) }
    let position = from
    while (!options.signal?.aborted) {
      const rung = wake.next()
      const page = await store.events.after({ after: position, limit: pageSize })
      for (const logged of page) {
        position = logged.seq
        if (isVisible(logged, principal) && passes(logged.event, options)) yield logged.event
        if (options.signal?.aborted) return
      }
      if (page.length < pageSize) await rung
    }
  } finally {
    unsubscribe()
    options.signal?.removeEventListener('abort', stop)
  }
}

function positionOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

export function isVisible({ event, visibility }: LoggedEvent, principal: Principal): boolean {
  if (event.owner_id !== principal.owner && visibility !== 'public') return false
  return visibility !== 'private' || principal.isAdmin || event.created_by === principal.name
}

function passes(event: CrumbEvent, filter: FeedFilter): boolean {
  if (filter.schema !== undefined && event.schema_name !== filter.schema) return false
  if (filter.type !== undefined && event.type !== filter.type) return false
  return (filter.tags ?? []).every((tag) => event.tags.includes(tag))
}

/** One waiting party that can be woken before, while or after it goes to sleep. */
class WakeUp {
  #ring: () => void = () => {}

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = resolve
    })
  }

  ring(): void {
    this.#ring()
  }
}
