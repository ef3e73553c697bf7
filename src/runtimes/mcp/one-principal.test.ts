// A process of a foreign server serves one principal (G23): what one token told it, no other token hears.
import { expect, it } from 'vitest'
import { proves } from '../../../test/helpers/proves.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { servedCrib } from '../../surfaces/http/fixtures/served-crib.ts'

/** A server that keeps what it was told, and says all of it. */
const memory = `import { createInterface } from 'node:readline'
const told = []
const tools = [{ name: 'tell', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }]
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const send = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  if (method === 'initialize') send({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'm', version: '1' } })
  else if (method === 'tools/list') send({ tools })
  else if (method === 'tools/call') {
    told.push(params.arguments.text)
    send({ content: [{ type: 'text', text: told.join(' ') }] })
  }
}).on('close', () => process.exit(0))
`

async function served(entry: object = {}) {
  const server = { command: 'node', args: ['memory.mjs'], ...entry }
  const env = { ADA: 'a'.repeat(32), BOB: 'b'.repeat(32) }
  const tokens = Object.keys(env).map((name) => ({ name: name.toLowerCase(), token: `env://${name}` }))
  const { crib, ask } = await servedCrib({
    files: { 'memory.mjs': memory, '.mcp.json': JSON.stringify({ mcpServers: { memory: server } }) },
    config: { serve: { tokens } },
    env,
  })
  const tell = async (name: keyof typeof env, text: string) => {
    const { body } = await ask(
      'POST',
      '/api/tools/memory-tell/call',
      { params: { text } },
      { token: env[name] },
    )
    return body.value
  }
  return { crib, tell }
}

it('keeps what one token told a server from every other', async () => {
  verifies('G23')
  proves('server-per-principal')
  const { crib, tell } = await served()
  expect(await tell('ADA', 'hers')).toBe('hers')
  expect(await tell('BOB', 'his')).toBe('his')
  expect(await tell('ADA', 'more')).toBe('hers more')
  expect(await crib.call('memory-tell', { text: 'own' })).toMatchObject({ value: 'own' })
})

it('lets one process serve everybody where its entry says shared', async () => {
  verifies('G23')
  const { tell } = await served({ shared: true })
  await tell('ADA', 'hers')
  expect(await tell('BOB', 'his')).toBe('hers his')
})

it('names an entry whose shared is neither true nor false', async () => {
  verifies('G23')
  const { crib } = await served({ shared: 'yes' })
  expect(crib.problems).toContainEqual(
    expect.objectContaining({ message: 'shared of "memory" must be true or false.' }),
  )
})
