import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import type { AppParts } from '../app.ts'
import { type ServedCrib, servedCrib } from '../fixtures/served-crib.ts'
import { operator } from '../principals.ts'
import { eventFeedRoute } from './event-feed.ts'

interface Message {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly data: any
}

/** Follows the stream; `take` waits for that many messages. */
async function follow(crib: ServedCrib, query = '', headers: Record<string, string> = {}) {
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const response = await fetch(`${crib.url}/events/stream${query}`, {
    headers: { authorization: `Bearer ${crib.token}`, ...headers },
    signal: leave.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const blocks: string[] = []
  return {
    leave: () => leave.abort(),
    /** The next messages, comments left out. */
    async take(count: number): Promise<Message[]> {
      const found: Message[] = []
      while (found.length < count) {
        const block = blocks.shift()
        if (block === undefined) {
          const { value, done } = await reader.read()
          if (done) throw new Error('the stream ended')
          const parts = (rest + value).split('\n\n')
          rest = parts.pop()!
          blocks.push(...parts)
        } else if (!block.startsWith(':')) found.push(messageOf(block))
      }
      return found
    },
  }
}

/** Exactly an `id:` and one `data:` line. */
function messageOf(block: string): Message {
  const match = /^id: (\d+)\ndata: (.+)$/.exec(block)
  if (!match) throw new Error(`not a message: ${block}`)
  return { id: match[1]!, data: JSON.parse(match[2]!) }
}

const note = (title: string, more: object = {}) => ({
  title,
  schema_name: 'note.v1',
  context: { title },
  ...more,
})

it('tells of every write once, in order, as id and one line of JSON', async () => {
  verifies('C68', 'C114')
  const crib = await servedCrib()
  const feed = await follow(crib, '?schema_name=note.v1')
  const { id } = (await crib.ask('POST', '/breadcrumbs', note('one', { tags: ['t'] }))).body
  await crib.ask('PATCH', `/breadcrumbs/${id}`, { title: 'two' })
  await crib.ask('DELETE', `/breadcrumbs/${id}`)
  const messages = await feed.take(3)
  expect(messages.map(({ data }) => [data.type, data.version, data.title])).toEqual([
    ['breadcrumb.created', 1, 'one'],
    ['breadcrumb.updated', 2, 'two'],
    ['breadcrumb.deleted', 3, 'two'],
  ])
  expect(messages[0]!.data).toMatchObject({
    id: messages[0]!.id,
    breadcrumb_id: id,
    owner_id: 'local',
    tags: ['t'],
    schema_name: 'note.v1',
    created_by: 'operator',
    context: { title: 'one' },
    causation: { root: messages[0]!.id, depth: 0, by_tool: null },
  })
  expect(messages[2]!.data).toMatchObject({ reason: 'api' })
  expect(messages[2]!.data).not.toHaveProperty('context')
})

it('replays after Last-Event-ID or since what was missed, without gap or double', async () => {
  verifies('C114', 'C-case-56')
  const crib = await servedCrib()
  const first = await follow(crib, '?schema_name=note.v1')
  for (const title of ['a', 'b', 'c']) await crib.ask('POST', '/breadcrumbs', note(title))
  const [, second] = await first.take(2)
  first.leave()
  await crib.ask('POST', '/breadcrumbs', note('d'))
  const titles = (messages: Message[]) => messages.map(({ data }) => data.title)
  const again = await follow(crib, '?schema_name=note.v1', { 'last-event-id': second!.id })
  await crib.ask('POST', '/breadcrumbs', note('e'))
  expect(titles(await again.take(3))).toEqual(['c', 'd', 'e'])
  const since = await follow(crib, `?schema_name=note.v1&since=${second!.id}`)
  expect(titles(await since.take(3))).toEqual(['c', 'd', 'e'])
})

it('filters by tags and type, shows creates as updates to old clients, and resets an unknown position', async () => {
  verifies('C114')
  const crib = await servedCrib()
  const tagged = await follow(crib, '?tag=a&tag=b&compat=rcrt')
  const updates = await follow(crib, '?type=breadcrumb.updated&schema_name=note.v1')
  await crib.ask('POST', '/breadcrumbs', note('only a', { tags: ['a'] }))
  const { id } = (await crib.ask('POST', '/breadcrumbs', note('both', { tags: ['b', 'a'] }))).body
  await crib.ask('PATCH', `/breadcrumbs/${id}`, { title: 'changed' })
  expect((await tagged.take(1))[0]!.data).toMatchObject({ title: 'both', type: 'breadcrumb.updated' })
  expect((await updates.take(1))[0]!.data).toMatchObject({ title: 'changed' })
  const lost = await follow(crib, '?since=999999')
  expect((await lost.take(1))[0]!.data).toMatchObject({ type: 'stream.reset' })
  expect((await crib.ask('GET', '/events/stream?type=nonsense')).status).toBe(400)
})

it('leaves the context of a secret breadcrumb out', async () => {
  verifies('C110')
  const crib = await servedCrib()
  const feed = await follow(crib, '?schema_name=note.v1')
  const value = 'not-for-everybody'
  await crib.ask('POST', '/breadcrumbs', note('s', { sensitivity: 'secret', context: { value } }))
  const [message] = await feed.take(1)
  expect(JSON.stringify(message)).not.toContain(value)
  const listed = await crib.ask('GET', '/breadcrumbs?schema_name=note.v1')
  expect(JSON.stringify(listed.body)).not.toContain(value)
  expect((await crib.ask('GET', `/breadcrumbs/search?schema_name=note.v1&q=${value}`)).body).toEqual([])
})

it('a client that never reads costs no memory and holds nobody up', async () => {
  const crib = await servedCrib()
  const { hostname, port } = new URL(crib.url)
  const socket = connect(Number(port), hostname)
  // Who takes nothing may be cut off.
  socket.on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.pause()
  socket.write(
    `GET /events/stream?since=0 HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${crib.token}\r\n\r\n`,
  )
  const text = 'x'.repeat(200_000)
  const reader = await follow(crib, '?schema_name=big.v1')
  const before = process.memoryUsage().arrayBuffers
  for (let n = 0; n < 200; n++)
    await crib.crib.crumbs.create({ title: `${n}`, schema_name: 'big.v1', context: { text } })
  expect((await reader.take(200)).at(-1)!.data.title).toBe('199')
  // 40 MB were written; what the sleeping client has not taken stays in the store.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
  expect((await crib.ask('GET', '/breadcrumbs?limit=1')).status).toBe(200)
})

it('lets a reader go that takes nothing, and goes on with others', async () => {
  const crib = await servedCrib()
  const other = await follow(crib, '?schema_name=note.v1')
  // Nobody reads the body of this one.
  const asked = {
    principal: operator,
    params: {},
    query: { schema_name: 'note.v1' } as never,
    request: new Request('http://127.0.0.1/events/stream'),
    body: () => Promise.reject(new Error('none')),
  }
  const limits = { pingMs: 20, mostStalledPings: 4 }
  const unread = (await eventFeedRoute.handle(asked, {
    crib: crib.crib,
    streams: { open: 0, openOf: new Map(), limits },
  } as AppParts)) as Response
  expect(unread.status).toBe(200)
  const count = 400
  for (let n = 0; n < count; n++) await crib.crib.crumbs.create(note(`${n} ${'long '.repeat(80)}`))
  const seen = await other.take(count)
  expect(seen.map(({ data }) => Number.parseInt(data.title, 10))).toEqual(
    Array.from({ length: count }, (_, n) => n),
  )
  const reader = unread.body!.getReader()
  // A stream that was given up on keeps nothing for its reader.
  await expect
    .poll(() => reader.read().then(() => 'reads on', String), {
      timeout: 30_000,
      interval: 500,
    })
    .toMatch('does not read')
})
