// An MCP server without any dependency, as anybody might bring one: JSON-RPC, one message a line, on stdin and stdout.
// `.mcp.json` names it; Toolcrib starts it inside the fence when somebody lists or calls its tools.
import { createInterface } from 'node:readline'

const metres = { mm: 0.001, cm: 0.01, m: 1, km: 1000, in: 0.0254, ft: 0.3048, yd: 0.9144, mi: 1609.344 }
const unit = { type: 'string', enum: Object.keys(metres) }

const convert = {
  name: 'convert',
  title: 'Convert a length',
  description: 'Convert a length from one unit to another',
  inputSchema: {
    type: 'object',
    properties: {
      value: { type: 'number', description: 'The length' },
      from: { ...unit, description: 'Its unit' },
      to: { ...unit, description: 'The unit wanted' },
    },
    required: ['value', 'from', 'to'],
  },
  outputSchema: {
    type: 'object',
    properties: { value: { type: 'number' }, unit: { type: 'string' } },
    required: ['value', 'unit'],
  },
  annotations: { readOnlyHint: true },
}

const explain = {
  name: 'explain',
  description: 'Explain a length to somebody who grew up with other units',
  arguments: [{ name: 'length', description: 'Such as 3 mi', required: true }],
}

const table = { uri: 'units://table', name: 'table', description: 'All units and what they are in metres' }
const one = { uriTemplate: 'units://{unit}', name: 'unit', description: 'One unit' }
const line = (name) => `1 ${name} is ${metres[name]} m\n`

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name: 'units', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [convert] }),
  'prompts/list': () => ({ prompts: [explain] }),
  'prompts/get': ({ arguments: { length } }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `How long is ${length}? Compare it with things.` } }],
  }),
  'resources/list': () => ({ resources: [table] }),
  'resources/templates/list': () => ({ resourceTemplates: [one] }),
  'resources/read': ({ uri }) => {
    const name = uri.slice('units://'.length)
    if (uri !== table.uri && !Object.hasOwn(metres, name)) throw new Error(`There is no unit ${name}.`)
    return { contents: [{ uri, text: uri === table.uri ? unit.enum.map(line).join('') : line(name) }] }
  },
  'tools/call': ({ name, arguments: { value, from, to } }) => {
    if (name !== 'convert') throw new Error(`There is no tool ${name}.`)
    if (!(from in metres && to in metres))
      return { content: [{ type: 'text', text: `Units are ${unit.enum.join(', ')}.` }], isError: true }
    const result = { value: Number(((value * metres[from]) / metres[to]).toPrecision(12)), unit: to }
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
  },
}

for await (const message of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(message)
  if (id === undefined) continue
  let body
  try {
    if (!answers[method]) throw Object.assign(new Error(`There is no method ${method}.`), { code: -32601 })
    body = { result: answers[method](params ?? {}) }
  } catch (error) {
    body = { error: { code: error.code ?? -32602, message: error.message } }
  }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
}
