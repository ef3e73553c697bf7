// What a tool wrote and would be read as a definition, a module or a setting counts for nothing until a person accepts
// it (G7, E8): in every format, over every surface, and after a restart.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Crib } from '../../src/crib/crib.ts'
import { openCrib } from '../../src/crib/open-crib.ts'
import { approvalOf, lockCrib } from '../../src/surfaces/trust/lock-crib.ts'
import { effectCrib } from '../helpers/effect-tools.ts'
import { canLayer } from '../helpers/layered.ts'
import { serveProcess } from '../helpers/serve-process.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const settings = `trust: "off"
grants:
  tools:
    "write/*": ["fs.read", "fs.write", "fs.write:.ai/tools/**", "fs.write:.ai/config/**", "fs.write:.ai/.env",
      "fs.write:skills/**", "fs.write:crumbs/**", "fs.write:.mcp.json", "fs.write:node_modules/**"]
`
const code = (name: string) =>
  JSON.stringify({
    schema_name: 'tool.code.v1',
    title: name,
    tags: ['tool'],
    context: {
      name,
      description: 'Planted',
      version: '1.0.0',
      code: {
        language: 'javascript',
        source: 'export async function execute() { return { pwned: true } }',
      },
      input_schema: { type: 'object', properties: {} },
      output_schema: { type: 'object', properties: {} },
      permissions: { net: false, ffi: false },
      limits: { memory_mb: 64, timeout_ms: 20000, cpu_percent: 100 },
    },
  })
const rye = (text: string) => `# rye
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "t"
__tool_description__ = "Says something"
CONFIG_SCHEMA = {"type": "object", "properties": {}}
def execute(params, project_path):
    return {"success": True, "data": "${text}"}
`
const skill = `export const frontmatter = { description: 'd', metadata: { params: { type: 'object' } } }
export default () => 'planted'
`
const commands = {
  'skills/box/SKILL.md': '---\nname: box\ndescription: d\n---\nhello\n',
  'skills/box/tools.json': JSON.stringify({
    tools: [{ name: 'box_say', description: 'd', parameters: { type: 'object', properties: {} } }],
    allowlist: { echo: [''] },
    execution: [{ tool: 'box_say', binary: 'echo', subcommand: '', args: [] }],
  }),
}

/** Every format: what a tool writes, and the id of what that defines. */
const planted: { readonly [name: string]: { readonly files: Record<string, string>; readonly id: string } } =
  {
    'a tool.code document anywhere': { files: { 'data/report.json': code('planted') }, id: 'planted' },
    'a tool.code document among the seeds': { files: { 'crumbs/x.json': code('planted') }, id: 'planted' },
    'a rye tool': { files: { '.ai/tools/t/planted.py': rye('hi') }, id: 't/planted' },
    'a code skill': { files: { 'skills/planted.skill.js': skill }, id: 'planted' },
    'a skill of text': {
      files: { 'skills/planted/SKILL.md': '---\nname: planted\ndescription: d\n---\nObey.\n' },
      id: 'planted',
    },
    'commands of a skill': { files: commands, id: 'box_say' },
    'a server': {
      files: {
        '.mcp.json': JSON.stringify({ mcpServers: { planted: { command: 'node', args: ['x.js'] } } }),
      },
      id: 'mcp/planted',
    },
  }

async function opened(files: Record<string, string> = {}, config: Record<string, unknown> = {}) {
  const more = Object.fromEntries(Object.entries(files).map(([path, text]) => [`crib/${path}`, text]))
  const { root, env } = effectCrib({ 'crib/toolcrib.yaml': settings, ...more })
  const open = async () => {
    const crib = await openCrib({ root, env, config, trustFolder: true })
    onTestFinished(() => crib.close())
    return crib
  }
  return { root, env, open, crib: await open() }
}

async function write(crib: Crib, file: string, text: string, tool = 'write/sh'): Promise<string> {
  const outcome = await crib.call(tool, { file, text })
  expect(outcome.ok ? outcome.effects?.state : outcome.error).toBe('committed')
  return outcome.runId
}

const errorOf = async (crib: Crib, ref: string) => {
  const outcome = await crib.call(ref, {})
  return outcome.ok ? 'ok' : outcome.error.code
}

describe.skipIf(!canLayer)('what a tool wrote', () => {
  it.each(Object.entries(planted))(
    'as %s is set aside until a person accepts it',
    async (_, { files, id }) => {
      verifies('G7', 'E8')
      // A grant names a file that is there; of one that is missing it makes a folder.
      const { crib, open } = await opened('.mcp.json' in files ? { '.mcp.json': '\n' } : {})
      let run = ''
      for (const [file, text] of Object.entries(files)) run = await write(crib, file, text)
      for (const each of [crib, await open()]) {
        await each.reload()
        const found = each.catalog.tools.filter((tool) => tool.id === id)
        expect(found).toHaveLength(1)
        expect(found[0]!.state).toBe('unavailable')
        expect(found[0]!.reason).toMatch(/^written by write\/sh in run /)
        expect(each.list().map((tool) => tool.id)).not.toContain(id)
        expect(each.problems).toContainEqual(expect.objectContaining({ code: 'set-aside', toolId: id }))
        expect((await each.refusals(id, {})).map(({ code }) => code)).toContain(
          found[0]!.kind === 'server' ? 'TOOL_NOT_CALLABLE' : 'TRUST_UNTRUSTED',
        )
      }
      const approval = await approvalOf(crib, id)
      expect(approval.entries.map(({ what }) => what).join()).toContain(run)
      await approval.accept()
      expect(crib.problems.filter(({ code }) => code === 'set-aside')).toEqual([])
      expect(crib.find(id).reason ?? '').not.toContain('written by')
      expect((await open()).problems.filter(({ code }) => code === 'set-aside')).toEqual([])
    },
  )

  it('is refused at once, before the catalog was read again', async () => {
    verifies('G7')
    const { crib } = await opened({ '.ai/tools/t/own.py': rye('mine') })
    expect(await errorOf(crib, 't/own')).toBe('ok')
    await write(crib, '.ai/tools/t/own.py', '# more\n')
    expect(await errorOf(crib, 't/own')).toBe('TRUST_UNTRUSTED')
  })

  it('is refused as a module of a tool that somebody vouches for', async () => {
    verifies('G7')
    const own = rye('mine').replace('def execute', 'import helper\ndef execute')
    const { crib, open, root } = await opened({
      '.ai/tools/t/own.py': own,
      '.ai/tools/t/helper.py': 'X = 1\n',
    })
    await lockCrib(crib, { programs: false })
    expect(await errorOf(crib, 't/own')).toBe('ok')
    await write(crib, '.ai/tools/t/helper.py', 'X = 2\n')
    expect(await errorOf(crib, 't/own')).toBe('TRUST_UNTRUSTED')
    const later = await open()
    expect(later.find('t/own')).toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ code: 'set-aside' })]),
    })
    // What a person puts back is the person's.
    writeFileSync(join(root, '.ai/tools/t/helper.py'), 'X = 1\n')
    await later.reload()
    expect(await errorOf(later, 't/own')).toBe('ok')
  })

  it('is refused in a folder of modules, for every tool that would load from it', async () => {
    verifies('G7')
    const { crib, root } = await opened({ 'skills/own.skill.js': skill })
    expect(await errorOf(crib, 'own')).toBe('ok')
    await write(crib, 'node_modules/left/index.js', 'export default 1\n')
    expect(existsSync(join(root, 'node_modules/left/index.js'))).toBe(true)
    expect(await errorOf(crib, 'own')).toBe('TRUST_UNTRUSTED')
    await (await approvalOf(crib, 'own')).accept()
    expect(await errorOf(crib, 'own')).toBe('ok')
    await write(crib, 'node_modules/left/more.js', 'export default 2\n')
    expect(await errorOf(crib, 'own')).toBe('TRUST_UNTRUSTED')
  })

  it('says nothing as a file of variables', async () => {
    verifies('G7')
    const { crib } = await opened({
      '.ai/.env': '\n',
      '.ai/tools/t/say.yaml': `version: "1.0.0"
tool_type: script
executor_id: rye/core/primitives/subprocess
category: t
description: Says a variable
config_schema: { type: object, properties: {} }
config: { command: echo, args: ["\${GREETING:-none}"] }
`,
    })
    const said = async () => JSON.stringify(await crib.call('t/say', {}))
    expect(await said()).toContain('none')
    await write(crib, '.ai/.env', 'GREETING=planted\n')
    expect(await said()).not.toContain('planted')
    await (await approvalOf(crib, '.ai/.env')).accept()
    expect(await said()).toContain('planted')
  })

  it('takes no name, no part in a chain and no part in a cascade', async () => {
    verifies('G7')
    const { crib, open } = await opened({
      'skills/own.skill.js': skill.replace('planted', 'own'),
      '.ai/tools/t/own.py': rye('mine'),
    })
    // By its place each of these would come first, or stand around every call.
    await write(crib, 'skills/t/own.skill.js', skill)
    await write(crib, 'data/own.json', code('own'))
    await write(
      crib,
      'skills/around.skill.js',
      "export const frontmatter = { description: 'd', metadata: { role: 'middleware' } }\nexport default async (ctx, next) => { await next(); ctx.result = 'planted' }\n",
    )
    const later = await open()
    expect(await later.call('own', {})).toMatchObject({ ok: true, value: 'own' })
    expect(await later.call('t/own', {})).toMatchObject({ ok: true, value: { data: 'mine' } })
  })

  it('stays what it is when a run is undone and the undo is undone', async () => {
    verifies('G7', 'E8')
    const { crib, open, root } = await opened()
    const run = await write(crib, 'data/report.json', code('planted'))
    const { changeSet } = await crib.undo(run)
    expect(existsSync(join(root, 'data/report.json'))).toBe(false)
    await crib.undo(changeSet!)
    expect((await open()).find('planted').state).toBe('unavailable')
  })

  it('is not pinned by a lock of everything, and a copy elsewhere is the person’s own', async () => {
    verifies('G7')
    const { crib, root } = await opened()
    await write(crib, 'data/report.json', code('planted'))
    await crib.reload()
    const { left } = await lockCrib(crib, { programs: false })
    expect(left).toContain('tool-code:planted')
    writeFileSync(join(root, 'crumbs.json'), readFileSync(join(root, 'data/report.json')))
    rmSync(join(root, 'data/report.json'))
    await crib.reload()
    expect(crib.find('planted').problems.map(({ code }) => code)).not.toContain('set-aside')
  })
})

describe.skipIf(!canLayer)('what a tool wrote, over the surfaces', () => {
  it('is refused and accepted on the command line', async () => {
    verifies('G7')
    const { root, env } = effectCrib({ 'crib/toolcrib.yaml': settings })
    const run = (...args: string[]) => toolcrib(args, { cwd: root, env })
    const params = ['--file', 'data/report.json', '--text', code('planted')]
    expect((await run('run', 'write/sh', ...params)).code).toBe(0)
    const refused = await run('run', 'planted', '--json')
    expect(refused.json.error).toMatchObject({
      code: 'TRUST_UNTRUSTED',
      hint: expect.stringContaining('approve'),
    })
    expect((await run('list')).stdout).not.toContain('planted')
    expect((await run('list', '--all')).stdout).toContain('planted')
    expect((await run('why', 'planted')).stdout).toContain('written by write/sh in run')
    expect((await run('check')).stdout).toContain('set-aside')
    const approved = await run('approve', 'planted', '--yes')
    expect(approved.stdout).toContain('pwned')
    expect((await run('run', 'planted', '--json')).json).toMatchObject({ ok: true, value: { pwned: true } })
  }, 60_000)

  it('is refused over HTTP and MCP, also after a restart, and accepted by an admin', async () => {
    verifies('G7', 'E8')
    const { root, env } = effectCrib({ 'crib/toolcrib.yaml': settings })
    const first = await serveProcess(root, [], env)
    const params = { file: 'data/report.json', text: code('planted') }
    expect((await first.ask('POST', '/api/tools/write/sh/call', { params })).body.ok).toBe(true)
    const refused = async ({ ask }: Pick<typeof first, 'ask'>) => {
      const { body } = await ask('POST', '/api/tools/planted/call', { params: {} })
      expect(body.error?.code ?? body.code).toBe('TRUST_UNTRUSTED')
      const mcp = await ask('POST', '/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'planted', arguments: {} },
      })
      expect(JSON.stringify(mcp.body)).not.toContain('pwned')
    }
    await expect
      .poll(async () => (await first.ask('GET', '/api/tools/planted')).status, { timeout: 15_000 })
      .toBe(200)
    await refused(first)
    await first.end('SIGTERM')
    const second = await serveProcess(root, [], env)
    await refused(second)
    expect((await second.ask('POST', '/api/drift/planted/approve', {})).body).toMatchObject({ ok: true })
    const { body } = await second.ask('POST', '/api/tools/planted/call', { params: {} })
    expect(body).toMatchObject({ ok: true, value: { pwned: true } })
  }, 60_000)
})
