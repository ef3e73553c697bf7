import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { withServer } from '../../test/helpers/telling-server.ts'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { libraryPrincipal, makePrincipal } from '../tool/principal.ts'
import { type Crib, openCrib } from './open-crib.ts'

async function open(files: { [path: string]: string } = withServer()): Promise<Crib> {
  const root = tempFolder(files)
  const crib = await openCrib({ root, env: { HOME: root, PATH: process.env['PATH'] }, trustFolder: true })
  onTestFinished(() => crib.close())
  return crib
}

const entry = (server: object) => ({ '.mcp.json': JSON.stringify({ mcpServers: { box: server } }) })

describe('the foreign servers of a crib', () => {
  it('are known by their definitions alone, and nothing is started to look', async () => {
    const crib = await open()
    expect(crib.foreign.servers.map(({ id }) => id)).toEqual(['mcp/box'])
    expect(crib.list().some(({ id }) => id.startsWith('box-'))).toBe(false)
    expect(await crib.foreign.logOf('box')).toEqual([])
  })

  it('give their tools when they are asked, and the crib calls them', async () => {
    const crib = await open()
    await crib.discover()
    expect(crib.foreign.problemOf('box')).toBeUndefined()
    expect(await crib.call('box-echo', { text: 'x' })).toMatchObject({ ok: true })
    expect((await crib.foreign.logOf('box')).map(({ by }) => by)).toContain('crib')
  })

  it('are asked by the first call of a tool that nobody knows yet', async () => {
    const crib = await open()
    expect(await crib.call('box-echo', { text: 'x' })).toMatchObject({ ok: true })
  })

  it('are named by name or id, and a near one is offered for a wrong name', async () => {
    const { foreign } = await open()
    expect(foreign.problemOf('mcp/box')).toBe(foreign.problemOf('box'))
    expect(() => foreign.problemOf('bix')).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', hint: 'Did you mean "box"?' }),
    )
    expect(() => foreign.problemOf('something else')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('toolcrib list --kind server') }),
    )
  })

  it('that cannot be reached are a problem, said also of a tool they might have', async () => {
    const crib = await open(entry({ command: 'node', args: ['-e', 'process.exit(3)'] }))
    await crib.discover()
    await vi.waitFor(() => expect(crib.foreign.problemOf('box')).toBeDefined())
    expect(await crib.foreign.whySilent('box-echo')).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringContaining('There is no tool "box-echo" in this crib: '),
    })
    expect(await crib.foreign.whySilent('nothing-of-it')).toBeUndefined()
  })

  it('are not blamed where there are none', async () => {
    const { foreign } = await open({})
    expect(await foreign.whySilent('box-echo')).toBeUndefined()
    expect([foreign.servers, foreign.hasUnasked]).toEqual([[], false])
    await foreign.recall()
    await foreign.discover()
    await foreign.disconnect()
  })

  it.each([
    ['runs here', { command: 'node', args: ['server.mjs'] }, 'it runs here'],
    [
      'has a header of its own',
      { url: 'https://box.example.com/mcp', headers: { Authorization: 'Bearer x' } },
      'its entry has a header Authorization',
    ],
    ['is switched off', { command: 'node', disabled: true }, ''],
  ])('cannot be logged in to where one %s', async (_, server, why) => {
    const { foreign } = await open(entry(server))
    await expect(foreign.loginTarget('box', libraryPrincipal)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining(`"box" cannot be logged in to: ${why}`),
      hint: 'See `toolcrib why mcp/box`.',
    })
  })

  it('may touch what the crib grants, narrowed by who asks', async () => {
    const grants = { tools: { 'mcp/box': ['net.http:box.example.com'] } }
    const crib = await open({
      ...entry({ url: 'https://box.example.com/mcp' }),
      'toolcrib.yaml': JSON.stringify({ grants }),
    })
    await crib.formats()
    const [server] = crib.foreign.servers
    expect(crib.foreign.profileOf(server!).network).toMatchObject({
      mode: 'hosts',
      hosts: ['box.example.com'],
    })
    const narrow = makePrincipal({ surface: 'http', name: 'reader', grants: ['fs.read'] })
    expect(crib.foreign.profileOf(server!, narrow).network).toMatchObject({ mode: 'none' })
  })
})
