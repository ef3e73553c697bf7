// Asks foreign MCP servers for their tools on behalf of a person, who is told which ones are waited for.
import type { DiscoverOptions } from '../../runtimes/mcp/foreign-tools.ts'
import type { Session } from './session.ts'
import { StatusLine } from './status-line.ts'

/** Waits for the servers, with a line on the terminal once that takes longer than a second. */
export async function askServers<T>(
  session: Session,
  ask: (onWaiting: NonNullable<DiscoverOptions['onWaiting']>) => Promise<T>,
): Promise<T> {
  const status: StatusLine = new StatusLine('', !session.json && !session.quiet, () => status.label !== '')
  try {
    return await ask((servers) => {
      status.clear()
      status.label =
        servers.length === 0
          ? ''
          : `Waiting for MCP server${servers.length > 1 ? 's' : ''} ${servers.join(', ')}`
    })
  } finally {
    status.end()
  }
}
