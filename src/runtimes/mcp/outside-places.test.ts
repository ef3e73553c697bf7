// What a server needs outside of the crib, opened by a grant that names it, and nothing beside that (U3d).
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'

const server = `import { createInterface } from 'node:readline'
import { readFileSync, writeFileSync } from 'node:fs'
const inputSchema = { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } }
const doIt = ({ path, text }) => {
  try { return text === undefined ? readFileSync(path, 'utf8') : (writeFileSync(path, text), 'written') }
  catch (error) { return error.code }
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const result = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'file', inputSchema }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: doIt(params.arguments) }] }),
  }[method]?.()
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: result ?? {} }))
}
`

let root: string
let outside: string
let crib: Crib | undefined

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'places-'))
  outside = mkdtempSync(join(tmpdir(), 'elsewhere-'))
  writeFileSync(join(root, 'file-server.mjs'), server)
  const servers = { f: { command: 'node', args: ['file-server.mjs'] } }
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
  for (const folder of ['docs', 'out/.git/hooks', 'other', '.ssh'])
    mkdirSync(join(outside, folder), { recursive: true })
  for (const file of ['docs/a.txt', 'other/b.txt', '.ssh/key']) writeFileSync(join(outside, file), file)
})

afterEach(async () => {
  await crib?.close()
  for (const folder of [root, outside]) rmSync(folder, { recursive: true, force: true })
})

async function use(path: string, text?: string) {
  const outcome = await crib!.call('f-file', { path: join(outside, path), text })
  return outcome.ok ? outcome.value : outcome.error.code
}

async function open(grants: string[]) {
  crib = await openCrib({ root, env: { HOME: root }, config: { grants: { tools: { 'f-*': grants } } } })
  await crib.discover()
}

it('is read and written where a grant names it, and nowhere else', async () => {
  verifies('U3d')
  await open(['fs.read', `fs.read:${outside}/docs/**`, `fs.write:${outside}/out/**`])
  expect(await use('docs/a.txt')).toBe('docs/a.txt')
  expect(await use('docs/a.txt', 'changed')).toBe('EROFS')
  expect(await use('out/new.txt', 'new')).toBe('written')
  expect(readFileSync(join(outside, 'out/new.txt'), 'utf8')).toBe('new')
  expect(await use('out/.git/hooks/pre-commit', 'evil')).toBe('EROFS')
  expect(await use('other/b.txt')).toBe('ENOENT')
  expect(existsSync(join(outside, 'out/.git/hooks/pre-commit'))).toBe(false)
})

it('is a browser that a grant names, with its cache where the server looks for it', async () => {
  verifies('U3d')
  process.env['PLAYWRIGHT_BROWSERS_PATH'] = join(outside, 'docs')
  try {
    await open(['fs.read', 'programs:chromium'])
    expect(await use('docs/a.txt')).toBe('docs/a.txt')
    expect(await crib!.call('f-file', { path: '/proc/self/environ' })).toMatchObject({
      value: expect.stringContaining(`PLAYWRIGHT_BROWSERS_PATH=${join(outside, 'docs')}`),
    })
  } finally {
    delete process.env['PLAYWRIGHT_BROWSERS_PATH']
  }
})

it.each([
  ['off', 'preferred', 'other/b.txt'],
  ['required', 'preferred', 'ENOENT'],
  ['off', 'required', 'ENOENT'],
] as const)('follows the sandbox %s of the entry where the settings say %s', async (sandbox, mode, read) => {
  verifies('U3d')
  const servers = { f: { command: 'node', args: ['file-server.mjs'], sandbox } }
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
  crib = await openCrib({ root, env: { HOME: root }, config: { sandbox: mode } })
  expect(await use('other/b.txt')).toBe(read)
})

it('has limits of its own in its entry', async () => {
  verifies('U3d')
  const servers = {
    f: { command: 'node', args: ['file-server.mjs'], limits: { memoryMb: 512, processes: 99 } },
  }
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
  crib = await openCrib({ root, env: { HOME: root } })
  expect(await use('docs/a.txt')).toBe('ENOENT')
  for (const ref of ['f-file', 'mcp/f'])
    expect(crib.find(ref).limits).toMatchObject({ memoryMb: 512, processes: 99 })
})

it('is not opened where a link leads to keys', async () => {
  verifies('U3d')
  symlinkSync(join(outside, '.ssh'), join(outside, 'innocent'))
  await open(['fs.read', `fs.read:${outside}/innocent/**`])
  expect(crib!.problems).toContainEqual(
    expect.objectContaining({ code: 'mcp-server-failed', message: expect.stringContaining('PATH_OUTSIDE') }),
  )
})
