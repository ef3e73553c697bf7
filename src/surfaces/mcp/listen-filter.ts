// `subscriptions/listen` of 2026-07-28: the addresses of foreign resources in it are watched at their servers before the
// SDK opens the stream. One that cannot be watched is left out of it, so that the client is told so.
import { isPlainObject } from '../../tool/json.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { watchForClient } from './watch-for-client.ts'

export interface WatchedListen {
  /** The request, without the addresses that cannot be watched. */
  readonly message: unknown
  stop(): void
}

const maxAddresses = 1_000

/** Undefined for every other message, and where no address is a foreign server's. */
export async function watchListen(
  clientCatalog: ClientCatalog,
  message: unknown,
  tell: (uri: string) => void,
): Promise<WatchedListen | undefined> {
  const asked = filterOf(message)
  if (!asked) return undefined
  const signal = AbortSignal.timeout(clientCatalog.crib.config.mcp.listTimeoutMs)
  const stops: (() => void)[] = []
  const kept = await Promise.all(
    asked.uris.slice(0, maxAddresses).map(async (uri) => {
      try {
        // The stream knows the addresses it was asked for and none below them.
        const stop = await watchForClient(clientCatalog, uri, () => tell(uri), signal)
        if (stop) stops.push(stop)
        return [uri]
      } catch {
        return []
      }
    }),
  )
  const notifications = { ...asked.notifications, resourceSubscriptions: kept.flat() }
  return {
    message: { ...asked.message, params: { ...asked.params, notifications } },
    stop: () => {
      for (const stop of stops.splice(0)) stop()
    },
  }
}

/** Whether a message opens a stream of notices. */
export function isListen(message: unknown): message is { readonly [key: string]: unknown } {
  return isPlainObject(message) && message['method'] === 'subscriptions/listen'
}

function filterOf(message: unknown) {
  if (!isListen(message)) return undefined
  const params = message['params']
  const notifications = isPlainObject(params) ? params['notifications'] : undefined
  const uris = isPlainObject(notifications) ? notifications['resourceSubscriptions'] : undefined
  if (!isPlainObject(params) || !isPlainObject(notifications) || !Array.isArray(uris)) return undefined
  if (!uris.every((uri) => typeof uri === 'string')) return undefined
  return { message, params, notifications, uris: uris as string[] }
}
