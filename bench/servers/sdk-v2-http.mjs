// The reference: the official SDK v2 McpServer with one tool, made per request as its handler does, on HTTP.
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1' })
  server.registerTool(
    'add',
    { description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: JSON.stringify({ sum: a + b }) }] }),
  )
  return server
})
const server = createServer(getRequestListener((request) => handler.fetch(request)))
server.listen(0, '127.0.0.1', () => {
  const ready = { url: `http://127.0.0.1:${server.address().port}/mcp` }
  if (process.send) process.send(ready)
  else console.log(JSON.stringify(ready))
})
