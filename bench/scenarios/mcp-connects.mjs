import { fileURLToPath } from 'node:url'
import { httpServer, inFlight } from '../mcp-clients.mjs'

const connects = 10_000
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
}

export const scenario = {
  about: 'growth of the heap by 10,000 clients that connect and leave without a goodbye',
  unit: 'MB',
  run: { rounds: 3, warmUp: 1 },
  async setup() {
    const script = fileURLToPath(new URL('../servers/toolcrib-http.mjs', import.meta.url))
    const server = await httpServer(script, ['50'], { execArgv: ['--expose-gc'] })
    const growth = async (count) => {
      const { heapMb: before } = await server.tell('memory')
      await inFlight(count, 16, () => server.post(initialize))
      return (await server.tell('memory')).heapMb - before
    }
    return {
      reference: 'nobody',
      sides: {
        nobody: { measure: async () => Math.abs(await growth(0)) },
        '10,000 connects': { measure: () => growth(connects) },
      },
      teardown: () => server.close(),
    }
  },
}
