// A foreign MCP server that changes a tool in the middle of a session, as a client of the crib meets it: with a notice
// and without one, in a crib with a lock file and in one without.
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { connect } from '../../src/surfaces/mcp/fixtures/connect.ts'
import { approvalOf, driftOfCrib, lockCrib } from '../../src/surfaces/trust/lock-crib.ts'
import { tempFolder } from '../helpers/temp-folder.ts'

const fixture = fileURLToPath(new URL('../../src/runtimes/mcp/fixtures/server.mjs', import.meta.url))
const patience = { timeout: 30_000 }

interface Session {
  readonly crib: Crib
  readonly client: Client
  /** How often the client was told that the list changed. */
  notices(): number
  /** The description of the tool in the list, undefined when it is not offered. */
  listed(): Promise<string | undefined>
  /** The text of a call's answer, with the code of its error before it. */
  call(args: object): Promise<string>
  reshape(args?: object): Promise<unknown>
}

async function session(isLocked: boolean): Promise<Session> {
  const root = tempFolder()
  copyFileSync(fixture, join(root, 'server.mjs'))
  const mcpServers = { box: { command: 'node', args: ['server.mjs'] } }
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers }))
  const crib = await openCrib({ root, env: { HOME: root } })
  onTestFinished(() => crib.close())
  await crib.discover({ isPatient: true })
  if (isLocked) await lockCrib(crib, { programs: false })
  await crib.watch()
  const client = await connect(crib)
  let told = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++)
  const call = async (name: string, args: object): Promise<string> => {
    const answer = await client.callTool({ name, arguments: { ...args } })
    const error = (answer['_meta'] as { 'toolcrib/error'?: { code: string } } | undefined)?.['toolcrib/error']
    const [block] = answer['content'] as { text: string }[]
    return error ? `${error.code}: ${block!.text}` : block!.text
  }
  return {
    crib,
    client,
    notices: () => told,
    listed: async () => {
      const { tools } = await client.listTools()
      return tools.find((tool) => tool.name === 'box-echo')?.description
    },
    call: (args) => call('box-echo', args),
    reshape: (args = {}) => call('box-reshape', args),
  }
}

describe.each([false, true])('a tool that changed in the middle of a session (lock file: %s)', (isLocked) => {
  it('is listed as it was until somebody says so', async () => {
    const { listed, call, reshape, notices } = await session(isLocked)
    expect(await listed()).toBe('Says it again')
    expect(await call({ text: 'a' })).toBe('a')
    await reshape({ quiet: true })
    // Nobody was told: what the client knows and what calls are checked against is what was listed.
    expect(await listed()).toBe('Says it again')
    expect(await call({ words: ['a'] })).toMatch(/^PARAMS_INVALID/)
    expect(notices()).toBe(0)
  })
})

describe('without a lock file', () => {
  it.each([
    ['by the notice of the server', {}],
    ['when the servers are asked again', { quiet: true }],
  ])('it is listed anew %s, and called by its new schema', async (_, how) => {
    const { crib, listed, call, reshape, notices } = await session(false)
    await reshape(how)
    if ('quiet' in how) await crib.discover({ refresh: true })
    await expect.poll(listed, patience).toBe('Says all of it')
    await expect.poll(notices, patience).toBeGreaterThan(0)
    expect(await call({ text: 'a' })).toMatch(/^PARAMS_INVALID.*words/s)
  })
})

describe('with a lock file', () => {
  it.each([
    ['by the notice of the server', {}],
    ['when the servers are asked again', { quiet: true }],
  ])('it is withdrawn %s, and refused until the change is approved', async (_, how) => {
    const { crib, client, listed, call, reshape, notices } = await session(true)
    await reshape(how)
    if ('quiet' in how) await crib.discover({ refresh: true })
    await expect.poll(listed, patience).toBe(undefined)
    await expect.poll(notices, patience).toBeGreaterThan(0)
    expect(await call({ text: 'a' })).toMatch(/^TRUST_DRIFT/)
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('box-reshape')
    const { drifted } = await driftOfCrib(crib, ['box-echo'])
    expect(drifted).toContainEqual(expect.objectContaining({ tool: 'box-echo', after: 'Says all of it' }))
    await (await approvalOf(crib, 'box-echo')).accept()
    expect(await listed()).toBe('Says all of it')
  })

  it('the first call after the notice is refused, not answered by the changed tool', async () => {
    const { reshape, call } = await session(true)
    await reshape()
    expect(await call({ text: 'a' })).toMatch(/^TRUST_DRIFT/)
  })
})
