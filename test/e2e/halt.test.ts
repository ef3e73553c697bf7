// `toolcrib halt` and `resume` (G25), as whoever must stop a crib at once uses them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { proves } from '../helpers/proves.ts'
import { type ServeProcess, serveProcess } from '../helpers/serve-process.ts'
import { type PostgresServer, postgresMissing, startPostgres } from '../helpers/servers/postgres.mjs'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'
import { pythonTool } from '../security/crib-of.ts'

/** A tool that says that it began and never ends, and one that is quick. */
function crib(files: { readonly [path: string]: string } = {}): string {
  // The tool tells the test by a file that it began, so what it writes must be seen at once.
  const settings = `effects: { default: direct }\n${files['toolcrib.yaml'] ?? ''}`
  return tempFolder({
    '.ai/tools/slow.py': pythonTool('open("began", "a").write("x")\nimport time\nwhile True: time.sleep(1)'),
    '.ai/tools/quick.py': pythonTool('return {"success": True, "data": 1}'),
    ...files,
    'toolcrib.yaml': settings,
  })
}

const began = (root: string) => vi.waitUntil(() => existsSync(join(root, 'began')), { timeout: 60_000 })
const call = (server: ServeProcess, tool: string) =>
  server.ask('POST', `/api/tools/${tool}/call`, { params: {} })
const halted = { ok: false, error: { code: 'HALTED', hint: expect.stringContaining('toolcrib resume') } }

it('ends what runs, refuses what comes, and lets it go on again', async () => {
  verifies('G25')
  proves('halt')
  const root = crib()
  const server = await serveProcess(root)
  const running = call(server, 'slow')
  await began(root)
  const { json, code } = await toolcrib(['halt', '--json'], { cwd: root })
  expect({ json, code }).toEqual({ json: { halted: true, since: expect.any(String), root }, code: 0 })
  expect(await running).toMatchObject({ status: 403, body: halted })
  expect(await call(server, 'quick')).toMatchObject({ status: 403, body: halted })
  expect((await server.ask('GET', '/api/halt')).body).toEqual({
    halted: true,
    since: json.since,
    by: expect.any(String),
  })
  const ran = await toolcrib(['run', 'quick', '--json'], { cwd: root })
  expect(ran).toMatchObject({ code: 5, json: halted })
  const why = await toolcrib(['why', 'quick', '--json'], { cwd: root })
  expect(why.json.findings[0]).toMatchObject({ code: 'HALTED' })
  const runs = await toolcrib(['runs', '--json'], { cwd: root })
  expect(runs.json.runs.map(({ errorCode }: { errorCode: string }) => errorCode)).toContain('HALTED')
  expect((await toolcrib(['resume', '--json'], { cwd: root })).json).toMatchObject({ halted: false })
  expect(await call(server, 'quick')).toMatchObject({ status: 200, body: { ok: true } })
})

it('ends a call of a command and of an MCP client as well', async () => {
  verifies('G25')
  const root = crib()
  const ran = toolcrib(['run', 'slow', '--json'], { cwd: root })
  await began(root)
  await toolcrib(['halt'], { cwd: root })
  expect(await ran).toMatchObject({ code: 5, json: halted })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', '-C', root],
      env: { PATH: process.env['PATH']!, HOME: root, TOOLCRIB_TRUST_FOLDER: '1' },
    }),
  )
  const result = await client.callTool({ name: 'quick', arguments: {} })
  expect(result._meta?.['toolcrib/error']).toMatchObject({ code: 'HALTED' })
  await client.close()
})

it('is done over HTTP by an admin and by nobody else', async () => {
  verifies('G25')
  const root = crib({ 'toolcrib.yaml': 'serve: { tokens: [{ name: ada, token: "env://ADA" }] }\n' })
  const server = await serveProcess(root, [], { ADA: 'a'.repeat(32) })
  const asAda = await fetch(`${server.url}/api/halt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${'a'.repeat(32)}` },
  })
  expect(asAda.status).toBe(403)
  expect(await call(server, 'quick')).toMatchObject({ status: 200 })
  expect(await server.ask('POST', '/api/halt')).toMatchObject({ status: 200, body: { halted: true } })
  expect(await call(server, 'quick')).toMatchObject({ status: 403, body: halted })
  expect(await server.ask('POST', '/api/resume')).toMatchObject({ status: 200, body: { halted: false } })
  expect(await call(server, 'quick')).toMatchObject({ status: 200 })
})

it('keeps what events asked for until the crib goes on', async () => {
  verifies('G25')
  const root = crib()
  const server = await serveProcess(root)
  await toolcrib(['halt'], { cwd: root })
  const asked = await server.ask('POST', '/breadcrumbs', {
    schema_name: 'tool.request.v1',
    title: 'Later',
    tags: ['tool:request', 'workspace:tools'],
    context: { tool: 'quick', requestId: 'later-1' },
  })
  expect(asked.status).toBe(201)
  const answers = async () => (await server.ask('GET', '/breadcrumbs?schema_name=tool.response.v1')).body
  // What a call of another process is refused with shows that there was time.
  expect((await toolcrib(['run', 'quick', '--json'], { cwd: root })).json).toMatchObject(halted)
  expect(await answers()).toEqual([])
  await toolcrib(['resume'], { cwd: root })
  await vi.waitUntil(async () => (await answers()).length === 1, { timeout: 60_000 })
  const [response] = await answers()
  expect(JSON.stringify(response)).not.toContain('HALTED')
})

it('needs no answer from a server whose own thread is held, and no settings that can be read', async () => {
  verifies('G25')
  const root = crib({
    'skills/stuck.skill.js':
      "export const frontmatter = { name: 'stuck', description: 'S', metadata: { params: { type: 'object' } } }\nexport default async function () { (await import('node:fs')).writeFileSync('began', ''); for (;;); }\n",
    'toolcrib.yaml': 'skills: { host: always }\n',
  })
  const server = await serveProcess(root)
  const stuck = call(server, 'stuck').catch(() => 'cut off')
  await began(root)
  const { writeFileSync } = await import('node:fs')
  writeFileSync(join(root, 'toolcrib.yaml'), 'skills: [')
  const { code } = await toolcrib(['halt'], { cwd: root })
  expect(code).toBe(0)
  expect(await stuck).toBe('cut off')
  await server.ended
  expect(server.stderr()).toContain('HALTED')
})

const missing = postgresMissing()

describe.skipIf(missing !== null)('nodes that share a database', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  }, 120_000)
  afterAll(async () => {
    await postgres?.remove()
  }, 60_000)

  it('are all halted by one, and go on together', async () => {
    verifies('G25')
    const settings = { 'toolcrib.yaml': `store: ${postgres.url()}\n` }
    const [one, two] = [crib(settings), crib(settings)]
    const [first, second] = await Promise.all([serveProcess(one!), serveProcess(two!)])
    const running = call(second!, 'slow')
    await began(two!)
    expect(await first!.ask('POST', '/api/halt')).toMatchObject({ body: { halted: true } })
    expect(await running).toMatchObject({ body: halted })
    const other = await toolcrib(['run', 'quick', '--json'], { cwd: two! })
    expect(other.json).toMatchObject(halted)
    expect((await toolcrib(['resume'], { cwd: two! })).code).toBe(0)
    await vi.waitUntil(async () => (await call(first!, 'quick')).status === 200, { timeout: 60_000 })
  }, 120_000)
})
