// `subscriptions/listen` over the standard streams, for foreign resources: watched from the request until it is cancelled
// or the client is gone.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { isPlainObject } from '../../tool/json.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { type WatchedListen, watchListen } from './listen-filter.ts'

/** Stands between a transport and the server that reads from it already; gives back how to stop. */
export function watchStdioListens(
  clientCatalog: ClientCatalog,
  transport: Transport,
  tell: (uri: string) => Promise<void> | undefined,
): () => void {
  const watched = new Map<unknown, Promise<WatchedListen | undefined>>()
  const { onmessage } = transport
  const forget = (id: unknown) => {
    void watched.get(id)?.then((listen) => listen?.stop())
    watched.delete(id)
  }
  const open = async (message: JSONRPCMessage, extra: unknown) => {
    const watching = watchListen(clientCatalog, message, (uri) => void tell(uri)?.catch(() => {}))
    const { id } = message as { id?: unknown }
    // A client that uses an id again has given up what it asked for before.
    forget(id)
    watched.set(id, watching)
    const listen = await watching
    onmessage?.call(transport, (listen?.message ?? message) as JSONRPCMessage, extra as never)
  }
  transport.onmessage = (message: JSONRPCMessage, extra?: unknown) => {
    const method = 'method' in message ? message.method : undefined
    if (method === 'subscriptions/listen') return void open(message, extra)
    if (method === 'notifications/cancelled' && 'params' in message && isPlainObject(message.params))
      forget(message.params['requestId'])
    onmessage?.call(transport, message, extra as never)
  }
  return () => {
    for (const id of [...watched.keys()]) forget(id)
  }
}
