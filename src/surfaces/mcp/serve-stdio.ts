// MCP over the standard streams: one client, the operator's own. When its input ends the crib is closed, so
// that no tool outlives the client.
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio as serveSdkStdio } from '@modelcontextprotocol/server/stdio'
import type { Crib } from '../../crib/crib.ts'
import { operator } from '../http/principals.ts'
import { Desk, type Expose } from './desk.ts'
import type { McpExtras } from './extras.ts'
import { followChanges } from './follow-changes.ts'
import { mcpServer } from './mcp-server.ts'
import { QuickStdio } from './quick-stdio.ts'

export interface StdioOptions {
  readonly expose?: Expose
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
  const desk = new Desk(crib, operator, options.expose, options.extras)
  const stdin = options.stdin ?? process.stdin
  const stdout = options.stdout ?? process.stdout
  const quick = new QuickStdio(desk, stdin, stdout)
  const transport = new StdioServerTransport(quick.rest, stdout)
  const stops: (() => void)[] = []
  const handle = serveSdkStdio(
    () => {
      const server = mcpServer(desk)
      stops.push(followChanges(crib, server))
      quick.attach(server)
      return server
    },
    { transport, ...(options.onError ? { onerror: options.onError } : {}) },
  )
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
