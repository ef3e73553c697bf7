// A small MCP server on stdin and stdout without any dependency: one tool that adds.
import { createInterface } from 'node:readline'

const add = {
  name: 'add',
  description: 'Adds numbers',
  inputSchema: { type: 'object', properties: { numbers: { type: 'array', items: { type: 'number' } } } },
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'desk', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [add] }),
  'tools/call': ({ arguments: { numbers } }) => {
    const sum = numbers.reduce((total, number) => total + number, 0)
    return { content: [{ type: 'text', text: String(sum) }], structuredContent: { sum } }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: 'Method not found' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
}
