// What a foreign server asks in the middle of a call reaches the client of that call and nobody else, in both eras, and
// the call goes on with the answer.
import { copyFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  Server,
} from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { sha256 } from '../../tool/json.ts'
import { serveCrib } from '../http/serve-crib.ts'
import { askModern, type ModernOptions } from './fixtures/modern-client.ts'
import { rawClient } from './fixtures/raw-client.ts'

const server = fileURLToPath(new URL('../../runtimes/mcp/fixtures/asking-server.mjs', import.meta.url))
const schema = { type: 'object', properties: { name: { type: 'string' } } }
const form = (message: string) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: schema },
})
const address = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Log in', elicitationId: 'e1', url: 'https://example.com/login' },
}
const sample = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 },
}
const roots = { method: 'roots/list' }
const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } }
const all = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const named = (name: string) => ({ action: 'accept', content: { name } })

async function cribWith(config: object = {}): Promise<Crib> {
  const root = tempFolder()
  copyFileSync(server, join(root, 'asking-server.mjs'))
  const servers = { q: { command: 'node', args: ['asking-server.mjs'] } }
  const crib = await openCrib({ root, env: { HOME: root }, config: { mcp: { servers }, ...config } })
  onTestFinished(() => crib.close())
  await crib.discover()
  return crib
}

async function modern(crib: Crib) {
  const served = await serveCrib(crib, { port: 0, watch: false })
  onTestFinished(() => served.close(0))
  const at = { url: served.url, token: served.token! }
  const ask = (method: string, params: object, options: ModernOptions = {}) =>
    askModern(at, method, params as { [name: string]: unknown }, { capabilities: all, ...options })
  return { at, ask }
}

const call = (...steps: object[][]) => ({ name: 'q-ask', arguments: { steps } })
const told = (result: { content: [{ text: string }] }) => JSON.parse(result.content[0].text)

describe('a client of 2026-07-28', () => {
  it('is asked over several rounds, at once what is asked at the same time, and the call goes on', async () => {
    verifies('U2')
    const { ask } = await modern(await cribWith())
    const request = call([form('first'), sample, roots], [form('second')])
    const { result: one } = await ask('tools/call', request)
    expect(one).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    const [a, b, c] = Object.keys(one.inputRequests)
    expect(one.inputRequests).toEqual({ [a!]: form('first'), [b!]: sample, [c!]: roots })
    const listed = { roots: [{ uri: 'file:///work', name: 'work' }] }
    const { result: two } = await ask('tools/call', {
      ...request,
      requestState: one.requestState,
      inputResponses: { [a!]: named('Ada'), [b!]: sampled, [c!]: listed },
    })
    expect(Object.values(two.inputRequests)).toEqual([form('second')])
    const { result: end } = await ask('tools/call', {
      ...request,
      requestState: two.requestState,
      inputResponses: { [Object.keys(two.inputRequests)[0]!]: { action: 'decline' } },
    })
    expect(end.resultType).toBe('complete')
    expect(told(end)).toEqual([named('Ada'), sampled, listed, { action: 'decline' }])
  })

  it('is asked again what it left open', async () => {
    verifies('U2')
    const { ask } = await modern(await cribWith())
    const request = call([form('one'), form('other')])
    const { result: first } = await ask('tools/call', request)
    const [a, b] = Object.keys(first.inputRequests)
    const { result: again } = await ask('tools/call', {
      ...request,
      requestState: first.requestState,
      inputResponses: { [a!]: named('x') },
    })
    expect(again.inputRequests).toEqual({ [b!]: form('other') })
    const { result } = await ask('tools/call', {
      ...request,
      requestState: again.requestState,
      inputResponses: { [b!]: named('y') },
    })
    expect(told(result)).toEqual([named('x'), named('y')])
  })

  it.each([
    ['prompts/get', { name: 'q-asked' }, 'prompt'],
    ['resources/read', { uri: 'ask://one' }, 'resource'],
  ])('is asked by %s too', async (method, request, message) => {
    verifies('U2')
    const { ask } = await modern(await cribWith())
    const { result: question } = await ask(method, request)
    const [key] = Object.keys(question.inputRequests)
    expect(question.inputRequests[key!]).toEqual(form(message))
    const { result } = await ask(method, {
      ...request,
      requestState: question.requestState,
      inputResponses: { [key!]: named('Ada') },
    })
    expect(JSON.stringify(result)).toContain('Ada')
  })

  it('cannot come back with a state that is changed, used, for other arguments, or of somebody else', async () => {
    verifies('U2')
    const crib = await cribWith({
      serve: { tokens: [{ name: 'other', token: `sha256:${sha256('a'.repeat(32))}` }] },
    })
    const { ask } = await modern(crib)
    const request = call([form('first')], [form('second')])
    const { result } = await ask('tools/call', request)
    const answers = { [Object.keys(result.inputRequests)[0]!]: named('Ada') }
    const back = (params: object, options?: ModernOptions) =>
      ask('tools/call', { ...request, inputResponses: answers, ...params }, options)
    const { requestState } = result
    const [, id, until, seal] = requestState.split('.')
    for (const [changed, options] of [
      [{ requestState: `${requestState}x` }],
      [{ requestState: `call.${id}.${Number(until) + 1}.${seal}` }],
      [{ requestState: 'of another server' }],
      [{ requestState, arguments: { steps: [[form('first')]] } }],
      [{ requestState }, { token: 'a'.repeat(32) }],
    ] as [object, ModernOptions?][])
      expect((await back(changed, options)).error).toMatchObject({
        code: -32602,
        data: { reason: 'invalid_request_state' },
      })
    const { result: second } = await back({ requestState })
    expect(Object.values(second.inputRequests)).toEqual([form('second')])
    expect((await back({ requestState })).error).toMatchObject({ code: -32602 })
  })

  it('that does not come back leaves no call behind', async () => {
    verifies('U2')
    const crib = await cribWith({ approvals: { timeoutMs: 50 } })
    const { ask } = await modern(crib)
    const request = call([form('first')])
    const { result } = await ask('tools/call', request)
    await vi.waitFor(() => expect([...crib.kernel.running]).toEqual([]))
    const back = await ask('tools/call', {
      ...request,
      requestState: result.requestState,
      inputResponses: { [Object.keys(result.inputRequests)[0]!]: named('late') },
    })
    expect(back.error).toMatchObject({ code: -32602 })
  })

  it('hears progress in the round it is made in', async () => {
    verifies('U2')
    const { ask } = await modern(await cribWith())
    const request = call([form('first')])
    const withToken = (progressToken: string) => ({ meta: { progressToken } })
    const first = await ask('tools/call', request, withToken('one'))
    expect(first.notices.map(({ params }) => params['progressToken'])).toEqual(['one'])
    const second = await ask(
      'tools/call',
      {
        ...request,
        requestState: first.result.requestState,
        inputResponses: { [Object.keys(first.result.inputRequests)[0]!]: named('x') },
      },
      withToken('two'),
    )
    expect(second.notices).toMatchObject([{ params: { progressToken: 'two', progress: 2 } }])
  })

  it('with an SDK is asked by its own handlers, to the end', async () => {
    verifies('U2')
    const { at } = await modern(await cribWith({ approve: ['q-ask'] }))
    const client = new Client(
      { name: 'sdk', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    client.setRequestHandler('elicitation/create', ({ params: { message } }) =>
      message.startsWith('Let ')
        ? { action: 'accept', content: { approve: true } }
        : (named(message) as never),
    )
    const requestInit = { headers: { authorization: `Bearer ${at.token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${at.url}/mcp`), { requestInit }))
    onTestFinished(() => client.close())
    const result = await client.callTool(call([form('a')], [form('b'), form('c')]))
    expect(told(result as never)).toEqual([named('a'), named('b'), named('c')])
  })
})

describe('what a client did not state', () => {
  const reason = { 'toolcrib/reason': expect.any(String) }
  const asked = call([form('x'), sample, roots, address])
  const answers = [
    { action: 'decline', _meta: reason },
    { error: { code: -32600, message: expect.stringContaining('no model') } },
    { roots: [], _meta: reason },
    { action: 'decline', _meta: reason },
  ]

  it('is answered for it, with the reason, in the newer era', async () => {
    verifies('U2')
    const { ask } = await modern(await cribWith())
    const { result } = await ask('tools/call', asked, { capabilities: {} })
    expect(told(result)).toEqual(answers)
  })

  it('is answered for it, with the reason, in the older era', async () => {
    verifies('U2')
    const crib = await cribWith()
    const onRequest = vi.fn(() => ({}))
    const { ask } = await rawClient(crib, { onRequest })
    const { result } = await ask('tools/call', asked)
    expect(told(result as never)).toEqual(answers)
    expect(onRequest).not.toHaveBeenCalled()
  })

  it('leaves out a page in a browser where only forms can be shown', async () => {
    verifies('U2')
    const { ask } = await modern(await cribWith())
    const options = { capabilities: { elicitation: { form: {} } } }
    const { result } = await ask('tools/call', call([form('x'), address]), options)
    expect(Object.values(result.inputRequests)).toEqual([form('x')])
  })
})

/** A server of 2026-07-28 on loopback whose tool asks twice; `seen` has what each request said of its client. */
async function modernServer(): Promise<{ url: string; seen: unknown[] }> {
  const seen: unknown[] = []
  const handler = createMcpHandler(() => {
    const own = new Server({ name: 'newer', version: '1' }, { capabilities: { tools: {} } })
    own.setRequestHandler('tools/list', () => ({
      tools: [{ name: 'twice', inputSchema: { type: 'object' } }],
    }))
    own.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      seen.push((mcpReq.envelope as { [key: string]: unknown })[CLIENT_CAPABILITIES_META_KEY])
      const who = String(params.arguments?.['who'])
      const round = Number(mcpReq.requestState() ?? 0)
      const { question } = (mcpReq.inputResponses ?? {}) as { question?: unknown }
      if (round === 2) return { content: [{ type: 'text', text: JSON.stringify(question) }] }
      return inputRequired({
        requestState: String(round + 1),
        inputRequests: { question: inputRequired.elicit(form(`${who} ${round}`).params as never) },
      })
    })
    return own
  })
  const listener = createServer(getRequestListener((request) => handler.fetch(request)))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await handler.close()
    listener.close()
  })
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`, seen }
}

it('tells calls that run at the same time apart where the server is of 2026-07-28 too', async () => {
  verifies('U2')
  const { url, seen } = await modernServer()
  const crib = await cribWith({ mcp: { servers: { newer: { url } } } })
  const both = await Promise.all(
    ['Ada', 'Bob'].map(async (who) => {
      const asked: string[] = []
      const { ask } = await rawClient(crib, {
        capabilities: { elicitation: {} },
        onRequest: (_method, params) => {
          asked.push(String(params['message']))
          return named(`${who} says ${params['message']}`)
        },
      })
      const { result } = await ask('tools/call', { name: 'newer-twice', arguments: { who } })
      return [asked, told(result as never)]
    }),
  )
  expect(both).toEqual(['Ada', 'Bob'].map((who) => [[`${who} 0`, `${who} 1`], named(`${who} says ${who} 1`)]))
  const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  expect(seen).toContainEqual({ elicitation: { form: {} }, ...tasks })
  expect(seen).not.toContainEqual(expect.objectContaining({ sampling: {} }))
})

it('passes questions on to a client of 2025-11-25 while the call runs', async () => {
  verifies('U2')
  const crib = await cribWith()
  const listed = { roots: [{ uri: 'file:///work' }] }
  const { ask } = await rawClient(crib, {
    capabilities: all,
    onRequest: (method, params) =>
      method === 'roots/list'
        ? listed
        : method === 'elicitation/create'
          ? params['mode'] === 'url'
            ? { action: 'accept' }
            : named(String(params['message']))
          : sampled,
  })
  const { result } = await ask('tools/call', call([form('a'), sample], [roots, address]))
  expect(told(result as never)).toEqual([named('a'), sampled, listed, { action: 'accept' }])
  const prompt = await ask('prompts/get', { name: 'q-asked' })
  expect(JSON.stringify(prompt.result)).toContain('prompt')
})
