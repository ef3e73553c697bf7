// resources/subscribe of the older era: a client hears when a skill or a foreign resource it subscribed to changes.
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import type { ToolChange } from '../../catalog/tool-changes.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { watchForClient } from './watch-for-client.ts'

/** The resource URIs that a changed tool is behind. */
export function urisOf({ id, tool }: ToolChange): string[] {
  return tool && !tool.details?.skill ? [] : [`skill://${id}/SKILL.md`, `skill://${id}`]
}

/** Takes subscriptions for one connection; gives back how to stop. */
export function takeSubscriptions(clientCatalog: ClientCatalog, server: Server): () => void {
  const { crib } = clientCatalog
  /** By address, with how to stop what is another server's. */
  const subscribed = new Map<string, (() => void) | undefined>()
  let isOver = false
  const tell = (uri: string) => server.sendResourceUpdated({ uri }).catch(() => {})
  const onChange = (change: ToolChange) => {
    for (const uri of urisOf(change)) if (subscribed.has(uri)) tell(uri)
  }
  const forget = (uri: string) => {
    subscribed.get(uri)?.()
    subscribed.delete(uri)
    if (subscribed.size === 0) crib.off('tool-changed', onChange)
  }
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, { mcpReq }) => {
    if (subscribed.has(uri)) return {}
    if (subscribed.size >= maxSubscriptions)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `A client can subscribe to ${maxSubscriptions} resources at most.`,
      )
    const stop = await watchForClient(clientCatalog, uri, tell, mcpReq.signal)
    // Two requests for one address may have come together, or the client may have left.
    if (isOver || subscribed.has(uri)) stop?.()
    else {
      if (subscribed.size === 0) crib.setMaxListeners(0).on('tool-changed', onChange)
      subscribed.set(uri, stop)
    }
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    forget(params.uri)
    return {}
  })
  return () => {
    isOver = true
    for (const uri of [...subscribed.keys()]) forget(uri)
  }
}

const maxSubscriptions = 1_000
