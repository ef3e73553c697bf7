// The one stream the whole console listens to; pages read its signals, and what it says makes kept answers old.
import { computed, signal } from '@preact/signals'
import { askJson } from '../api/client.ts'
import { follow } from '../api/follow.ts'
import type { Info, PendingApproval, RunSummary } from '../api/types.ts'
import { say } from '../words/say.ts'
import { type CatalogChange, loadCatalog, noteChanges } from './catalog.ts'
import { announce } from './notices.ts'
import { outdate, outdateAll } from './query.ts'

export const info = signal<Info | null>(null)
/** null until the first connection. */
export const isConnected = signal<boolean | null>(null)
/** Since when the server does not answer. */
export const lostAt = signal<number | null>(null)
export const running = signal<readonly RunSummary[]>([])
export const approvals = signal<readonly PendingApproval[]>([])
/** What else waits for a person, as the inbox counted it last. */
export const otherWaiting = signal(0)
export const inboxCount = computed(() => approvals.value.length + otherWaiting.value)
/** Runs that ended since the page was opened, latest first. */
export const finished = signal<readonly RunSummary[]>([])
export const isAdmin = computed(() => info.value?.isAdmin === true)

const mostFinished = 200

/** Starts listening; the function given back stops it. */
export function startLive(): () => void {
  const stop = new AbortController()
  void loadCatalog()
  askJson<Info>('/api/console/info').then(
    (answer) => {
      info.value = answer
    },
    () => {},
  )
  void follow('/api/console/events', {
    signal: stop.signal,
    onEvent: ({ event, data }) => handlers[event]?.(JSON.parse(data) as never),
    onState: (isOpen) => {
      // What happened while nobody listened is read again.
      if (isOpen && isConnected.value === false) {
        void loadCatalog()
        outdateAll()
        announce(say('The server is back.'))
      }
      isConnected.value = isOpen
      lostAt.value = isOpen ? null : (lostAt.value ?? Date.now())
    },
  })
  return () => stop.abort()
}

interface CatalogEvent {
  readonly changes: readonly Omit<CatalogChange, 'at'>[]
}

const handlers: Record<string, (data: never) => void> = {
  catalog: async ({ changes }: CatalogEvent) => {
    await loadCatalog()
    outdate('catalog')
    noteChanges(changes)
    if (changes.length > 0 && changes.length <= 3)
      announce(changes.map(({ id, change }) => `${id} ${say(change)}`).join(', '))
  },
  nodes: () => outdate('nodes'),
  running: (runs: readonly RunSummary[]) => {
    running.value = runs
  },
  run: (run: RunSummary) => {
    finished.value = [run, ...finished.value].slice(0, mostFinished)
    outdate('runs')
  },
  approvals: (pending: readonly PendingApproval[]) => {
    const known = new Set(approvals.value.map(({ id }) => id))
    const fresh = pending.find(({ id }) => !known.has(id))
    approvals.value = pending
    outdate('approvals')
    if (!fresh) return
    announce(say('{tool} waits for approval', { tool: fresh.tool }))
    if (document.hidden && 'Notification' in window && Notification.permission === 'granted')
      new Notification(say('{tool} waits for approval', { tool: fresh.tool }), { tag: fresh.id })
  },
}
