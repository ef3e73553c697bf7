// Changes of resources of foreign servers reach the clients that subscribed to them, whatever era either side speaks.
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { serveCrib } from '../http/serve-crib.ts'
import { askModern } from './fixtures/modern-client.ts'
import { rawClient } from './fixtures/raw-client.ts'
import { serveStdio } from './serve-stdio.ts'

const server = fileURLToPath(new URL('../../runtimes/mcp/fixtures/reading-server.mjs', import.meta.url))
const uri = 'docs://guide'
const updated = { method: 'notifications/resources/updated', params: { uri } }
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Whatever came over the line. */
type Loose = ReturnType<typeof JSON.parse>

async function cribOf(mcpServers: object, config: object = {}): Promise<Crib> {
  const root = tempFolder({})
  copyFileSync(server, join(root, 'reading-server.mjs'))
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers }))
  const crib = await openCrib({ root, env: { HOME: root }, config })
  onTestFinished(() => crib.close())
  await crib.discover()
  return crib
}

const readingCrib = (args: readonly string[] = [], config: object = {}) =>
  cribOf({ lib: { command: 'node', args: ['reading-server.mjs', ...args] } }, config)

async function served(crib: Crib): Promise<{ readonly url: string; readonly token: string }> {
  const serving = await serveCrib(crib, { port: 0, watch: false })
  onTestFinished(() => serving.close(0))
  return { url: serving.url, token: serving.token! }
}

/** A stream of 2026-07-28 over HTTP, and what comes on it. */
async function listen({ url, token }: { readonly url: string; readonly token: string }, uris: string[]) {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    signal: gone.signal,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'listen',
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: uris }, _meta: meta },
    }),
  })
  const events: Loose[] = []
  void (async () => {
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line.startsWith('data: {')) events.push(JSON.parse(line.slice(6)))
    }
  })().catch(() => {})
  await vi.waitFor(() => expect(events).not.toHaveLength(0))
  return { events, leave: () => gone.abort() }
}

const textOf = ({ result }: Loose): string => result.content[0].text

describe('a client of 2025-11-25', () => {
  it('hears of a change until it unsubscribes', async () => {
    verifies('U1', 'U2')
    const { ask, notices } = await rawClient(await readingCrib())
    expect(await ask('resources/subscribe', { uri })).toMatchObject({ result: {} })
    expect(textOf(await ask('tools/call', { name: 'lib-touch' }))).toBe(uri)
    await vi.waitFor(() => expect(notices).toContainEqual(expect.objectContaining(updated)))
    await ask('resources/unsubscribe', { uri })
    await vi.waitFor(async () => expect(textOf(await ask('tools/call', { name: 'lib-touch' }))).toBe(''))
  })

  it('subscribes to an address that fits a template', async () => {
    verifies('U1')
    const { ask, notices } = await rawClient(await readingCrib())
    await ask('resources/subscribe', { uri: 'docs://page/7' })
    await ask('tools/call', { name: 'lib-touch' })
    const params = { uri: 'docs://page/7' }
    await vi.waitFor(() => expect(notices).toContainEqual(expect.objectContaining({ ...updated, params })))
  })

  it('gets an error where the server does not tell of changes', async () => {
    verifies('U2')
    const { ask } = await rawClient(await readingCrib(['silent']))
    const { error } = await ask('resources/subscribe', { uri })
    expect(error).toMatchObject({ message: expect.stringContaining('does not tell when it changes') })
  })

  it('subscribes to nothing outside its offer', async () => {
    verifies('U1')
    const crib = await readingCrib([], { offers: { few: { tools: ['lib-touch'] } } })
    const { ask } = await rawClient(crib, { stdio: { offer: 'few' } })
    const { error } = await ask('resources/subscribe', { uri })
    expect(error).toMatchObject({ message: `There is no resource ${uri}.` })
    expect(textOf(await ask('tools/call', { name: 'lib-touch' }))).toBe('')
  })
})

describe('a client of 2026-07-28', () => {
  it('hears of a change on its stream, and the server is told when it leaves', async () => {
    verifies('U1', 'U2')
    const at = await served(await readingCrib())
    const { events, leave } = await listen(at, [uri])
    expect(events[0].params.notifications).toEqual({ resourceSubscriptions: [uri] })
    const touch = () => askModern(at, 'tools/call', { name: 'lib-touch', arguments: {} })
    expect(textOf(await touch())).toBe(uri)
    await vi.waitFor(() =>
      expect(events).toContainEqual(
        expect.objectContaining({ method: updated.method, params: expect.objectContaining({ uri }) }),
      ),
    )
    leave()
    await vi.waitFor(async () => expect(textOf(await touch())).toBe(''))
  })

  it('is told which addresses are not watched', async () => {
    verifies('U2')
    const { events } = await listen(await served(await readingCrib(['silent'])), [uri])
    expect(events[0].params.notifications?.resourceSubscriptions ?? []).toEqual([])
  })

  it('hears of a change over the standard streams until it cancels', async () => {
    verifies('U1', 'U2')
    const [up, down] = [new PassThrough(), new PassThrough()]
    const serving = serveStdio(await readingCrib(), { stdin: up, stdout: down })
    onTestFinished(() => serving.close())
    const messages: Loose[] = []
    let rest = ''
    down.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n')
      rest = lines.pop()!
      messages.push(...lines.map((line) => JSON.parse(line)))
    })
    const send = (message: object) => up.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const touch = async (id: string) => {
      send({ id, method: 'tools/call', params: { name: 'lib-touch', arguments: {}, _meta: meta } })
      return vi.waitFor(() => textOf(messages.find((message) => message.id === id)))
    }
    const params = { notifications: { resourceSubscriptions: [uri] }, _meta: meta }
    send({ id: 'listen', method: 'subscriptions/listen', params })
    await vi.waitFor(() => expect(messages).not.toHaveLength(0))
    expect(await touch('first')).toBe(uri)
    await vi.waitFor(() => expect(messages.map(({ method }) => method)).toContain(updated.method))
    send({ method: 'notifications/cancelled', params: { requestId: 'listen', _meta: meta } })
    let tries = 0
    await vi.waitFor(async () => expect(await touch(`again-${tries++}`)).toBe(''))
  })
})

it('passes changes on from a server of 2026-07-28', async () => {
  verifies('U1', 'U2')
  const { url, token } = await served(await readingCrib())
  const headers = { Authorization: `Bearer ${token}` }
  const { ask, notices } = await rawClient(await cribOf({ far: { url: `${url}/mcp`, headers } }))
  expect(await ask('resources/subscribe', { uri })).toMatchObject({ result: {} })
  expect(textOf(await ask('tools/call', { name: 'far-lib-touch' }))).toBe(uri)
  await vi.waitFor(() => expect(notices).toContainEqual(expect.objectContaining(updated)))
})

it('takes a subscription up again when the connection is lost, and tells that something may have changed', async () => {
  verifies('U3')
  const crib = await readingCrib()
  const { ask, notices } = await rawClient(crib)
  await ask('resources/subscribe', { uri })
  await crib.foreign.reconnect('lib')
  await vi.waitFor(() => expect(notices).toContainEqual(expect.objectContaining(updated)), 10_000)
  expect(textOf(await ask('tools/call', { name: 'lib-touch' }))).toBe(uri)
})
