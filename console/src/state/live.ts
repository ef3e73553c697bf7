// The one stream the whole console listens to; pages read its signals.
import { signal } from '@preact/signals'
import { askJson } from '../api/client.ts'
import { follow } from '../api/follow.ts'
import type { Info, PendingApproval, RunSummary } from '../api/types.ts'
import { loadCatalog, markFresh } from './catalog.ts'
import { announce } from './notices.ts'

export const info = signal<Info | null>(null)
/** null until the first connection. */
export const isConnected = signal<boolean | null>(null)
export const running = signal<readonly RunSummary[]>([])
export const approvals = signal<readonly PendingApproval[]>([])
/** Runs that ended since the page was opened, latest first. */
export const finished = signal<readonly RunSummary[]>([])

const mostFinished = 500

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
      if (isOpen && isConnected.value === false) void loadCatalog()
      isConnected.value = isOpen
    },
  })
  return () => stop.abort()
}

interface CatalogEvent {
  readonly changes: readonly { readonly id: string; readonly change: 'added' | 'changed' | 'removed' }[]
}

const handlers: Record<string, (data: never) => void> = {
  catalog: async ({ changes }: CatalogEvent) => {
    await loadCatalog()
    markFresh(changes.filter(({ change }) => change !== 'removed').map(({ id }) => id))
    if (changes.length > 0 && changes.length <= 3)
      announce(changes.map(({ id, change }) => `${id} ${change}`).join(', '))
  },
  running: (runs: readonly RunSummary[]) => {
    running.value = runs
  },
  run: (run: RunSummary) => {
    finished.value = [run, ...finished.value].slice(0, mostFinished)
  },
  approvals: (pending: readonly PendingApproval[]) => {
    if (pending.length > approvals.value.length) announce(`${pending.at(-1)!.tool} waits for approval`)
    approvals.value = pending
  },
}
