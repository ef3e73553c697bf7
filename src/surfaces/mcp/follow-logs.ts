// What foreign servers log aside from a call reaches clients of the older era that asked for log messages (U1): what its
// own calls have woken, of servers it is offered something of.
import type { LoggingLevel, Server } from '@modelcontextprotocol/server'
import { isAtLeast } from '../../runtimes/mcp/foreign-log.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { wantedBy } from './send-logs.ts'

/** Gives back how to stop. */
export function followLogs(clientCatalog: ClientCatalog, server: Server): () => void {
  const { crib, principal } = clientCatalog
  return crib.followServerLogs(principal, ({ server: name, level, logger, data }) => {
    const least = wantedBy(server)
    if (least === undefined || !isAtLeast(level, least) || !clientCatalog.hasServer(name)) return
    const params = {
      level: level as LoggingLevel,
      logger: logger === undefined ? name : `${name}/${logger}`,
      data,
    }
    server.notification({ method: 'notifications/message', params }).catch(() => {})
  })
}
