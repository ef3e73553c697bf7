// Tells a connected client when the catalog changed; a burst of changes is one notice.
import type { Server } from '@modelcontextprotocol/server'
import type { Crib } from '../../crib/crib.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { followLogs } from './follow-logs.ts'
import { takeSubscriptions } from './subscriptions.ts'

const burstMs = 50

/** Calls `tell` a moment after the catalog changed; gives back how to stop. */
export function onCatalogChange(crib: Crib, tell: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const onChange = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      tell()
    }, burstMs)
  }
  // One listener per connection is no leak.
  crib.catalog.setMaxListeners(0)
  crib.catalog.on('changed', onChange)
  return () => {
    clearTimeout(timer)
    crib.catalog.off('changed', onChange)
  }
}

/** Keeps one connection of the older era told: lists that changed, what servers log, and resources it subscribed to. */
export function followChanges(clientCatalog: ClientCatalog, server: Server): () => void {
  const stopLogs = followLogs(clientCatalog, server)
  const stopSubscriptions = takeSubscriptions(clientCatalog, server)
  const stopLists = onCatalogChange(clientCatalog.crib, () => {
    for (const send of [
      server.sendToolListChanged,
      server.sendPromptListChanged,
      server.sendResourceListChanged,
    ])
      send.call(server).catch(() => {})
  })
  return () => {
    stopLogs()
    stopSubscriptions()
    stopLists()
  }
}
