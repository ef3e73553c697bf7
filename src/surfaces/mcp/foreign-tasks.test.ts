// What servers of 2025-11-25 have beside plain calls: tasks, pages that a person sees, folders that change (U2, U7).
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { serveCrib } from '../http/serve-crib.ts'
import { askModern } from './fixtures/modern-client.ts'
import { type RawOptions, rawClient } from './fixtures/raw-client.ts'

const server = fileURLToPath(new URL('./fixtures/task-server.mjs', import.meta.url))
const asking = fileURLToPath(new URL('../../runtimes/mcp/fixtures/asking-server.mjs', import.meta.url))
const ada = { action: 'accept', content: { name: 'Ada' } }
const url = { elicitation: { form: {}, url: {} }, roots: { listChanged: true } }

async function cribWithTasks(): Promise<Crib> {
  const root = tempFolder()
  copyFileSync(server, join(root, 'task-server.mjs'))
  const servers = { t: { command: 'node', args: ['task-server.mjs'] } }
  const tools = { 't-both': { task: true } } as const
  const crib = await openCrib({ root, env: { HOME: tempFolder() }, config: { mcp: { servers }, tools } })
  onTestFinished(() => crib.close())
  await crib.discover()
  return crib
}

async function caller(options: RawOptions = {}) {
  const client = await rawClient(await cribWithTasks(), options)
  const call = async (name: string, args: object = {}) =>
    (await client.ask('tools/call', { name, arguments: args })) as {
      readonly result: { readonly content: readonly [{ readonly text: string }] }
      readonly error?: object
    }
  return { client, call, told: async (name: string) => JSON.parse((await call(name)).result.content[0].text) }
}

it('a tool that is a task and nothing else is called as one, and its questions are asked', async () => {
  verifies('U7')
  const { call } = await caller({ capabilities: url, onRequest: () => ada })
  expect((await call('t-slow', { n: 1 })).result.content[0].text).toBe('{"did":{"n":1}}')
  expect((await call('t-slow', { asks: true })).result.content[0].text).toBe('{"name":"Ada"}')
  expect((await call('t-both')).result.content[0].text).toBe('"plain"')
})

it('a call that is stopped stops the task of the server', async () => {
  verifies('U7')
  const crib = await cribWithTasks()
  const outcome = await crib.call('t-slow', { never: true }, { timeoutMs: 1_000 })
  expect(outcome).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
  await vi.waitFor(async () => expect(await crib.call('t-log', {})).toMatchObject({ value: '["cancelled"]' }))
})

it('a task of ours is one there too, where the tool can be one', async () => {
  verifies('U7')
  const crib = await cribWithTasks()
  const served = await serveCrib(crib, { port: 0, watch: false })
  onTestFinished(() => served.close(0))
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const ask = (method: string, params: { [name: string]: unknown }) =>
    askModern({ url: served.url, token: served.token! }, method, params, { capabilities })
  const { taskId } = (await ask('tools/call', { name: 't-both', arguments: { n: 2 } })).result
  await vi.waitFor(async () =>
    expect((await ask('tasks/get', { taskId })).result).toMatchObject({
      status: 'completed',
      result: { content: [{ text: '{"did":{"n":2}}' }] },
    }),
  )
})

it('a client hears when what its user saw on a page has ended there', async () => {
  verifies('U2')
  const { client, call } = await caller({ capabilities: url, onRequest: () => ({ action: 'accept' }) })
  expect((await call('t-page')).result.content[0].text).toBe('"accept"')
  await call('t-done')
  const complete = { method: 'notifications/elicitation/complete', params: { elicitationId: 'p1' } }
  await vi.waitFor(() => expect(client.notices).toContainEqual(expect.objectContaining(complete)))
})

it('a page that a server wants seen before the call reaches a client that can show it', async () => {
  verifies('U2')
  const { client, call } = await caller({ capabilities: url })
  expect((await call('t-wants')).error).toMatchObject({
    code: -32042,
    data: { elicitations: [{ elicitationId: 'p1', url: 'https://example.com/p' }] },
  })
  await call('t-done')
  await vi.waitFor(() =>
    expect(client.notices.map(({ method }) => method)).toContain('notifications/elicitation/complete'),
  )
  const { call: plain } = await caller()
  expect((await plain('t-wants')).result).toMatchObject({ isError: true })
})

it('a server hears that the folders of a client changed, and may ask for them', async () => {
  verifies('U2')
  const roots = [{ uri: 'file:///work', name: 'work' }]
  const { client, told } = await caller({ capabilities: url, onRequest: () => ({ roots }) })
  expect(await told('t-log')).toEqual([])
  client.notify('notifications/roots/list_changed')
  await vi.waitFor(async () => expect(await told('t-log')).toEqual([roots]))
})

it('a server that asked for folders when nobody was there learns them by the first call', async () => {
  verifies('U2')
  const root = tempFolder()
  copyFileSync(server, join(root, 'task-server.mjs'))
  const entry = { command: 'node', args: ['task-server.mjs'], env: { ASKS_FOR_ROOTS: '1' } }
  const servers = { t: entry, all: { ...entry, shared: true } }
  const crib = await openCrib({ root, env: { HOME: tempFolder() }, config: { mcp: { servers } } })
  onTestFinished(() => crib.close())
  await crib.discover()
  const roots = [{ uri: 'file:///work', name: 'work' }]
  const { ask } = await rawClient(crib, { capabilities: url, onRequest: () => ({ roots }) })
  const logOf = async (name: string) => {
    const { result } = await ask('tools/call', { name, arguments: {} })
    return JSON.parse((result as { content: { text: string }[] }).content[0]!.text)
  }
  expect(await logOf('t-log')).toEqual([[], roots])
  expect(await logOf('t-log')).toEqual([[], roots])
  expect(await logOf('all-log')).toEqual([[]])
})

it('a server of 2026-07-28 that answers with a task is waited for, and its questions are asked', async () => {
  verifies('U7')
  const root = tempFolder()
  copyFileSync(asking, join(root, 'asking-server.mjs'))
  const upstream = await openCrib({
    root,
    env: { HOME: tempFolder() },
    config: {
      mcp: { servers: { q: { command: 'node', args: ['asking-server.mjs'] } } },
      tools: { 'q-ask': { task: 'required' }, boom: { task: 'required' } },
    },
  })
  onTestFinished(() => upstream.close())
  upstream.addTool({ id: 'boom', params: { type: 'object' }, fn: () => Promise.reject(new Error('broken')) })
  await upstream.discover()
  const served = await serveCrib(upstream, { port: 0, watch: false })
  onTestFinished(() => served.close(0))
  const headers = { Authorization: `Bearer ${served.token}` }
  const config = { mcp: { servers: { up: { url: `${served.url}/mcp`, headers } } } }
  const crib = await openCrib({ root: tempFolder(), env: { HOME: tempFolder() }, config })
  onTestFinished(() => crib.close())
  await crib.discover()
  const { ask } = await rawClient(crib, { capabilities: url, onRequest: () => ada })
  const form = {
    method: 'elicitation/create',
    params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  }
  const asked = await ask('tools/call', { name: 'up-q-ask', arguments: { steps: [[form]] } })
  expect(JSON.stringify(asked.result)).toContain('Ada')
  expect((await ask('tools/call', { name: 'up-boom', arguments: {} })).result).toMatchObject({
    isError: true,
  })
})
