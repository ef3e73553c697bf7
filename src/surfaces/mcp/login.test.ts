// A call over MCP that needs a log-in: the client shows an address to its user, and the call goes on.
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it, onTestFinished } from 'vitest'
import { logInToBox, loginBench } from '../../../test/helpers/login-bench.ts'
import { logInAt } from '../../../test/helpers/servers/identity-provider.mjs'
import { verifies } from '../../../test/helpers/verifies.ts'
import { libraryPrincipal } from '../../tool/principal.ts'
import { serveCrib } from '../http/serve-crib.ts'

const token = 'o'.repeat(32)

interface Shown {
  readonly [mode: string]: object
}

async function connected(elicitation: Shown) {
  const bench = await loginBench()
  const served = await serveCrib(bench.crib, { port: 0, token, watch: false })
  onTestFinished(() => served.close())
  const client = new OldClient({ name: 'c', version: '1' }, { capabilities: { elicitation } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new OldHttp(new URL(served.mcp), { requestInit }) as never)
  onTestFinished(() => client.close())
  return { ...bench, served, client }
}

it('says AUTH_REQUIRED for a tool of a server that could never be listed', async () => {
  verifies('U5')
  const { client } = await connected({})
  const result = await client.callTool({ name: 'box-whoami', arguments: {} })
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('toolcrib login box') }],
    _meta: { 'toolcrib/error': { code: 'AUTH_REQUIRED', details: { server: 'box' } } },
  })
})

it('asks by an address where the client can show one, and goes on after the log-in', async () => {
  verifies('U4', 'U5')
  const { client, crib } = await connected({ form: {}, url: {} })
  await logInToBox(crib)
  await crib.logins.logOutOf('box', libraryPrincipal)
  const asked: string[] = []
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(`${params.mode}: ${params.message}`)
    if (params.mode === 'url') void logInAt(params.url, { name: 'grace' })
    return { action: 'accept' }
  })
  const result = await client.callTool({ name: 'box-whoami', arguments: {} })
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'grace' }] })
  expect(asked).toEqual(['url: Log in to box to go on with box-whoami.'])
})

it('asks in the answer of the call in the newer era, and goes on with the next try', async () => {
  verifies('U4', 'U5')
  const { crib, served } = await connected({})
  await logInToBox(crib)
  await crib.logins.logOutOf('box', libraryPrincipal)
  const client = new ModernClient(
    { name: 'c', version: '1' },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode === 'url') void logInAt(params.url, { name: 'hedy' })
    return { action: 'accept' }
  })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new ModernHttp(new URL(served.mcp), { requestInit }))
  onTestFinished(() => client.close())
  const result = await client.callTool({ name: 'box-whoami', arguments: {} })
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'hedy' }] })
})

it.each([
  ['cannot show one', { form: {} }],
  ['has a user who declines', { form: {}, url: {} }],
])('says AUTH_REQUIRED where the client %s', async (_, elicitation) => {
  verifies('U5')
  const { client, crib } = await connected(elicitation)
  await logInToBox(crib)
  await crib.logins.logOutOf('box', libraryPrincipal)
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' }))
  const result = await client.callTool({ name: 'box-whoami', arguments: {} })
  expect(result).toMatchObject({ isError: true, _meta: { 'toolcrib/error': { code: 'AUTH_REQUIRED' } } })
})
