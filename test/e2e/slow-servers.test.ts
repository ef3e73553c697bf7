// Foreign MCP servers that hang, as a person at the command line and a client of `serve` meet them.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findOnPath } from '../../src/config/find-on-path.ts'
import { openCrib } from '../../src/crib/open-crib.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { terminal } from '../helpers/terminal.ts'
import { toolcrib } from '../helpers/toolcrib.ts'

const fixtures = fileURLToPath(new URL('../../src/runtimes/mcp/fixtures/', import.meta.url))

/** A crib with a server `mute` that counts its starts and says nothing, and a good one. */
function cribWith(config = '', mode = 'mute'): string {
  const root = tempFolder()
  for (const name of ['hostile-server.mjs', 'server.mjs'])
    copyFileSync(join(fixtures, name), join(root, name))
  const mcpServers = {
    mute: { command: 'node', args: ['hostile-server.mjs', mode], env: { STARTS: 'starts' } },
    good: { command: 'node', args: ['server.mjs'] },
  }
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers }))
  writeFileSync(join(root, 'toolcrib.yaml'), config)
  return root
}

const starts = (root: string) => readFileSync(join(root, 'starts'), 'utf8').length
const failures = (problems: { code: string }[]) =>
  problems.filter((problem) => problem.code === 'mcp-server-failed')

describe('a server that never answers', { timeout: 120_000 }, () => {
  it('is waited for once, and the next list says so without starting it again', async () => {
    const root = cribWith('mcp: { listTimeoutMs: 3000 }\n')
    const first = await toolcrib(['list', '--json'], { cwd: root })
    expect(first.json.tools.map((tool: { id: string }) => tool.id)).toContain('good-echo')
    expect(failures(first.json.problems)).toMatchObject([
      {
        message: 'The MCP server "mute" did not say within 3 s what it offers. (TIMEOUT)',
        hint: expect.stringMatching(
          /node hostile-server\.mjs mute.*mcp\.listTimeoutMs.*toolcrib list --refresh/,
        ),
        file: join(root, '.mcp.json'),
        toolId: 'mcp/mute',
      },
    ])
    const second = await toolcrib(['list', '--json'], { cwd: root })
    expect(failures(second.json.problems)).toMatchObject([
      { message: expect.stringContaining('"mute" did not say'), hint: expect.stringContaining('--refresh') },
    ])
    const called = await toolcrib(['run', 'mute-echo', '--json'], { cwd: root })
    expect(called.json.error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringContaining('The MCP server "mute" did not say'),
    })
    expect(starts(root)).toBe(1)
    await toolcrib(['list', '--refresh'], { cwd: root })
    expect(starts(root)).toBe(2)
  })

  it('is asked at once when its entry changed, and is no fault for check', async () => {
    const root = cribWith('mcp: { listTimeoutMs: 2000 }\n')
    await toolcrib(['list'], { cwd: root })
    expect(failures((await toolcrib(['check', '--json'], { cwd: root })).json.problems)).toEqual([])
    const file = join(root, '.mcp.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"mute"]', '"plain"]'))
    const listed = await toolcrib(['list', '--json'], { cwd: root })
    expect(failures(listed.json.problems)).toEqual([])
    expect(listed.json.tools.map((tool: { id: string }) => tool.id)).toContain('mute-echo')
  })

  it('keeps the tools it named before, with the problem beside them', async () => {
    const root = cribWith('mcp: { listTimeoutMs: 2000 }\n', 'plain-then-mute')
    await toolcrib(['list'], { cwd: root })
    const again = await toolcrib(['list', '--refresh', '--json'], { cwd: root })
    expect(failures(again.json.problems)).toHaveLength(1)
    expect(again.json.tools.map((tool: { id: string }) => tool.id)).toContain('mute-echo')
  })

  it.skipIf(!findOnPath('script'))('is named on the terminal while it is waited for', async () => {
    const root = cribWith('mcp: { listTimeoutMs: 10000 }\n')
    const screen = terminal(['list'], root)
    await screen.waitFor('Waiting for MCP server mute …')
    expect(await screen.ended).toBe(0)
    expect(screen.screen().join('\n')).not.toContain('Waiting')
    expect(screen.screen().join('\n')).toContain('good-echo')
  })

  it('holds up neither the other servers nor a second listing of a process that goes on', async () => {
    const root = cribWith('mcp: { listTimeoutMs: 1500 }\n')
    const crib = await openCrib({ root, env: { HOME: root } })
    onTestFinished(() => crib.close())
    await crib.watch()
    const ids = () => crib.list({ format: 'mcp' }).map((tool) => tool.id)
    const patient = crib.discover({ isPatient: true })
    await expect.poll(ids, { timeout: 30_000 }).toContain('good-echo')
    expect(failures(crib.problems)).toEqual([])
    await patient
    expect(failures(crib.problems)).toHaveLength(1)
  })
})
