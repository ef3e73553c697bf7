// A foreign MCP server whose tools a test can change while it runs, and the files that put it into a crib.

/** A server that says whatever definitions.json says, each time it is asked. */
export const server = `import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize')
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'f', version: '1' } } })
  else if (method === 'tools/list') send({ id, result: { tools: JSON.parse(readFileSync('definitions.json', 'utf8')) } })
  else if (method === 'tools/call') {
    send({ id, result: { content: [{ type: 'text', text: params.name }] } })
    if (params.name === 'tell') send({ method: 'notifications/tools/list_changed' })
  }
}).on('close', () => process.exit(0))
`
export const echo = {
  name: 'echo',
  description: 'Says it again',
  inputSchema: { type: 'object', properties: { text: { type: 'string', description: 'What' } } },
  annotations: { readOnlyHint: true },
}
export const tell = { name: 'tell', description: 'Tells', inputSchema: { type: 'object' } }

/** Files of a crib with that server, named box. */
export const withServer = (definitions: unknown = [echo, tell]) => ({
  'server.mjs': server,
  'definitions.json': JSON.stringify(definitions),
  '.mcp.json': JSON.stringify({ mcpServers: { box: { command: 'node', args: ['server.mjs'] } } }),
})
