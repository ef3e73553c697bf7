// Tells a connected client when the catalog changed; a burst of changes is one notice.
import type { Server } from '@modelcontextprotocol/server'
import type { Crib } from '../../crib.ts'

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
  crib.catalog.on('changed', onChange)
  return () => {
    clearTimeout(timer)
    crib.catalog.off('changed', onChange)
  }
}

export function followChanges(crib: Crib, server: Server): () => void {
  return onCatalogChange(crib, () => {
    for (const send of [
      server.sendToolListChanged,
      server.sendPromptListChanged,
      server.sendResourceListChanged,
    ])
      send.call(server).catch(() => {})
  })
}
