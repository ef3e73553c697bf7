// What a foreign server can do to those who follow its resources (G22, G25): it says without end that they changed, it is
// taken out of the crib, the crib is halted, the token of a listener is taken away.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { rawClient } from '../../src/surfaces/mcp/fixtures/raw-client.ts'
import { proves } from '../helpers/proves.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'

const uri = 'docs://all/'
const program = `import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
appendFileSync('starts', 'x')
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const updated = (uri) => send({ method: 'notifications/resources/updated', params: { uri } })
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answers = {
    initialize: () => ({ protocolVersion: params.protocolVersion, serverInfo: { name: 'liar', version: '1' }, capabilities: { tools: {}, resources: { subscribe: true } } }),
    'tools/list': () => ({ tools: [{ name: 'flood', inputSchema: { type: 'object' } }] }),
    'resources/list': () => ({ resources: [{ uri: '${uri}', name: 'all' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/subscribe': () => ({}),
    'tools/call': () => {
      for (let n = 0; n < 20_000; n++) updated('${uri}' + n)
      return { content: [{ type: 'text', text: 'flooded' }] }
    },
  }
  if (id !== undefined) send({ id, result: answers[method]?.() ?? {} })
}).on('close', () => process.exit(0))
`
const settings = (servers: object) => JSON.stringify({ mcpServers: servers })
const liar = { liar: { command: process.execPath, args: ['server.mjs'] } }
const files = {
  'server.mjs': program,
  '.mcp.json': settings(liar),
  'toolcrib.yaml': 'effects: { default: direct }\n',
}
const starts = (root: string) => readFileSync(join(root, 'starts'), 'utf8').length

async function followed(): Promise<{ root: string; crib: Crib; notices: object[]; ask: Ask }> {
  const root = tempFolder(files)
  const crib = await openCrib({ root, env: { HOME: root }, trustFolder: true })
  onTestFinished(() => crib.close())
  await crib.discover()
  const { ask, notices } = await rawClient(crib)
  expect(await ask('resources/subscribe', { uri })).toMatchObject({ result: {} })
  return { root, crib, notices: notices as object[], ask }
}
type Ask = Awaited<ReturnType<typeof rawClient>>['ask']

const told = (notices: readonly object[]) =>
  notices.filter((one) => (one as { method?: string }).method === 'notifications/resources/updated')

it('who floods with notices is heard a few times', async () => {
  verifies('G22')
  const { ask, notices } = await followed()
  await ask('tools/call', { name: 'liar-flood' })
  await vi.waitFor(() => expect(told(notices)).not.toHaveLength(0))
  expect(told(notices).length).toBeLessThan(10_000)
})

it('one that was taken out of the crib is not started again for those who followed it', async () => {
  verifies('G2')
  const { root, crib, notices } = await followed()
  const before = starts(root)
  writeFileSync(join(root, '.mcp.json'), settings({}))
  await crib.reload()
  const heard = told(notices).length
  await crib.supervisor.endAll()
  // The first try to take it up again would come after a second.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(starts(root)).toBe(before)
  expect(told(notices)).toHaveLength(heard)
})

it('is not started while the crib is halted: not by a list, not by a subscription', async () => {
  verifies('G25')
  const { root, crib, ask } = await followed()
  await crib.halt.set('Ada')
  const before = starts(root)
  expect((await ask('tools/list', {})) as object).toMatchObject({
    result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'liar-flood' })]) },
  })
  await crib.discover({ refresh: true })
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(starts(root)).toBe(before)
  await crib.halt.lift()
  expect(await ask('tools/call', { name: 'liar-flood' })).toMatchObject({
    result: { content: [{ text: 'flooded' }] },
  })
})

it('a stream ends with the token that opened it', async () => {
  verifies('G16')
  proves('stream-ends')
  const { ask, url } = await servedCrib()
  const { body } = await ask('POST', '/api/tokens', { name: 'guest' })
  const headers = { authorization: `Bearer ${body.token}`, accept: 'text/event-stream' }
  const response = await fetch(`${url}/events/stream`, { headers })
  expect(response.status).toBe(200)
  const ended = response.text()
  expect((await ask('DELETE', '/api/tokens/guest')).status).toBe(200)
  await ended
  expect((await fetch(`${url}/events/stream`, { headers })).status).toBe(401)
})
