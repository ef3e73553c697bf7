// resources/subscribe of the older era: a client hears when a skill it subscribed to changes.
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import type { ToolChange } from '../../catalog/catalog.ts'
import type { Crib } from '../../crib/crib.ts'

/** The resource URIs that a changed tool is behind. */
export function urisOf({ id, tool }: ToolChange): string[] {
  return tool && !tool.details?.skill ? [] : [`skill://${id}/SKILL.md`, `skill://${id}`]
}

/** Takes subscriptions for one connection; gives back how to stop. */
export function takeSubscriptions(crib: Crib, server: Server): () => void {
  const uris = new Set<string>()
  const onChange = (change: ToolChange) => {
    for (const uri of urisOf(change)) if (uris.has(uri)) server.sendResourceUpdated({ uri }).catch(() => {})
  }
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    if (crib.catalog.atAddress(params.uri))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        'Changes of resources of foreign servers are not passed on; read it again when you need it.',
      )
    if (uris.size === 0) crib.setMaxListeners(0).on('tool-changed', onChange)
    if (uris.size < mostSubscriptions) uris.add(params.uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    uris.delete(params.uri)
    if (uris.size === 0) crib.off('tool-changed', onChange)
    return {}
  })
  return () => {
    crib.off('tool-changed', onChange)
  }
}

const mostSubscriptions = 1_000
