// fastmcp with one tool, on stdio.
import { FastMCP } from 'fastmcp'
import { z } from 'zod'

const server = new FastMCP({ name: 'fast', version: '1.0.0' })
server.addTool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => JSON.stringify({ sum: a + b }),
})
await server.start({ transportType: 'stdio' })
