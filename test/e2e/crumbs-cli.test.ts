// The commands crumbs, runs and secrets, as the built program; without a server and beside one.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toolDocument } from '../../src/formats/tool-code/fixture.ts'
import { serveProcess } from '../helpers/serve-process.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const order = ['--schema', 'order.v1', '--title', 'An order', '--context', '{"item":"pencil"}']

describe('crumbs', () => {
  it('create, get, list, search, update, history and delete one', async () => {
    verifies('C110')
    const cwd = tempFolder()
    const crumbs = (...args: string[]) => toolcrib(['crumbs', ...args, '--json'], { cwd })
    const created = await crumbs('create', ...order, '--tag', 'a', '--tag', 'b')
    expect(created.code).toBe(0)
    expect(created.json).toMatchObject({
      title: 'An order',
      version: 1,
      tags: ['a', 'b'],
      context: { item: 'pencil' },
    })
    const { id } = created.json
    expect((await crumbs('get', id)).json).toMatchObject({ id, schema_name: 'order.v1' })
    expect((await crumbs('list', '--tag', 'a', '--tag', 'b', '--schema', 'order.v1')).json).toMatchObject([
      { id },
    ])
    expect((await crumbs('list', '--tag', 'c')).json).toEqual([])
    expect((await crumbs('search', 'pencil')).json).toMatchObject([{ id, score: expect.any(Number) }])
    expect((await crumbs('update', id, '--title', 'New', '--if-match', '1')).json).toMatchObject({
      version: 2,
    })
    const stale = await crumbs('update', id, '--title', 'Newer', '--if-match', '1')
    expect(stale).toMatchObject({ code: 1, json: { ok: false, error: { code: 'VERSION_MISMATCH' } } })
    expect((await crumbs('history', id)).json).toMatchObject([{ version: 2 }, { version: 1 }])
    expect((await crumbs('delete', id)).json).toMatchObject({ ok: true, id })
    expect(await crumbs('get', id)).toMatchObject({ code: 3, json: { error: { code: 'NOT_FOUND' } } })
  })

  it('take a whole document from stdin and refuse a tool with problems', async () => {
    verifies('C7')
    const cwd = tempFolder()
    const whole = { title: 'From stdin', schema_name: 'note.v1', context: { n: 1 } }
    const piped = await toolcrib(['crumbs', 'create', '-', '--json'], { cwd, input: JSON.stringify(whole) })
    expect(piped.json).toMatchObject(whole)
    const bad = toolDocument({ code: { language: 'typescript', source: 'const nothing = 1' } })
    const refused = await toolcrib(['crumbs', 'create', '-', '--json'], { cwd, input: JSON.stringify(bad) })
    expect(refused).toMatchObject({ code: 4, json: { error: { code: 'TOOL_INVALID' } } })
    const good = await toolcrib(['crumbs', 'create', '-'], { cwd, input: JSON.stringify(toolDocument()) })
    expect(good.code).toBe(0)
    const ran = await toolcrib(['run', 'adder', '--a', '2', '--json'], { cwd })
    expect(ran.json).toMatchObject({ ok: true, value: { sum: 7 } })
  })

  it.each([
    [[], 2],
    [['lst'], 2],
    [['get'], 2],
    [['create', '{'], 2],
    [['create', '[]'], 2],
    [['create', '--context', '{}'], 4],
    [['update', 'x'], 2],
    [['update', 'x', '--title', 'y', '--if-match', 'abc'], 4],
    [['list', '--limit', '0'], 2],
    [['list', '--limit', '5000'], 4],
    [['watch', '--type', 'gone'], 2],
    [['watch', '--since', 'now'], 2],
    [['delete', 'none'], 3],
  ] as const)('%j ends with %i', async (args, code) => {
    const cwd = tempFolder()
    expect((await toolcrib(['crumbs', ...args], { cwd })).code).toBe(code)
  })

  it('a database that is none is told apart, with what to do', async () => {
    const cwd = tempFolder({
      '.toolcrib/crib.db': 'this is no database, it only has the name of one'.repeat(50),
    })
    const listed = await toolcrib(['crumbs', 'list', '--json'], { cwd })
    expect(listed).toMatchObject({
      code: 7,
      json: { error: { code: 'STORE_CORRUPT', hint: expect.any(String) } },
    })
    const tools = await toolcrib(['list', '--json'], { cwd })
    expect(tools.code).toBe(0)
    expect(tools.stderr).toContain('damaged')
  })

  it('watch shows what others write, live, and ends after a count', async () => {
    verifies('C114')
    const cwd = tempFolder()
    const child = spawn(
      process.execPath,
      [cli, 'crumbs', 'watch', '--schema', 'order.v1', '--count', '2', '--json'],
      {
        cwd,
        env: { PATH: process.env['PATH'] ?? '', HOME: cwd },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const lines: { title: string; type: string }[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)))
    const ended = new Promise((resolve) => child.once('close', resolve))
    await new Promise((resolve) => child.stderr.once('data', resolve))
    const { json } = await toolcrib(['crumbs', 'create', ...order, '--json'], { cwd })
    await toolcrib(['crumbs', 'create', '--schema', 'other.v1', '--title', 'x'], { cwd })
    await toolcrib(['crumbs', 'update', json.id, '--title', 'Changed'], { cwd })
    expect(await ended).toBe(0)
    expect(lines.map(({ type, title }) => [type, title])).toEqual([
      ['breadcrumb.created', 'An order'],
      ['breadcrumb.updated', 'Changed'],
    ])
  })
})

it('beside a server: a request made on the command line is answered by it, and the run is on record', async () => {
  verifies('C60')
  const root = tempFolder({ 'crumbs/adder.json': JSON.stringify(toolDocument()) })
  const server = await serveProcess(root)
  const made = await toolcrib(
    [
      'crumbs',
      'create',
      ...[
        '--schema',
        'tool.request.v1',
        '--title',
        'Add',
        '--tag',
        'tool:request',
        '--tag',
        'workspace:tools',
      ],
      ...['--context', '{"tool":"adder","input":{"a":1,"b":2}}', '--json'],
    ],
    { cwd: root },
  )
  const responses = () =>
    toolcrib(['crumbs', 'list', '--schema', 'tool.response.v1', '--json'], { cwd: root })
  await expect.poll(async () => (await responses()).json.length, { timeout: 30_000 }).toBe(1)
  expect((await responses()).json[0].context).toMatchObject({ status: 'success', output: { sum: 3 } })
  const run = await toolcrib(['runs', 'show', made.json.id, '--json'], { cwd: root })
  expect(run.json.runs).toMatchObject([
    { tool: 'adder', ok: true, surface: 'event', params: { a: 'number' } },
  ])
  expect(await server.end('SIGTERM')).toBe(0)
})

describe('runs', () => {
  it('are listed, shown, repeated when recorded in full, and verified', async () => {
    const cwd = tempFolder({
      'crumbs/adder.json': JSON.stringify(toolDocument()),
      'toolcrib.yaml': 'audit: { params: full }\n',
    })
    const runs = (...args: string[]) => toolcrib(['runs', ...args, '--json'], { cwd })
    await toolcrib(['run', 'adder', '--a', '4'], { cwd })
    await toolcrib(['run', 'adder', '--a', 'x'], { cwd })
    const listed = await runs()
    expect(listed.json.runs).toMatchObject([
      { tool: 'adder', ok: false, errorCode: 'PARAMS_INVALID', surface: 'cli' },
      { tool: 'adder', ok: true },
    ])
    expect((await runs('list', '--failed')).json.runs).toHaveLength(1)
    expect((await runs('list', '--since', '1h', '--limit', '1')).json).toMatchObject({
      runs: [{ ok: false }],
      next: expect.any(String),
    })
    const { runId } = listed.json.runs[1]
    expect((await runs('show', runId)).json.runs).toMatchObject([
      { params: { a: 4 }, outcome: { value: { sum: 9 } } },
    ])
    expect((await runs('replay', runId)).json).toMatchObject({ ok: true, value: { sum: 9 } })
    expect(await runs('verify')).toMatchObject({ code: 0, json: { ok: true, count: 3 } })
    expect((await runs('show', 'none')).code).toBe(3)
    expect((await runs('list', '--since', 'soon')).code).toBe(2)
  })

  it('a changed record is found', async () => {
    const cwd = tempFolder({ 'crumbs/adder.json': JSON.stringify(toolDocument()) })
    for (const a of ['1', '2', '3']) await toolcrib(['run', 'adder', '--a', a], { cwd })
    const { default: Database } = await import('libsql')
    const db = new Database(`${cwd}/.toolcrib/crib.db`)
    db.exec("UPDATE runs SET body = replace(body, 'adder', 'other') WHERE seq = 2")
    db.close()
    expect(await toolcrib(['runs', 'verify', '--json'], { cwd })).toMatchObject({
      code: 5,
      json: { ok: false, broken: { seq: 2 } },
    })
  })

  it('recorded by shape cannot be repeated, and say how to change that', async () => {
    const cwd = tempFolder({ 'crumbs/adder.json': JSON.stringify(toolDocument()) })
    const { json } = await toolcrib(['run', 'adder', '--a', '1', '--json'], { cwd })
    const replayed = await toolcrib(['runs', 'replay', json.runId, '--json'], { cwd })
    expect(replayed).toMatchObject({ code: 4, json: { error: { hint: expect.stringContaining('audit') } } })
  })
})

describe('secrets', () => {
  it('are set from stdin, listed without values, given to the tool, and removed', async () => {
    verifies('C117', 'C52')
    const value = 'open-sesame-open-sesame'
    const cwd = tempFolder({
      'crumbs/adder.json': JSON.stringify(
        toolDocument({
          code: {
            language: 'javascript',
            source:
              'export const execute = (_, { secrets }) => ({ sum: secrets.KEY.length, text: secrets.KEY })',
          },
          output_schema: {},
          examples: [],
          required_secrets: ['KEY'],
        }),
      ),
    })
    const secrets = (args: string[], input = '') => toolcrib(['secrets', ...args, '--json'], { cwd, input })
    expect((await toolcrib(['run', 'adder', '--a', '1'], { cwd })).code).toBe(7)
    const set = await secrets(['set', 'KEY'], `${value}\n`)
    expect(set).toMatchObject({ code: 0, json: { name: 'KEY', id: expect.any(String) } })
    const listed = await secrets(['list'])
    expect(listed.json.secrets).toMatchObject([{ name: 'KEY', scope_type: 'owner', scope_id: null }])
    expect(listed.stdout + set.stdout + set.stderr).not.toContain(value)
    const ran = await toolcrib(['run', 'adder', '--a', '1', '--json'], { cwd })
    expect(ran.json).toMatchObject({ ok: true, value: { sum: value.length, text: '[secret:KEY]' } })
    expect((await secrets(['set', 'KEY', 'on-the-line'])).code).toBe(2)
    expect((await secrets(['set', '1bad'], 'x')).code).toBe(4)
    await secrets(['set', 'KEY', '--scope', 'tool', '--for', 'adder'], 'abc')
    expect((await secrets(['rm', 'KEY'])).code).toBe(2)
    expect((await secrets(['rm', 'KEY', '--scope', 'tool', '--for', 'adder'])).code).toBe(0)
    expect((await secrets(['rm', 'KEY'])).code).toBe(0)
    expect((await secrets(['rm', 'KEY'])).code).toBe(3)
  })
})
