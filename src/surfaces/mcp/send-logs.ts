// Log lines of a running call as MCP log messages, for clients that asked for them: by logging/setLevel in the
// older era, by a level in the request in the newer one. Nobody who did not ask gets any.
import {
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isAtLeast, saidIn } from '../../runtimes/mcp/foreign-log.ts'
import type { LogLevel, LogLine } from '../../tool/outcome.ts'

const levelOf: { readonly [level in LogLevel]: LoggingLevel } = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
}
const wanted = new WeakMap<Server, LoggingLevel>()

/** Remembers what the client of this server asks for. */
export function takeLogLevel(server: Server): void {
  server.setRequestHandler('logging/setLevel', ({ params }) => {
    wanted.set(server, params.level)
    return {}
  })
}

/** The level that the client of this server asked for; undefined for one that wants none. */
export function wantedBy(server: Server): LoggingLevel | undefined {
  return wanted.get(server)
}

/** The level that is asked for in one request. */
export function wantedIn(server: Server, { mcpReq }: ServerContext): string | undefined {
  const envelope = mcpReq.envelope as { readonly [key: string]: unknown } | undefined
  const level = envelope ? envelope[LOG_LEVEL_META_KEY] : wanted.get(server)
  return typeof level === 'string' && isAtLeast(level, 'debug') ? level : undefined
}

/** Sends lines at or above the level the client asked for; undefined when it asked for none. */
export function logSender(
  server: Server,
  context: ServerContext,
  logger: string,
): ((line: LogLine) => void) | undefined {
  const least = wantedIn(server, context)
  if (least === undefined) return undefined
  return (line) => {
    // What a foreign server said goes on in its own words, under its name (U1).
    const said = saidIn(line)
    const own = said ? (said.level as LoggingLevel) : levelOf[line.level]
    if (!isAtLeast(own, least)) return
    const data = line.data === undefined ? line.message : { message: line.message, data: line.data }
    const params = said
      ? {
          level: own,
          logger: said.logger === undefined ? logger : `${logger}/${said.logger}`,
          data: said.data,
        }
      : { level: own, logger, data }
    context.mcpReq.notify({ method: 'notifications/message', params }).catch(() => {})
  }
}
