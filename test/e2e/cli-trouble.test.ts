// What the program says when the machine, not the user, is in the way, and wrong usage as programs read it.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'

const count = `export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'node/node'
export const __category__ = 'text'
export const __tool_description__ = 'Count the words of a text'
export const CONFIG_SCHEMA = { type: 'object', properties: { text: { type: 'string', description: 'Text' } } }
export default async ({ text }) => {
  if (text === 'wait') await new Promise((resolve) => setTimeout(resolve, 600_000))
  return { success: true, data: { words: text.split(' ').length } }
}
`
const crib = () => tempFolder({ '.ai/tools/text/count.mjs': count })

describe('wrong usage with --json is one JSON document', () => {
  it.each([
    [['list', '--bogus'], "unknown option '--bogus'"],
    [['list', '--format', 'nope'], 'There is no format "nope".'],
    [['show'], "missing required argument 'ref'"],
    [['convert', 'x'], "required option '--to <format>' not specified"],
    [['keys', 'bogus'], 'There is no "keys bogus"'],
  ])('%j', async (args, message) => {
    const { code, json } = await toolcrib([...args, '--json'], { cwd: tempFolder() })
    expect(code).toBe(2)
    expect(json).toMatchObject({ ok: false, error: { code: 'USAGE', hint: expect.any(String) } })
    expect(json.error.message).toContain(message)
  })
})

describe('toolcrib check', () => {
  it('does not call a path that is not there clean', async () => {
    const { code, json } = await toolcrib(['check', '.ai/tools/txt', '--json'], { cwd: crib() })
    expect(code).toBe(3)
    expect(json.error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringContaining('.ai/tools/txt'),
    })
  })

  it('checks a tool by its id', async () => {
    const { code, json } = await toolcrib(['check', 'text/count', '--json'], { cwd: crib() })
    expect({ code, tools: json.tools }).toEqual({ code: 0, tools: 1 })
  })
})

it('a failed script shows its traceback once, and the last line of it as the error', async () => {
  const cwd = tempFolder({ 'fail.py': 'import sys\nopen("no-such-file")\n' })
  await toolcrib(['add', './fail.py', '--yes'], { cwd })
  const { stderr, code } = await toolcrib(['run', 'fail'], { cwd })
  expect(code).toBe(1)
  expect(stderr.match(/Traceback/g)).toHaveLength(1)
  expect(stderr).toMatch(/^error: TOOL_FAILED: FileNotFoundError/m)
  const quiet = await toolcrib(['run', 'fail', '-q'], { cwd })
  expect(quiet.stderr).toMatch(/^error: TOOL_FAILED: Traceback/m)
})

it('list with a filter that nothing meets does not claim that the crib is empty', async () => {
  const { stderr } = await toolcrib(['list', '--tag', 'nope'], { cwd: crib() })
  expect(stderr).toContain('No tool here is like that')
})

it('list names the command that shows the problem of a server, which check does not contact', async () => {
  const cwd = tempFolder({ '.mcp.json': '{"mcpServers":{"gone":{"command":"no-such-program-here"}}}' })
  expect((await toolcrib(['list'], { cwd })).stderr).toContain(
    '1 error in this crib; see `toolcrib list -v`.',
  )
  expect((await toolcrib(['list', '-v'], { cwd })).stderr).toContain('mcp-server-failed')
})

it.each([
  ['a server of that name', '{"mcpServers":{"words":{"command":"x"}}}', 1, 'CONFLICT'],
  ['half of it', '{"mcpServers":', 4, 'TOOL_INVALID'],
  ['no map of servers', '{"mcpServers":[]}', 4, 'TOOL_INVALID'],
])('new mcp writes nothing where .mcp.json has %s', async (_, text, code, error) => {
  const cwd = tempFolder({ '.mcp.json': text })
  const ran = await toolcrib(['new', 'mcp', 'words', '--json'], { cwd })
  expect(ran).toMatchObject({ code, json: { error: { code: error } } })
  expect(readFileSync(join(cwd, '.mcp.json'), 'utf8')).toBe(text)
  expect(existsSync(join(cwd, 'servers'))).toBe(false)
})

it('new mcp leaves the other servers and their examples as they are', async () => {
  const other = { command: 'node', args: ['other.mjs'] }
  const cwd = tempFolder({
    '.mcp.json': JSON.stringify({ mcpServers: { other }, more: 1 }),
    '.mcp.examples.yaml': '# mine\nother-x:\n  - params: {}\n',
  })
  expect((await toolcrib(['new', 'mcp', 'words'], { cwd })).code).toBe(0)
  expect(JSON.parse(readFileSync(join(cwd, '.mcp.json'), 'utf8'))).toEqual({
    mcpServers: { other, words: { command: 'node', args: ['servers/words.mjs'] } },
    more: 1,
  })
  const examples = readFileSync(join(cwd, '.mcp.examples.yaml'), 'utf8')
  expect(examples).toMatch(/^# mine\nother-x:/)
  expect(examples).toContain('words-count:')
})

it('keys says KEY_NOT_FOUND of a key nobody has', async () => {
  for (const action of ['untrust', 'export'])
    expect(await toolcrib(['keys', action, 'nope', '--json'], { cwd: tempFolder() })).toMatchObject({
      code: 3,
      json: { error: { code: 'KEY_NOT_FOUND', message: expect.stringContaining('nope') } },
    })
})

it('output that cannot be written is told in one line', () => {
  if (!existsSync('/dev/full')) return console.log('skipped: there is no /dev/full here')
  const ran = spawnSync('sh', ['-c', `"$0" "$1" list > /dev/full`, process.execPath, cli], { cwd: crib() })
  expect(ran.status).toBe(7)
  expect(ran.stderr.toString()).toMatch(/^error: The output cannot be written: ENOSPC[^\n]*\n$/)
})

const nobody = 65534
/** Only root may become another user, who must then be able to read this program. */
const mayBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [cli, '--version'], { uid: nobody, gid: nobody, cwd: '/' }).status === 0
if (!mayBeNobody) console.log('skipped: this program cannot be run as another user here')

describe.skipIf(!mayBeNobody)('a user who may not write here', () => {
  const closed = () => {
    const folder = crib()
    chmodSync(folder, 0o755)
    return folder
  }

  it('is told so by `new`, with the folder and what to do', async () => {
    const { code, json } = await toolcrib(['new', 'rye', 'text/other', '--json'], {
      cwd: closed(),
      uid: nobody,
    })
    expect(code).toBe(7)
    expect(json.error).toMatchObject({ code: 'STORE_UNAVAILABLE', hint: expect.any(String) })
    expect(json.error.message).toContain('permission is denied')
  })

  it('is told so by `serve`', async () => {
    const { code, stderr } = await toolcrib(['serve', '--port', '0'], { cwd: closed(), uid: nobody })
    expect(code).toBe(7)
    expect(stderr).toMatch(/^error: STORE_UNAVAILABLE: .*\.toolcrib/)
  })

  it('can call a tool that may write, and hears plainly that the run is not recorded', async () => {
    const { code, stderr } = await toolcrib(['run', 'text/count', '--text', 'a b'], {
      cwd: closed(),
      uid: nobody,
    })
    expect(code).toBe(0)
    expect(stderr).toMatch(/^error: Runs are not recorded: /m)
    expect(stderr).not.toContain('(node:')
  })

  it('works with a HOME of somebody else', async () => {
    const home = tempFolder()
    mkdirSync(join(home, '.config/toolcrib'), { recursive: true })
    writeFileSync(join(home, '.config/toolcrib/config.yaml'), 'trust: warn\n')
    chmodSync(home, 0o700)
    const ran = await toolcrib(['list', '--json'], { cwd: closed(), uid: nobody, env: { HOME: home } })
    expect(ran.code).toBe(0)
    expect(ran.json.tools.map((tool: { id: string }) => tool.id)).toContain('text/count')
  })

  it('is refused when the settings are there and cannot be read', async () => {
    const home = tempFolder({ '.config/toolcrib/config.yaml': 'trust: require\n' })
    for (const folder of ['', '.config', '.config/toolcrib']) chmodSync(join(home, folder), 0o755)
    chmodSync(join(home, '.config/toolcrib/config.yaml'), 0o600)
    const args = ['run', 'text/count', '--text', 'a', '--json']
    const { json } = await toolcrib(args, { cwd: closed(), uid: nobody, env: { HOME: home } })
    expect(json).toMatchObject({ ok: false, error: { code: 'CONFIG_INVALID' } })
  })
})

describe('a service whose HOME is no folder', () => {
  const env = { HOME: '/dev/null' }

  it('can call tools', async () => {
    const ran = await toolcrib(['run', 'text/count', '--text', 'a b', '--json'], { cwd: crib(), env })
    expect(ran.json).toMatchObject({ ok: true, value: { data: { words: 2 } } })
  })

  it('is told why there is no place for a key', async () => {
    const { code, json } = await toolcrib(['keys', 'new', '--json'], { cwd: crib(), env })
    expect(code).toBe(7)
    expect(json.error.message).toContain('/dev/null/.ai/config/keys')
    expect(json.error.hint).toContain('HOME')
  })
})

it.each(['typo', 'file.txt'])('does not make a crib of %s, which is no folder', async (name) => {
  const cwd = tempFolder({ 'file.txt': '' })
  const ran = await toolcrib(['list', '-C', name, '--json'], { cwd })
  expect(ran.code).toBe(2)
  expect(ran.json.error.message).toContain(join(cwd, name))
  expect(existsSync(join(cwd, 'typo'))).toBe(false)
})

it('says that the folder it was started in is gone', () => {
  const folder = tempFolder({ 'gone/x': '' })
  const ran = spawnSync('sh', ['-c', 'rm -r "$PWD" && exec "$0" "$1" list', process.execPath, cli], {
    cwd: join(folder, 'gone'),
    encoding: 'utf8',
  })
  expect(ran.status).toBe(7)
  expect(ran.stderr).toContain('The folder this was started in cannot be used')
})

it('a call loads nothing of the web server, nor the fetch of Node that comes with it', async () => {
  const touched = join(tempFolder(), 'touched')
  const folder = crib()
  const watch = `const { get } = Object.getOwnPropertyDescriptor(globalThis, 'Headers')
Object.defineProperty(globalThis, 'Headers', { configurable: true, get() {
  require('node:fs').writeFileSync(${JSON.stringify(touched)}, new Error().stack)
  return get.call(globalThis)
} })`
  writeFileSync(join(folder, 'watch.cjs'), watch)
  const env = { NODE_OPTIONS: `--require=${join(folder, 'watch.cjs')}` }
  const called = await toolcrib(['run', 'text/count', '--text', 'a b', '--json'], { cwd: folder, env })
  expect(called.json).toMatchObject({ ok: true })
  expect(existsSync(touched) && readFileSync(touched, 'utf8')).toBe(false)
})

const fence = probeBubblewrap(undefined)
if (!fence.found) console.log(`skipped: ${fence.reason}`)

describe.skipIf(!fence.found)('a call whose program is ended', () => {
  const ofToolcrib = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('toolcrib.'))
  const hasChildren = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') !== ''

  async function ended(folder: string, signal: NodeJS.Signals): Promise<number | null> {
    const child = spawn(process.execPath, [cli, 'run', 'text/count', '--text', 'wait'], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder },
      stdio: 'ignore',
    })
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
    await expect.poll(() => hasChildren(child.pid!), { timeout: 60_000 }).toBe(true)
    // Names that no tool may make are not made by the fence either, not even for a moment.
    expect(ofToolcrib(folder)).toEqual([])
    child.kill(signal)
    return exit
  }

  it.each([
    ['when its terminal closes', 'SIGHUP', 130],
    ['when it is killed', 'SIGKILL', null],
  ] as const)(
    'leaves nothing in the folder %s',
    async (_, signal, code) => {
      const folder = crib()
      expect(await ended(folder, signal)).toBe(code)
      expect(ofToolcrib(folder)).toEqual([])
    },
    120_000,
  )
})
