// A server of the first specification: 2024-11-05 over HTTP with server-sent events, nothing newer.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, expect, it } from 'vitest'
import { answering } from '../../../test/helpers/answering.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'

let crib: Crib
let http: HttpServer
let root: string

afterEach(async () => {
  await crib.close()
  http.closeAllConnections()
  http.close()
  rmSync(root, { recursive: true, force: true })
})

async function oldServer(): Promise<string> {
  const transports = new Map<string, SSEServerTransport>()
  http = createServer(
    answering(async (request, response) => {
      const url = new URL(request.url!, 'http://x')
      if (request.method === 'GET' && url.pathname === '/sse') {
        const transport = new SSEServerTransport('/messages', response)
        transports.set(transport.sessionId, transport)
        const server = new Server({ name: 'old', version: '1' }, { capabilities: { tools: {} } })
        server.setRequestHandler(ListToolsRequestSchema, () => ({
          tools: [{ name: 'say_it', inputSchema: { type: 'object' as const } }],
        }))
        server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
          content: [{ type: 'text' as const, text: `old ${JSON.stringify(params.arguments)}` }],
        }))
        await server.connect(transport)
      } else if (request.method === 'POST' && url.pathname === '/messages') {
        await transports.get(url.searchParams.get('sessionId')!)!.handlePostMessage(request, response)
      } else response.writeHead(404).end()
    }),
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`
}

it.each([[{}], [{ type: 'sse' as const }]])('is found and called with %o', async (extra) => {
  verifies('U3')
  const url = await oldServer()
  root = mkdtempSync(join(tmpdir(), 'old-'))
  crib = await openCrib({
    root,
    env: { HOME: root },
    config: { mcp: { servers: { old: { url, ...extra } } } },
  })
  await crib.discover()
  expect(await crib.call('old-say_it', { a: 1 })).toMatchObject({ ok: true, value: 'old {"a":1}' })
})
