// Foreign MCP servers as tools of a crib: found in files, asked when needed, called over one connection.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { serveCrib } from '../../surfaces/http/serve-crib.ts'
import { mcpToolName } from '../../tool/mcp-name.ts'

const fixture = fileURLToPath(new URL('./fixtures/server.mjs', import.meta.url))
let root: string
let crib: Crib
const cleanUp: (() => unknown)[] = []

function project(files: { [path: string]: unknown }): void {
  root = mkdtempSync(join(tmpdir(), 'foreign-'))
  copyFileSync(fixture, join(root, 'server.mjs'))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }
}

async function open(config: { [key: string]: unknown } = {}): Promise<Crib> {
  crib = await openCrib({ root, env: { HOME: root }, config })
  return crib
}

function withServer(mode = 'plain', extra: object = {}): void {
  project({
    '.mcp.json': { mcpServers: { 'My Box': { command: 'node', args: ['server.mjs', mode], ...extra } } },
  })
}

afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean()
  await crib?.close()
  if (root) rmSync(root, { recursive: true, force: true })
})

const foreign = (all = false) => crib.list({ format: 'mcp', all }).map((tool) => tool.id)

describe('mcpToolName', () => {
  it.each([
    ['GitHub', 'create_issue', 'GitHub-create_issue'],
    ['playwright', 'browser_take_screenshot', 'playwright-browser_take_screenshot'],
    ['a.b', '--x--', 'a_b---x--'],
    ['s', 'x'.repeat(70), `s-${'x'.repeat(53)}-`],
  ])('names %s %s with their own letters', (server, tool, expected) => {
    verifies('U3b')
    const name = mcpToolName(server, tool)
    expect(name.startsWith(expected)).toBe(true)
    expect(name.length).toBe(expected.length > 55 ? 64 : expected.length)
  })
})

describe('files', () => {
  it('contacts nobody to open or check a crib', async () => {
    withServer('plain', { env: { STARTS: 'starts' } })
    await open()
    expect(foreign()).toEqual([])
    expect((await crib.check()).problems.filter((problem) => problem.code.startsWith('mcp'))).toEqual([])
    expect(crib.list({ kind: 'server', all: true, format: 'mcp' })).toMatchObject([
      { id: 'mcp/My Box', kind: 'server' },
    ])
    expect(() => readFileSync(join(root, 'starts'))).toThrow()
  })

  it.each([
    ['{ "mcpServers": ', 'mcp-file-invalid', 1],
    ['{\n  "servers": {}\n}', 'mcp-file-invalid', 1],
    ['{\n  "mcpServers": {\n    "a": {}\n  }\n}', 'mcp-server-invalid', 3],
    [
      '{\n  "mcpServers": {\n    "a": {\n      "command": "x",\n      "args": "y"\n    }\n  }\n}',
      'mcp-server-invalid',
      5,
    ],
    ['{\n  "mcpServers": {\n    "a": {\n      "url": "ftp://x"\n    }\n  }\n}', 'mcp-server-invalid', 4],
  ])('reports a faulty file with its line: %s', async (text, code, line) => {
    project({ '.mcp.json': text })
    await open()
    expect(crib.problems).toContainEqual(
      expect.objectContaining({ code, line, severity: 'error', hint: expect.any(String) }),
    )
  })

  it('reads a file with comments and a comma too many, as editors allow, and keeps its lines', async () => {
    verifies('D8')
    const text =
      '{\n  // mine: "x", }\n  "mcpServers": { /* one */\n    "a": { "url": "https://x.example/m, ]" },\n  },\n}\n'
    project({ '.mcp.json': text })
    await open()
    expect(crib.problems.filter(({ code }) => code === 'mcp-file-invalid')).toEqual([])
    expect(crib.list({ kind: 'server', all: true, format: 'mcp' })).toMatchObject([
      { id: 'mcp/a', description: 'MCP server https://x.example/m, ]', source: { line: 4 } },
    ])
  })

  it('leaves out a server that is disabled', async () => {
    withServer('plain', { disabled: true })
    await open()
    await crib.discover()
    expect(foreign()).toEqual([])
  })
})

describe('a stdio server', () => {
  it('is asked once, and its answer is remembered on disk', async () => {
    verifies('S54')
    withServer('plain', { env: { STARTS: 'starts' } })
    await open()
    await crib.discover()
    expect(foreign()).toContain('My_Box-Sum_Up')
    expect(crib.find('my-box-sum-up')).toMatchObject({
      name: 'My_Box-Sum_Up',
      format: 'mcp',
      tags: ['My Box'],
      returns: { required: ['sum'] },
      source: { file: join(root, '.mcp.json'), line: 3 },
    })
    await crib.discover()
    await crib.close()
    await open()
    expect(foreign()).toContain('My_Box-Sum_Up')
    await crib.discover()
    expect(readFileSync(join(root, 'starts'), 'utf8')).toBe('x')
  })

  it('is asked by a call, by id, by alias and by URI', async () => {
    withServer()
    await open()
    expect(await crib.call('my-box-echo', { text: 'hi' })).toMatchObject({ ok: true, value: 'hi' })
    expect(await crib.call('My Box/echo', { text: 'ho' })).toMatchObject({ ok: true, value: 'ho' })
    expect(await crib.call('mcp://My Box/echo', { text: 'he' })).toMatchObject({ ok: true, value: 'he' })
    expect(await crib.call('my-box-sum-up', {})).toMatchObject({ ok: true, value: { sum: 7 } })
  })

  it('is started once for all calls, in the fence, with a small environment', async () => {
    verifies('R61')
    withServer('plain', { env: { STARTS: 'starts', COLOUR: 'red' } })
    await open()
    process.env['FOREIGN_SECRET'] = 'x'
    cleanUp.push(() => delete process.env['FOREIGN_SECRET'])
    const outcome = await crib.call('my-box-env', {})
    const env = JSON.parse((outcome as { value: string }).value)
    expect(env).toMatchObject({ COLOUR: 'red', TOOLCRIB_PROJECT_PATH: root })
    expect(env).not.toHaveProperty('FOREIGN_SECRET')
    expect(outcome.enforcement.dimensions).toHaveProperty('network')
    await Promise.all(Array.from({ length: 20 }, () => crib.call('my-box-echo', { text: 'x' })))
    expect(readFileSync(join(root, 'starts'), 'utf8')).toBe('x')
  })

  it('checks parameters before and results after the call', async () => {
    withServer()
    await open()
    expect(await crib.call('my-box-echo', { text: 1 })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    expect(await crib.call('my-box-lie', {})).toMatchObject({ ok: false, error: { code: 'RESULT_INVALID' } })
  })

  it('turns errors of the tool, of the protocol and of the process into errors that say so', async () => {
    withServer()
    await open()
    expect(await crib.call('my-box-fail', {})).toMatchObject({
      error: { code: 'TOOL_FAILED', message: 'it did not work' },
    })
    expect(await crib.call('my-box-unknown-error', {})).toMatchObject({
      error: {
        code: 'TOOL_FAILED',
        details: { code: -32050, message: expect.stringContaining('my own error') },
      },
    })
    expect(await crib.call('my-box-crash', {})).toMatchObject({
      error: { code: 'UPSTREAM_FAILED', message: expect.stringContaining('out of luck'), retryable: true },
    })
    expect(await crib.call('my-box-echo', { text: 'back' })).toMatchObject({ ok: true, value: 'back' })
  })

  it('hears of a cancelled call and goes on with others', async () => {
    withServer()
    await open()
    const gone = new AbortController()
    const hanging = crib.call('my-box-hang', {}, { signal: gone.signal, onLog: () => {} })
    await crib.call('my-box-echo', { text: 'x' })
    gone.abort()
    expect(await hanging).toMatchObject({ error: { code: 'CANCELLED' } })
    const { value } = (await crib.call('my-box-env', {})) as { value: string }
    expect(JSON.parse(value).cancelled).toHaveLength(1)
  })

  it('passes progress and blocks that are not text on', async () => {
    withServer()
    await open()
    const seen: unknown[] = []
    await crib.call('my-box-steps', {}, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([
      { done: 1, total: 2, message: 'part 1' },
      { done: 2, total: 2, message: 'part 2' },
    ])
    expect(await crib.call('my-box-picture', {})).toMatchObject({
      meta: { content: [{ type: 'text' }, { type: 'image', mimeType: 'image/png' }] },
    })
  })

  it('is followed when its tools change', async () => {
    withServer()
    await open()
    await crib.discover()
    await crib.watch()
    const added = new Promise((resolve) =>
      crib.on('tool-changed', (change) => change.id === 'My_Box-extra' && resolve(change.change)),
    )
    await crib.call('my-box-more', {})
    expect(await added).toBe('added')
  })

  it('that cannot start is a problem with the reason, in the list and in why', async () => {
    withServer('refuse')
    await open()
    await crib.discover()
    expect(crib.problems).toContainEqual(
      expect.objectContaining({
        code: 'mcp-server-failed',
        message: expect.stringContaining('no configuration found'),
        line: 3,
      }),
    )
    expect(await crib.why('my-box-echo')).toContainEqual(
      expect.objectContaining({
        code: 'mcp-server-failed',
        message: expect.stringContaining('no configuration found'),
      }),
    )
    expect(crib.find('mcp/My Box')).toMatchObject({ state: 'unavailable' })
  })

  it.each([
    [{ command: 'no-such-program-x' }, 'no program no-such-program-x'],
    [{ command: 'node', args: ['server.mjs'], env: { A: '${NOT_SET_ANYWHERE}' } }, 'NOT_SET_ANYWHERE'],
  ])('says what is missing: %o', async (server, expected) => {
    project({ '.mcp.json': { mcpServers: { box: server } } })
    await open()
    await crib.discover()
    expect(crib.problems).toContainEqual(
      expect.objectContaining({ code: 'mcp-server-failed', message: expect.stringContaining(expected) }),
    )
  })

  it('sees variables of the host only where they are exposed', async () => {
    process.env['FOREIGN_TOKEN'] = 'abc'
    cleanUp.push(() => delete process.env['FOREIGN_TOKEN'])
    withServer('plain', { env: { TOKEN: '${FOREIGN_TOKEN}', PORT: '${NOT_SET:-80}' } })
    await open({ env: { expose: ['FOREIGN_TOKEN'] } })
    const { value } = (await crib.call('my-box-env', {})) as { value: string }
    expect(JSON.parse(value)).toMatchObject({ TOKEN: 'abc', PORT: '80' })
  })

  it('of toolcrib.yaml comes before one of the same name in .mcp.json', async () => {
    withServer('refuse')
    await open({ mcp: { servers: { 'My Box': { command: 'node', args: ['server.mjs'] } } } })
    expect(await crib.call('my-box-echo', { text: 'own' })).toMatchObject({ ok: true, value: 'own' })
  })

  it('may have only so many calls in flight', async () => {
    project({})
    await open({ mcp: { servers: { box: { command: 'node', args: ['server.mjs'], concurrency: 1 } } } })
    const gone = new AbortController()
    await crib.discover()
    const hanging = crib.call('box-hang', {}, { signal: gone.signal })
    const waiting = crib.call('box-echo', { text: 'next' })
    gone.abort()
    await hanging
    expect(await waiting).toMatchObject({ ok: true, value: 'next' })
  })

  it('puts its questions to whoever called, and declines where nobody can answer', async () => {
    withServer()
    await open()
    expect(await crib.call('my-box-ask', {})).toMatchObject({ value: 'the answer is decline null' })
    const onElicit = async () => ({ action: 'accept', content: { colour: 'blue' } })
    expect(await crib.call('my-box-ask', {}, { onElicit })).toMatchObject({
      value: 'the answer is accept {"colour":"blue"}',
    })
  })

  it('shows in a dry run what would be started', async () => {
    withServer()
    await open()
    expect(await crib.dryRun('my-box-echo', { text: 'x' })).toMatchObject({
      ok: true,
      runtime: 'mcp',
      plan: { server: 'My Box', tool: 'echo', argv: ['server.mjs', 'plain'], cwd: root },
    })
  })
})

describe('an HTTP server', () => {
  async function otherCrib() {
    const otherRoot = mkdtempSync(join(tmpdir(), 'upstream-'))
    const other = await openCrib({ root: otherRoot, env: { HOME: otherRoot } })
    other.addTool({
      id: 'math/double',
      params: { type: 'object', properties: { n: { type: 'number' } } },
      returns: { type: 'object', required: ['n'] },
      fn: (params) => ({ n: (params as { n: number }).n * 2 }),
    })
    const served = await serveCrib(other, { port: 0, watch: false })
    cleanUp.push(async () => {
      await served.close(0)
      await other.close()
      rmSync(otherRoot, { recursive: true, force: true })
    })
    return { served, entry: { url: served.mcp, headers: { Authorization: `Bearer ${served.token}` } } }
  }

  it('of the operator is reached at its own address without a grant', async () => {
    const { entry } = await otherCrib()
    project({})
    await open({ mcp: { servers: { up: entry } } })
    expect(await crib.call('up-math-double', { n: 4 })).toMatchObject({
      ok: true,
      value: { n: 8 },
      enforcement: { layers: ['net-guard'] },
    })
  })

  it('of a folder is reached at its own address once the folder is accepted, and not before', async () => {
    verifies('D8')
    const { entry } = await otherCrib()
    project({ '.mcp.json': { mcpServers: { up: entry } } })
    vi.stubEnv('TOOLCRIB_TRUST_FOLDER', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    await open()
    await crib.discover()
    expect(crib.problems).toContainEqual(expect.objectContaining({ code: 'folder-not-accepted' }))
    await crib.close()
    vi.stubEnv('TOOLCRIB_TRUST_FOLDER', '1')
    await open()
    expect(await crib.call('up-math-double', { n: 4 })).toMatchObject({ ok: true, value: { n: 8 } })
  })
})

describe('rye tools of an MCP server', () => {
  const tool = (lines: string) =>
    `tool_type: mcp\nexecutor_id: rye/core/runtimes/mcp/stdio\nversion: "1.0.0"\ncategory: box\ndescription: From the box\nconfig:\n${lines}`
  const server = `tool_type: mcp_server\nversion: "1.0.0"\ncategory: servers\ndescription: The box\nexecutor_id: null\nconfig:\n  transport: stdio\n  command: node\n  args: [server.mjs]\n  env:\n    COLOUR: "\${COLOUR:-green}"\n`

  it('call it with the server entry they name', async () => {
    verifies('R59', 'R60', 'R62')
    project({
      '.ai/tools/servers/box.yaml': server,
      '.ai/tools/box/echo.yaml': tool('  server: servers/box\n  tool_name: echo\n'),
      '.ai/tools/box/sum.yaml': tool('  server: servers/box\n  tool_name: Sum_Up\n'),
      '.ai/tools/box/fail.yaml': tool('  server: servers/box\n  tool_name: fail\n'),
      '.ai/tools/box/env.yaml': tool('  server: servers/box\n  tool_name: env\n'),
      '.ai/tools/box/file.yaml': tool(
        '  server_config_path: "{project_path}/.ai/tools/servers/box.yaml"\n  tool_name: echo\n',
      ),
      '.ai/tools/box/out.yaml': tool('  server_config_path: "/etc/passwd"\n  tool_name: echo\n'),
    })
    await open()
    expect(await crib.call('box/echo', { text: 'hi' })).toMatchObject({
      ok: true,
      value: { success: true, output: 'hi', content: [{ type: 'text', text: 'hi' }] },
    })
    expect(await crib.call('box/sum', {})).toMatchObject({
      value: { success: true, output: '7', data: { sum: 7 } },
    })
    expect(await crib.call('box/fail', {})).toMatchObject({
      error: { code: 'TOOL_FAILED', message: 'it did not work' },
    })
    expect(
      JSON.parse(((await crib.call('box/env', {})) as { value: { output: string } }).value.output),
    ).toMatchObject({ COLOUR: 'green' })
    expect(await crib.call('box/file', { text: 'by file' })).toMatchObject({ value: { output: 'by file' } })
    expect(await crib.call('box/out', { text: 'x' })).toMatchObject({ error: { code: 'CONFIG_INVALID' } })
  })
})
