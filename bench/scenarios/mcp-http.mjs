import { fileURLToPath } from 'node:url'
import { httpServer, inFlight } from '../mcp-clients.mjs'

const calls = 1_500
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

export const scenario = {
  about: 'MCP tools/call over HTTP, 16 connections, from 1 to 5,000 tools',
  unit: 'µs',
  run: { rounds: 9, warmUp: 2 },
  async setup() {
    const servers = {
      'SDK v2 McpServer, 1 tool': await httpServer(here('../servers/sdk-v2-http.mjs')),
      'ours, 1 tool': await httpServer(here('../servers/toolcrib-http.mjs'), ['1']),
      'ours, 500 tools': await httpServer(here('../servers/toolcrib-http.mjs'), ['500']),
      'ours, 5,000 tools': await httpServer(here('../servers/toolcrib-http.mjs'), ['5000']),
    }
    return {
      reference: 'SDK v2 McpServer, 1 tool',
      sides: Object.fromEntries(
        Object.entries(servers).map(([name, server]) => [
          name,
          { operations: calls, work: () => inFlight(calls, 16, (n) => server.call('add', { a: n, b: 1 })) },
        ]),
      ),
      teardown: () => Promise.all(Object.values(servers).map((server) => server.close())),
    }
  },
}
