// A bare server on the official SDK v2 with one tool (or as many as the first argument says), over HTTP on a free
// port; prints `{ "url" }` when it is ready.
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'

const tools = Number(process.argv[2] ?? 1)

function makeServer() {
  const server = new McpServer({ name: 'bare', version: '1.0.0' })
  for (let n = 0; n < tools; n++)
    server.registerTool(
      n === 0 ? 'echo' : `echo_${n}`,
      {
        description: 'Says what it was told',
        inputSchema: fromJsonSchema({
          type: 'object',
          properties: { text: { type: 'string' } },
          required: ['text'],
        }),
      },
      ({ text }) => ({ content: [{ type: 'text', text }] }),
    )
  return server
}

const http = createServer(async (request, response) => {
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  const server = makeServer()
  response.on('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response)
})
http.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/mcp` }))
})
