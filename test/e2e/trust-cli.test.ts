import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serveProcess } from '../helpers/serve-process.ts'
import { tempFolder, writeFiles } from '../helpers/temp-folder.ts'
import { type Ran, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const hello = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = "utility"
__tool_description__ = "Say hello"

from words import greeting


def execute(params, project_path):
    return {"success": True, "output": greeting}
`
const server = `tool_type: mcp_server
tool_id: files
version: "1.0.0"
category: ""
description: A server
executor_id: null
config: { transport: stdio, command: cat }
`

interface Crib {
  readonly root: string
  run(...args: string[]): Promise<Ran>
}

/** A crib of one Python tool with a helper; the user is somebody else than the project. */
function crib(files: Record<string, string> = {}): Crib {
  const root = tempFolder({
    'toolcrib.yaml': 'trust: require\n',
    '.ai/tools/utility/hello.py': hello,
    '.ai/tools/utility/words.py': 'greeting = "hello"\n',
    ...files,
  })
  const home = tempFolder()
  return { root, run: (...args) => toolcrib(args, { cwd: root, env: { HOME: home } }) }
}

async function signed(files?: Record<string, string>): Promise<Crib> {
  const made = crib(files)
  expect(await made.run('keys', 'new', '--owner', 'Ada')).toMatchObject({ code: 0 })
  return made
}

describe('toolcrib sign', () => {
  it('says how to make a key and changes nothing without one', async () => {
    verifies('R76')
    const { root, run } = crib()
    const ran = await run('sign', 'utility/hello', '--json')
    expect(ran.code).toBe(7)
    expect(ran.json.error).toMatchObject({
      code: 'SECRET_MISSING',
      hint: expect.stringContaining('keys new'),
    })
    expect(readFileSync(join(root, '.ai/tools/utility/hello.py'), 'utf8')).toBe(hello)
  })

  it('signs a tool with the files it takes in, so that it runs where trust is required', async () => {
    verifies('R77', 'R78', 'R79')
    const { run } = await signed()
    expect(await run('run', 'utility/hello')).toMatchObject({ code: 5 })
    const ran = await run('sign', 'utility/hello', '--json')
    expect(ran.code).toBe(0)
    expect(ran.json.items).toMatchObject([
      { path: '.ai/tools/utility/hello.py', id: 'utility/hello', status: 'trusted', owner: 'Ada' },
      { path: '.ai/tools/utility/words.py', id: 'utility/hello', status: 'trusted', owner: 'Ada' },
    ])
    expect(await run('run', 'utility/hello', '--json')).toMatchObject({ code: 0 })
  })

  it('takes globs and folders, reports each file, and leaves an invalid one as it is', async () => {
    verifies('R77')
    const broken = hello.replace('"1.0.0"', '"1"')
    const { root, run } = await signed({
      '.ai/tools/utility/broken.py': broken,
      '.ai/tools/files.yaml': server,
    })
    const ran = await run('sign', '.ai/tools/**/*.py', '.ai/tools/files.yaml', '--json')
    expect(ran.code).toBe(4)
    expect(ran.json.items.map((item: { path: string; status: string }) => [item.path, item.status])).toEqual([
      ['.ai/tools/utility/broken.py', 'invalid'],
      ['.ai/tools/utility/hello.py', 'trusted'],
      ['.ai/tools/utility/words.py', 'trusted'],
      ['.ai/tools/files.yaml', 'trusted'],
    ])
    expect(ran.json.items[0].reason).toContain('version-invalid'.split('-')[0])
    expect(readFileSync(join(root, '.ai/tools/utility/broken.py'), 'utf8')).toBe(broken)
    expect(await run('sign', '.ai/tools', '--json')).toMatchObject({ code: 4 })
  })

  it('keeps mode and line ends', async () => {
    verifies('R77')
    const { root, run } = await signed({ '.ai/tools/utility/words.py': 'greeting = "hello"\r\n' })
    const file = join(root, '.ai/tools/utility/words.py')
    chmodSync(file, 0o750)
    expect(await run('sign', '.ai/tools/utility/words.py')).toMatchObject({ code: 0 })
    expect(statSync(file).mode & 0o777).toBe(0o750)
    expect(readFileSync(file, 'utf8')).toMatch(/^# rye:signed:[^\n]*\r\ngreeting = "hello"\r\n$/)
  })

  it.each([
    [['sign', 'utility/helo'], 3, 'utility/hello'],
    [['sign', 'nothing/*.py'], 3, 'No file matches'],
    [['sign', 'rye/bash/bash'], 1, 'ships with Toolcrib'],
    [['sign'], 2, 'path-or-id'],
    [['keys', 'lst'], 2, 'keys list'],
    [['keys', 'trust', 'missing.pem'], 4, 'no such file'],
    [['keys', 'trust'], 2, 'needs a public key'],
    [['keys', 'list', '--ownr'], 2, '--ownr'],
    [['keys', 'untrust', '0123456789abcdef'], 3, 'You trust'],
  ])('%j ends with %i', async (args, code, text) => {
    const { run } = await signed()
    const ran = await run(...args)
    expect(ran.stderr).toContain(text)
    expect(ran.code).toBe(code)
    expect(ran.stdout).toBe('')
  })
})

describe('toolcrib verify', () => {
  it('judges a tool by the worst of its files and exits 5', async () => {
    verifies('R78', 'R79')
    const { root, run } = await signed()
    await run('sign', 'utility/hello')
    expect(await run('verify')).toMatchObject({ code: 0 })
    writeFileSync(
      join(root, '.ai/tools/utility/words.py'),
      readFileSync(join(root, '.ai/tools/utility/words.py'), 'utf8').replace('hello', 'hullo'),
    )
    const ran = await run('verify', '--json')
    expect(ran.code).toBe(5)
    expect(ran.json.items).toMatchObject([
      { id: 'utility/hello', status: 'tampered', reason: expect.stringContaining('words.py') },
    ])
    expect((await run('verify', 'utility/hello', '--json')).json.items).toMatchObject([
      { path: '.ai/tools/utility/hello.py', status: 'trusted' },
      { path: '.ai/tools/utility/words.py', status: 'tampered' },
    ])
  })

  it('judges by keys also where the crib has trust off', async () => {
    const { run } = await signed({ 'toolcrib.yaml': 'trust: off\n' })
    expect((await run('verify', '--json')).json.items).toMatchObject([{ status: 'unsigned' }])
  })

  it('follows a key that another person exported, trusted and took back', async () => {
    verifies('R75', 'R76')
    const ada = await signed()
    await ada.run('sign', 'utility/hello')
    const pem = await ada.run('keys', 'export')
    expect(pem.stdout).toContain('BEGIN PUBLIC KEY')
    const home = tempFolder({ 'ada.pem': pem.stdout })
    const grace = (...args: string[]) => toolcrib(args, { cwd: ada.root, env: { HOME: home } })
    expect(await grace('run', 'utility/hello', '--json')).toMatchObject({ code: 5 })
    expect((await grace('verify', '--json')).json.items).toMatchObject([{ status: 'untrusted' }])
    const trusted = await grace('keys', 'trust', join(home, 'ada.pem'), '--owner', 'Ada', '--json')
    const { keyId } = trusted.json.keys[0]
    expect(await grace('verify')).toMatchObject({ code: 0 })
    expect((await grace('keys', 'list', '--json')).json.keys).toMatchObject([
      { keyId, owner: 'Ada', tier: 'user', isTrusted: true, isSigningKey: false },
    ])
    expect(await grace('keys', 'untrust', keyId)).toMatchObject({ code: 0 })
    expect(await grace('verify')).toMatchObject({ code: 5 })
  })

  it('does not let a project vouch for itself', async () => {
    verifies('R75')
    const ada = await signed()
    await ada.run('sign', 'utility/hello')
    const key = (await ada.run('keys', 'list', '--json')).json.keys[0]
    const offered = join(ada.root, '.ai/config/keys/trusted')
    mkdirSync(offered, { recursive: true })
    writeFileSync(join(offered, `${key.keyId}.toml`), readFileSync(key.file))
    const home = tempFolder()
    const ran = await toolcrib(['verify', '--json'], { cwd: ada.root, env: { HOME: home } })
    expect(ran.json.items).toMatchObject([
      { status: 'untrusted', reason: expect.stringContaining('have not accepted') },
    ])
  })
})

const seeds = process.env['TOOLCRIB_SEEDS'] ?? new URL('../../shared/seeds', import.meta.url).pathname
const seed = join(seeds, 'rye-tool-format.md')
if (!existsSync(seed)) console.info(`skipped: the published document is not in ${seeds}; set TOOLCRIB_SEEDS`)

it.skipIf(!existsSync(seed))('verifies the published document with the published key', async () => {
  verifies('R74')
  const { root, run } = crib()
  const pem =
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAUbAHc8d2KetZE2I9eb+VaUpTLkNsDJtFaAsY0nTEm7I=\n-----END PUBLIC KEY-----\n'
  expect((await run('verify', seed, '--json')).json.items).toMatchObject([
    { status: 'untrusted', keyId: '6ea18199041a1ea8' },
  ])
  await run('keys', 'trust', pem, '--owner', 'rye-os')
  expect(await run('verify', seed)).toMatchObject({ code: 0 })
  const text = readFileSync(seed, 'utf8')
  writeFiles(root, { 'copy.md': text, 'changed.md': `${text} ` })
  expect(await run('verify', 'copy.md')).toMatchObject({ code: 0 })
  const changed = await run('verify', 'changed.md', '--json')
  expect(changed.code).toBe(5)
  expect(changed.json.items).toMatchObject([{ path: 'changed.md', status: 'tampered' }])
})

describe('a server, of an unsigned tool', () => {
  const skill =
    "export const frontmatter = { name: 'plain', description: 'Says', metadata: { params: { type: 'object' } } }\nexport default () => 'x'\n"
  /** What three calls over HTTP say of it, in their answers and records. */
  async function saidBy(accepted: '0' | '1'): Promise<string[]> {
    const root = tempFolder({ 'skills/plain.skill.js': skill })
    const server = await serveProcess(root, [], { TOOLCRIB_TRUST_FOLDER: accepted, HOME: tempFolder() })
    const said: string[] = []
    for (let n = 0; n < 3; n++) {
      const { body } = await server.ask('POST', '/api/tools/plain/call', { params: {} })
      expect(body).toMatchObject({ ok: true, value: 'x' })
      const record = await server.ask('GET', `/api/runs/${body.runId}`)
      const messagesOf = (lines: readonly { message: string }[]) => lines.map(({ message }) => message)
      expect(messagesOf(record.body.logs)).toEqual(messagesOf(body.logs))
      said.push(...messagesOf(body.logs))
    }
    expect(server.stderr()).not.toContain('unsigned')
    return said.filter((message) => message.includes('unsigned'))
  }

  it('warns once, however often it is called', async () => {
    verifies('R78')
    expect(await saidBy('0')).toEqual(['plain is unsigned: it carries no signature'])
  })

  it("says nothing where it is the user's own, in a folder that was accepted", async () => {
    verifies('D7')
    expect(await saidBy('1')).toEqual([])
  })
})
