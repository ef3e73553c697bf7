// `toolcrib add <folder>`: skills of others, a plugin, a marketplace of plugins.
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\nDo it.\n`
const server = `let text = ''
process.stdin.on('data', (chunk) => {
  text += chunk
  for (const line of text.split('\\n').slice(0, -1)) {
    const { id, method, params } = JSON.parse(line)
    const result = { initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }, 'tools/list': { tools: [{ name: 'look', inputSchema: { type: 'object' } }] } }[method]
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) }) + '\\n')
  }
  text = text.slice(text.lastIndexOf('\\n') + 1)
})
`
const files = {
  'pub/.claude-plugin/marketplace.json':
    '{"name":"Good Things","plugins":[{"name":"plug","source":"./plug"}]}',
  'pub/skills/pdf/SKILL.md': skill('pdf'),
  'pub/plug/.claude-plugin/plugin.json': '{"name":"plug"}',
  'pub/plug/commands/greet.md': 'Greet $ARGUMENTS.\n',
  'pub/plug/agents/critic.md': skill('critic'),
  'pub/plug/.mcp.json': '{"seer":{"command":"node","args":["${CLAUDE_PLUGIN_ROOT}/server.mjs"]}}',
  'pub/plug/server.mjs': server,
  'pub/node_modules/x/SKILL.md': skill('never'),
  'secret.txt': 'mine',
  'crib/toolcrib.yaml': '',
}

it('shows what a marketplace holds, and copies it into the crib when told to', async () => {
  verifies('D11b')
  const root = tempFolder(files)
  symlinkSync(join(root, 'secret.txt'), join(root, 'pub/skills/pdf/link.txt'))
  const cwd = join(root, 'crib')
  const env = { HOME: root, TOOLCRIB_TRUST_FOLDER: '0' }
  const looked = await toolcrib(['add', '../pub'], { cwd, env })
  expect(looked.stderr).toContain('Good Things: 1 skill, 1 command, 1 agent')
  expect(looked.stderr).toMatch(/pdf +skill +About pdf/)
  expect(looked.stderr).toContain('Nothing was written')
  expect(existsSync(join(cwd, 'skills'))).toBe(false)
  expect(existsSync(join(root, 'pub/.toolcrib'))).toBe(false)
  const { json } = await toolcrib(['add', '../pub', '--yes', '--json'], { cwd, env })
  expect(json.files).toEqual([join(cwd, 'skills/good-things')])
  expect(json.notes.join()).toContain('1 link was left out')
  expect(existsSync(join(cwd, 'skills/good-things/skills/pdf/link.txt'))).toBe(false)
  expect(existsSync(join(cwd, 'skills/good-things/node_modules'))).toBe(false)
  const listed = await toolcrib(['list', '--all', '--format', 'skill', '--json'], { cwd, env })
  const ids = listed.json.tools.filter(({ tier }: { tier: string }) => tier === 'project')
  expect(ids.map(({ id }: { id: string }) => id).sort()).toEqual(['critic', 'greet', 'pdf'])
  const again = await toolcrib(['add', '../pub', '--yes', '--json'], { cwd, env })
  expect(again.json.error).toMatchObject({ code: 'CONFLICT' })
}, 60_000)

it('lists the skills that it counts in a folder of the crib', async () => {
  verifies('D11a')
  const root = tempFolder({
    'toolcrib.yaml': '',
    'x/skills/.system/deep/SKILL.md': skill('deep'),
    'x/skills/flat/SKILL.md': skill('flat'),
  })
  const looked = await toolcrib(['add', './x'], { cwd: root, env: { HOME: root } })
  expect(looked.stderr).toContain('x: 2 skills')
  const listed = await toolcrib(['list', '--all', '--json'], { cwd: root, env: { HOME: root } })
  const ids = listed.json.tools.map(({ id }: { id: string }) => id)
  expect(ids).toEqual(expect.arrayContaining(['deep', 'flat']))
}, 60_000)

it('takes the servers of a plugin in, from the folder the plugin has in the crib', async () => {
  verifies('D11b')
  const root = tempFolder(files)
  const cwd = join(root, 'crib')
  const env = { HOME: root, TOOLCRIB_TRUST_FOLDER: '0' }
  const { json, code } = await toolcrib(['add', '../pub/plug', '--yes', '--json'], { cwd, env })
  expect({ code, tools: json.tools }).toEqual({ code: 0, tools: ['critic', 'seer-look'] })
  expect(JSON.parse(readFileSync(join(cwd, '.mcp.json'), 'utf8')).mcpServers.seer.args).toEqual([
    '${workspaceFolder}/skills/plug/server.mjs',
  ])
}, 60_000)

it('says of a folder without skills what would be one, and of the crib that it is one', async () => {
  verifies('D11b')
  const root = tempFolder({ 'crib/toolcrib.yaml': '', 'empty/notes.txt': 'x' })
  const cwd = join(root, 'crib')
  const none = await toolcrib(['add', '../empty', '--yes'], { cwd })
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('SKILL.md') })
  expect(await toolcrib(['add', '.'], { cwd })).toMatchObject({ code: 2 })
  expect((await toolcrib(['add', '..'], { cwd })).stderr).toContain('holds the crib')
})
