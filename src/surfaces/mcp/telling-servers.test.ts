// What goes between a client of the older era and a foreign server beside calls and their results: questions of calls
// that run at the same time, withdrawn ones, how far an answer is, and log messages of every level, also aside from a call.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { openCrib } from '../../crib/open-crib.ts'
import { type RawOptions, rawClient } from './fixtures/raw-client.ts'

const fixtures = fileURLToPath(new URL('../../runtimes/mcp/fixtures/', import.meta.url))
const schema = { type: 'object', properties: { name: { type: 'string' } } }
const form = (message: string) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: schema },
})

async function client(options: RawOptions, config: object = {}) {
  const root = tempFolder()
  const servers = Object.fromEntries(
    ['asking', 'telling'].map((name) => {
      copyFileSync(join(fixtures, `${name}-server.mjs`), join(root, `${name}.mjs`))
      return [name, { command: 'node', args: [`${name}.mjs`] }]
    }),
  )
  const crib = await openCrib({ root, env: { HOME: root }, config: { mcp: { servers }, ...config } })
  onTestFinished(() => crib.close())
  await crib.discover()
  const raw = await rawClient(crib, options)
  const told = async (name: string, args: object = {}) => {
    const { result } = await raw.ask('tools/call', { name, arguments: args })
    return JSON.parse((result as { content: [{ text: string }] }).content[0].text)
  }
  const logged = () => raw.notices.filter(({ method }) => method === 'notifications/message')
  return { ...raw, told, logged }
}

it('asks a client about each of its calls that run at the same time', async () => {
  verifies('U2')
  const open: string[] = []
  const { told } = await client({
    capabilities: { elicitation: {} },
    onRequest: (_method, params) => {
      open.push(String(params['message']))
      return { action: 'accept', content: { name: String(params['message']) } }
    },
  })
  const steps = (who: string) => ({ steps: [[form(`${who} 1`)], [form(`${who} 2`)]] })
  const answers = await Promise.all(['Ada', 'Bob'].map((who) => told('asking-ask', steps(who))))
  const accepted = (name: string) => ({ action: 'accept', content: { name } })
  expect(answers).toEqual(['Ada', 'Bob'].map((who) => [accepted(`${who} 1`), accepted(`${who} 2`)]))
  expect(open.toSorted()).toEqual(['Ada 1', 'Ada 2', 'Bob 1', 'Bob 2'])
})

it('withdraws a question when the call that asked it is stopped, and when its server does', async () => {
  verifies('U2')
  let asked = 0
  const { ask, cancel, notices } = await client({
    capabilities: { elicitation: {} },
    onRequest: () => void asked++,
  })
  const withdrawn = () => notices.filter(({ method }) => method === 'notifications/cancelled').length
  void ask('tools/call', { name: 'asking-ask', arguments: { steps: [[form('who?')]] } })
  await vi.waitFor(() => expect(asked).toBe(1))
  cancel()
  await vi.waitFor(() => expect(withdrawn()).toBe(1))
  void ask('tools/call', { name: 'asking-ask', arguments: { steps: [[form('still open')]] } })
  await vi.waitFor(() => expect(asked).toBe(2))
  await ask('tools/call', { name: 'telling-withdraw' })
  await vi.waitFor(() => expect(withdrawn()).toBe(2))
})

it('asks the model of a client to use tools where the client states that it can', async () => {
  verifies('U2')
  const use = { type: 'tool_use', id: 'u1', name: 'add', input: { a: 1 } }
  const sampled = { role: 'assistant', model: 'm', stopReason: 'toolUse', content: [use] }
  const tools = { tools: [{ name: 'add', inputSchema: { type: 'object' } }], includeContext: 'thisServer' }
  const seen: object[] = []
  const onRequest = (_method: string, params: object) => {
    seen.push(params)
    return sampled
  }
  const able = await client({ capabilities: { sampling: { tools: {} } }, onRequest })
  expect(await able.told('telling-sample', tools)).toEqual(sampled)
  expect(seen).toMatchObject([{ tools: tools.tools }])
  expect(seen[0]).not.toHaveProperty('includeContext')
  const unable = await client({ capabilities: { sampling: {} }, onRequest })
  const { error } = await unable.told('telling-sample', tools)
  expect(error.message).toContain('can use no tools')
  expect(seen).toHaveLength(1)
})

it('tells a server how far the answer to its question is', async () => {
  verifies('U2')
  const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } }
  const raw = await client({
    capabilities: { sampling: {} },
    onRequest: (_method, params) => {
      const { progressToken } = params['_meta'] as { progressToken: unknown }
      raw.notify('notifications/progress', { progressToken, progress: 1, total: 2, message: 'half' })
      return sampled
    },
  })
  expect(await raw.told('telling-sample')).toEqual(sampled)
  const heard = { progressToken: 'mine', progress: 1, total: 2, message: 'half' }
  expect(await raw.told('telling-heard')).toEqual([heard])
})

it('passes on log messages of the level a client asked for, also aside from a call', async () => {
  verifies('U1')
  const { ask, notify, told, logged } = await client({ capabilities: { roots: {} } })
  await told('telling-log', { level: 'debug' })
  await ask('logging/setLevel', { level: 'debug' })
  expect(await told('telling-log', { level: 'debug' })).toEqual(['debug'])
  notify('notifications/roots/list_changed')
  const params = (logger: string, data: string) => ({ params: { level: 'debug', logger, data } })
  await vi.waitFor(() =>
    expect(logged()).toMatchObject([
      params('telling-log/part', 'meanwhile'),
      params('telling/part', 'aside'),
    ]),
  )
  await ask('logging/setLevel', { level: 'error' })
  await told('telling-log', { level: 'info' })
  notify('notifications/roots/list_changed')
  await told('telling-log', { level: 'error' })
  await vi.waitFor(() =>
    expect(logged().map(({ params }) => params?.['level'])).toEqual(['debug', 'debug', 'error']),
  )
})
