import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { FolderTrust } from '../config/folder-trust.ts'
import { spacesOf } from '../config/spaces.ts'
import { makeTool, type Tool } from '../tool/tool.ts'
import { holdServers, serverAsks } from './folder-servers.ts'

function serverTool(server: object, more: Partial<Tool> = {}): Tool {
  return makeTool({
    id: 'mcp-files',
    format: 'mcp',
    kind: 'server',
    tier: 'project',
    source: { file: '/crib/.mcp.json', digest: '', line: 4 },
    details: { server: { name: 'files', ...server } },
    ...more,
  } as Parameters<typeof makeTool>[0])
}

function folder(trustFolder = false): FolderTrust {
  const home = tempFolder({ 'project/toolcrib.yaml': '' })
  const env = { HOME: home }
  return new FolderTrust(spacesOf(join(home, 'project'), env), env, trustFolder)
}

describe('what a server of a folder asks for', () => {
  it('is named with its command, and the line it stands in', () => {
    const [ask] = serverAsks([serverTool({ command: 'npx', args: ['-y', 'files'] })])
    expect(ask).toMatchObject({
      key: 'server files',
      what: 'start the MCP server files: npx -y files',
      file: '/crib/.mcp.json',
      line: 4,
    })
  })

  it('is another thing when anything of it changes', () => {
    const [a] = serverAsks([serverTool({ command: 'npx', args: ['files'] })])
    const [b] = serverAsks([serverTool({ command: 'npx', args: ['files', '--all'] })])
    expect(a!.digest).not.toBe(b!.digest)
  })

  it('names the variables of the user that it wants', () => {
    const [ask] = serverAsks([serverTool({ url: 'https://x.example', headers: { A: '${env:TOKEN}' } })])
    expect(ask!.what).toContain('with TOKEN of yours')
  })

  it.each([
    ['a server of the user’s own', { tier: 'user' as const }],
    ['one that no file defines', { source: { file: null, digest: '' } }],
    ['a tool of a server', { kind: 'callable' as const }],
    ['one that its file switches off', { state: 'disabled' as const, reason: 'the file says so' }],
  ])('is nothing for %s', (_, more) => {
    verifies('D8')
    expect(serverAsks([serverTool({ command: 'npx' }, more)])).toEqual([])
  })
})

describe('holding servers', () => {
  const tool = serverTool({ command: 'npx' })
  const other = makeTool({ id: 'x', format: 'rye', tier: 'project', source: { file: '/x.py', digest: '' } })

  it('takes those out of service that nobody accepted, and says how to', () => {
    verifies('G2')
    const [held, same] = holdServers([tool, other], folder())
    expect(held).toMatchObject({ state: 'disabled', reason: expect.stringContaining('not accepted') })
    expect(held!.problems.at(-1)).toMatchObject({
      code: 'folder-not-accepted',
      hint: expect.stringContaining('toolcrib add --from claude-code'),
      toolId: 'mcp-files',
    })
    expect(same).toBe(other)
  })

  it('leaves them as they are once they were accepted, and holds them when they change', () => {
    const trust = folder()
    trust.decide(serverAsks([tool]), true)
    const tools = [tool]
    expect(holdServers(tools, trust)).toBe(tools)
    const [changed] = holdServers([serverTool({ command: 'node' })], trust)
    expect(changed!.problems.at(-1)!.message).toContain('it changed since you accepted it')
  })

  it('holds nothing on the caller’s word', () => {
    const tools = [tool]
    expect(holdServers(tools, folder(true))).toBe(tools)
  })
})
