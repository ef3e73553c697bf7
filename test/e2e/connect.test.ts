// Files of MCP clients as their documentation shows them: the crib goes in and out again, and the rest stays.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse as parseJsonc } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { clients } from '../../src/surfaces/clients/clients.ts'
import { tempFolder, writeFiles } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const commented = (key: string) => `{
  // servers of mine
  "${key}": {
    "github": { "command": "docker", "args": ["run", "-i"], "env": { "TOKEN": "\${env:TOKEN}" } }, // keep
  },
  /* something of the client's own */
  "other": { "deep": [1, 2, 3] },
}
`
const toml = `# settings of mine
model = "gpt-5"

[mcp_servers.github] # keep
command = "docker"
args = ["run", "-i"]

[mcp_servers.github.env]
TOKEN = "x"

# profiles
[profiles.fast]
model = "small"
`
const yaml = `# settings of mine
GOOSE_MODEL: gpt-5
extensions:
  developer: # keep
    enabled: true
    type: builtin
    name: developer
`

interface Case {
  readonly file: string
  readonly text: string
  readonly read: (text: string) => unknown
  readonly path: readonly string[]
  readonly flags?: readonly string[]
}

const json = (file: string, key: string, flags: readonly string[] = []): Case => ({
  file,
  text: commented(key),
  read: (text) => parseJsonc(text),
  path: [key],
  flags,
})

const cases: { readonly [client: string]: Case } = {
  claude: json('.config/Claude/claude_desktop_config.json', 'mcpServers'),
  'claude-code': json('.mcp.json', 'mcpServers'),
  cursor: json('.cursor/mcp.json', 'mcpServers'),
  vscode: json('.vscode/mcp.json', 'servers'),
  zed: json('.zed/settings.json', 'context_servers'),
  codex: { file: '.codex/config.toml', text: toml, read: parseToml, path: ['mcp_servers'] },
  windsurf: json('.codeium/windsurf/mcp_config.json', 'mcpServers'),
  goose: { file: '.config/goose/config.yaml', text: yaml, read: parseYaml, path: ['extensions'] },
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes of eight clients
const serversOf = ({ read, path }: Case, text: string): any => (read(text) as any)[path[0]!]

it.each(Object.entries(cases))(
  '%s: the crib goes in and out, and everything else stays',
  async (client, given) => {
    verifies('D17')
    const root = tempFolder({ [given.file]: given.text, 'toolcrib.yaml': '' })
    const file = join(root, given.file)
    const ran = await toolcrib(['connect', client, '--yes', '--json', '--expose', 'search'], { cwd: root })
    expect(ran).toMatchObject({ code: 0, json: { client, file, written: true } })
    const text = readFileSync(file, 'utf8')
    const entry = serversOf(given, text).toolcrib
    expect([entry.command ?? entry.cmd, ...entry.args]).toEqual([
      process.execPath,
      cli,
      'mcp',
      '-C',
      root,
      '--expose',
      'search',
    ])
    for (const comment of given.text.match(/(#|\/\/|\/\*) ?[a-z ']+/g)!) expect(text).toContain(comment)
    expect(readFileSync(`${file}.before-toolcrib`, 'utf8')).toBe(given.text)
    expect(ran.stderr).toMatch(/^ {2}\+ .*toolcrib/m)

    const again = await toolcrib(['connect', client, '--yes', '--json', '--expose', 'search'], { cwd: root })
    expect(again.json.written).toBe(false)
    const out = await toolcrib(['disconnect', client, '--yes', '--json'], { cwd: root })
    expect(out).toMatchObject({ code: 0, json: { written: true } })
    expect(readFileSync(file, 'utf8')).toBe(given.text)
    expect(existsSync(`${file}.before-toolcrib`)).toBe(false)
  },
)

it('makes the file where there is none, and goes to the user with --user', async () => {
  verifies('D17')
  const root = tempFolder({ 'toolcrib.yaml': '' })
  for (const client of ['cursor', 'codex', 'goose', 'vscode']) {
    expect(await toolcrib(['connect', client, '--yes'], { cwd: root })).toMatchObject({ code: 0 })
    expect(await toolcrib(['connect', client, '--yes', '--user'], { cwd: root })).toMatchObject({ code: 0 })
  }
  expect(parseToml(readFileSync(join(root, '.codex/config.toml'), 'utf8'))).toHaveProperty(
    'mcp_servers.toolcrib.command',
  )
  expect(existsSync(join(root, '.config/Code/User/mcp.json'))).toBe(true)
  expect(homedir()).not.toBe(root)
  for (const client of ['cursor', 'codex', 'goose', 'vscode']) {
    await toolcrib(['disconnect', client, '--yes'], { cwd: root })
    expect(existsSync(join(root, clients[client]!.project ?? '.config/goose/config.yaml'))).toBe(false)
  }
})

it('prints every flag into the block, and writes nothing', async () => {
  verifies('D17')
  const root = tempFolder({ 'toolcrib.yaml': '' })
  const { stdout } = await toolcrib(['connect', 'cursor', '--print', '--expose', 'code'], { cwd: root })
  expect(JSON.parse(stdout).mcpServers.toolcrib.args.slice(-2)).toEqual(['--expose', 'code'])
  const http = await toolcrib(['connect', 'codex', '--print', '--http'], { cwd: root })
  expect(parseToml(http.stdout)).toEqual({
    mcp_servers: { toolcrib: { url: 'http://127.0.0.1:4747/mcp', bearer_token_env_var: 'TOOLCRIB_TOKEN' } },
  })
  const { json } = await toolcrib(['connect', 'cursor', '--print', '--json'], { cwd: root })
  expect(json).toMatchObject({
    client: 'cursor',
    file: join(root, '.cursor/mcp.json'),
    entry: { args: expect.arrayContaining(['mcp']) },
    written: false,
  })
  expect(existsSync(join(root, '.cursor'))).toBe(false)
})

it('shows an entry of that name that starts another program, and replaces it only with --yes', async () => {
  verifies('D17')
  const text = '{ "mcpServers": { "toolcrib": { "command": "other", "args": [] } } }\n'
  const root = tempFolder({ '.cursor/mcp.json': text })
  const refused = await toolcrib(['connect', 'cursor', '--json'], { cwd: root })
  expect(refused.json.error).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('"other"') })
  expect(readFileSync(join(root, '.cursor/mcp.json'), 'utf8')).toBe(text)
  await toolcrib(['connect', 'cursor', '--yes'], { cwd: root })
  expect(readFileSync(join(root, '.cursor/mcp.json'), 'utf8')).toContain('"mcp"')
})

it('leaves a file alone that it cannot read, that is read-only, or that leads out of the project', async () => {
  verifies('D17')
  const root = tempFolder({
    'crib/.cursor/mcp.json': '{ not json',
    'crib/.vscode/mcp.json': '{}',
    'outside.json': '{}',
  })
  const cwd = join(root, 'crib')
  const broken = await toolcrib(['connect', 'cursor', '--yes', '--json'], { cwd })
  expect(broken.json.error).toMatchObject({
    code: 'TOOL_INVALID',
    message: expect.stringContaining('in line 1'),
  })
  chmodSync(join(cwd, '.vscode/mcp.json'), 0o444)
  const readOnly = await toolcrib(['connect', 'vscode', '--yes', '--json'], { cwd })
  expect(readOnly.json.error.message).toContain('is read-only')
  expect(readdirSync(join(cwd, '.vscode'))).toEqual(['mcp.json'])
  mkdirSync(join(cwd, '.zed'))
  symlinkSync(join(root, 'outside.json'), join(cwd, '.zed/settings.json'))
  const link = await toolcrib(['connect', 'zed', '--yes', '--json'], { cwd })
  expect(link.json.error).toMatchObject({ code: 'PATH_OUTSIDE' })
  expect(readFileSync(join(root, 'outside.json'), 'utf8')).toBe('{}')
})

it("follows a link of the user's own file and keeps the link", async () => {
  verifies('D17')
  const root = tempFolder({ 'dotfiles/mcp.json': '{}' })
  mkdirSync(join(root, '.cursor'))
  symlinkSync(join(root, 'dotfiles/mcp.json'), join(root, '.cursor/mcp.json'))
  await toolcrib(['connect', 'cursor', '--user', '--yes'], { cwd: root })
  expect(lstatSync(join(root, '.cursor/mcp.json')).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(root, 'dotfiles/mcp.json'), 'utf8')).toContain('toolcrib')
})

it('accepts the folder, and does not take its own entry for a server', async () => {
  verifies('D8', 'D17')
  const root = tempFolder({ 'crib/toolcrib.yaml': 'grants: { tools: { "x": [net.http] } }\n' })
  const cwd = join(root, 'crib')
  const env = { TOOLCRIB_TRUST_FOLDER: '0', HOME: root }
  await toolcrib(['connect', 'claude-code', '--yes'], { cwd, env })
  const { json } = await toolcrib(['check', '--json'], { cwd, env })
  expect(json.problems.filter(({ code }: { code: string }) => code === 'folder-not-accepted')).toEqual([])
  const listed = await toolcrib(['list', '--all', '--json'], { cwd, env })
  expect(listed.json.tools.filter(({ format }: { format: string }) => format === 'mcp')).toEqual([])
  writeFiles(cwd, {
    '.mcp.json': '{"mcpServers":{"me":{"command":"npx","args":["-y","toolcrib@0.2.0","mcp"]}}}',
  })
  const other = await toolcrib(['list', '--all', '--json'], { cwd, env })
  expect(other.json.tools.filter(({ format }: { format: string }) => format === 'mcp')).toEqual([])
})

it('names servers that the client and the crib would both start', async () => {
  verifies('D17')
  const entry = { command: 'node', args: ['x.mjs'] }
  const files = { '.mcp.json': JSON.stringify({ mcpServers: { seer: entry } }), 'x.mjs': '' }
  const cursor = { '.cursor/mcp.json': JSON.stringify({ mcpServers: { seer: entry, other: entry } }) }
  const root = tempFolder({ ...files, ...cursor })
  const told = await toolcrib(['connect', 'cursor', '--yes'], { cwd: root })
  expect(told.stderr).toContain('Cursor also starts seer itself, outside the fence')
  const code = await toolcrib(['connect', 'claude-code', '--yes'], { cwd: root })
  expect(code.stderr).toContain('put what the crib needs under mcp.servers of toolcrib.yaml')
  const none = await toolcrib(['connect', 'vscode', '--yes'], { cwd: root })
  expect(none.stderr).not.toContain('outside the fence')
})

it.each([
  ['zed', '.zed/settings.json', '{"theme":"x"}'],
  ['gemini', '.gemini/settings.json', '{ "a": 1 // why\n}\n'],
  ['goose', '.config/goose/config.yaml', '# mine\nGOOSE_MODEL:   x # why\nextensions: {}\n'],
  ['codex', '.codex/config.toml', 'model = "x"\n\n\n'],
])('%s: a file without servers is the very file again after disconnect', async (client, path, given) => {
  verifies('D17')
  const root = tempFolder({ [path]: given, 'toolcrib.yaml': '' })
  const file = join(root, path)
  expect(await toolcrib(['connect', client, '--yes'], { cwd: root })).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).not.toBe(given)
  expect(await toolcrib(['disconnect', client, '--yes'], { cwd: root })).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toBe(given)
  expect(existsSync(`${file}.before-toolcrib`)).toBe(false)
})

it('keeps what a person added to the entry when the crib is connected again', async () => {
  verifies('D17')
  const root = tempFolder({ 'toolcrib.yaml': '' })
  const file = join(root, '.cursor/mcp.json')
  await toolcrib(['connect', 'cursor', '--yes'], { cwd: root })
  const written = JSON.parse(readFileSync(file, 'utf8'))
  const own = { env: { KEY: 'x' }, autoApprove: ['a'] }
  Object.assign(written.mcpServers.toolcrib, own)
  writeFileSync(file, JSON.stringify(written))
  const same = await toolcrib(['connect', 'cursor', '--yes', '--json'], { cwd: root })
  expect(same.json.written).toBe(false)
  await toolcrib(['connect', 'cursor', '--yes', '--expose', 'search'], { cwd: root })
  const { toolcrib: entry } = JSON.parse(readFileSync(file, 'utf8')).mcpServers
  expect(entry).toMatchObject(own)
  expect(entry.args.slice(-2)).toEqual(['--expose', 'search'])
  const served = await toolcrib(['connect', 'cursor', '--yes', '--http'], { cwd: root })
  expect(served.code).toBe(0)
  expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.toolcrib).not.toHaveProperty('args')
})
