// Where clients find the MCP endpoint of a crib that is served, by its settings; nothing needs to run yet.
import type { Config } from '../../config/config.ts'
import { UsageError } from './command.ts'

export function servedAddress(serve: Pick<Config['serve'], 'publicUrl' | 'host' | 'port'>): string {
  if (serve.publicUrl !== null) return `${serve.publicUrl}/mcp`
  if (serve.port === 0)
    throw new UsageError(
      'Port 0 is another one at every start.',
      'Name a fixed one with --port or serve.port.',
    )
  return `http://${serve.host.includes(':') ? `[${serve.host}]` : serve.host}:${serve.port}/mcp`
}
