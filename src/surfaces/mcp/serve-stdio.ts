// MCP over the standard streams: one client, the operator's own. When its input ends the crib is closed, so
// that no tool outlives the client.
import type { Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio as serveSdkStdio } from '@modelcontextprotocol/server/stdio'
import type { Expose } from '../../config/config.ts'
import type { Crib } from '../../crib/crib.ts'
import { boundToOffer } from '../../guards/offer-selection.ts'
import { operator } from '../http/principals.ts'
import { ClientCatalog } from './client-catalog.ts'
import { exposeOf } from './client-catalogs.ts'
import type { McpExtras } from './extras.ts'
import { followChanges } from './follow-changes.ts'
import { mcpServer } from './mcp-server.ts'
import { QuickStdio } from './quick-stdio.ts'
import { watchStdioListens } from './watch-stdio-listens.ts'

export interface StdioOptions {
  /** How tools are offered; default: as the offer says, else every tool by itself. */
  readonly expose?: Expose
  /** The offer of `offers` that the client gets, in place of everything. */
  readonly offer?: string
  /** Prompts and resources besides those of the crib's skills. */
  readonly extras?: McpExtras
  readonly stdin?: Readable
  readonly stdout?: Writable
  /** Told of faults that belong to no request. */
  readonly onError?: (error: Error) => void
}

export interface StdioServed {
  /** Settles when the client is gone. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export function serveStdio(crib: Crib, options: StdioOptions = {}): StdioServed {
  const { offer } = options
  const principal = offer === undefined ? operator : boundToOffer(operator, offer, crib.config)
  const expose = options.expose ?? exposeOf(principal, crib.config)
  const clientCatalog = new ClientCatalog(crib, principal, expose, options.extras)
  const stdin = options.stdin ?? process.stdin
  const stdout = options.stdout ?? process.stdout
  const quick = new QuickStdio(clientCatalog, stdin, stdout)
  const transport = new StdioServerTransport(quick.rest, stdout)
  const stops: (() => void)[] = []
  let current: Server | undefined
  const handle = serveSdkStdio(
    () => {
      const server = mcpServer(clientCatalog)
      stops.push(followChanges(clientCatalog, server))
      quick.attach(server)
      current = server
      return server
    },
    { transport, onerror: options.onError },
  )
  stops.push(watchStdioListens(clientCatalog, transport, (uri) => current?.sendResourceUpdated({ uri })))
  const ended = new Promise<void>((resolve) => {
    const previous = transport.onclose
    transport.onclose = () => {
      previous?.()
      for (const stop of stops) stop()
      quick.close()
      resolve()
    }
  })
  return { ended, close: () => handle.close() }
}
