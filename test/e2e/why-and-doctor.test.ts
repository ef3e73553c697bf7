// `why` and `doctor` through the built program: every reason a tool may be out of reach, and what to do.
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'

const yamlTool = (id: string, more = '') =>
  `tool_id: ${id}\ntool_type: script\nversion: "1.0.0"\ncategory: ""\ndescription: says a word\nexecutor_id: subprocess\nconfig:\n  command: echo\n  args: [word]\n${more}`
const codes = (json: { findings: { code: string }[] }) => json.findings.map(({ code }) => code)

describe('why', () => {
  it('says that a capability is not granted and which line grants it', async () => {
    const { json } = await toolcrib(['why', 'rye/web/fetch', '--json'], { cwd: tempFolder() })
    expect(codes(json)).toEqual(['CAPABILITY_DENIED'])
    expect(json.findings[0].hint).toContain('grants: { tools: { "rye/web/fetch": [net.http] } }')
  })

  it('says that trust refuses an unsigned tool', async () => {
    const cwd = tempFolder({ 'toolcrib.yaml': 'trust: require\n', '.ai/tools/word.yaml': yamlTool('word') })
    const { json } = await toolcrib(['why', 'word', '--json'], { cwd })
    expect(codes(json)).toEqual(['TRUST_UNSIGNED'])
  })

  it('says that a person must approve it, and that it can be called once one has', async () => {
    const cwd = tempFolder({ 'toolcrib.yaml': 'approve: ["wo*"]\n', '.ai/tools/word.yaml': yamlTool('word') })
    // Nobody can be asked without a terminal, as in `run`.
    const { json } = await toolcrib(['why', 'word', '--json'], { cwd })
    expect(codes(json)).toEqual(['APPROVAL_DENIED'])
    const approved = await toolcrib(['why', 'word', '--json', '--yes'], { cwd })
    expect(codes(approved.json)).toEqual(['approval', 'fine'])
  })

  it('says which tool hides another', async () => {
    const cwd = tempFolder({
      '.ai/tools/word.yaml': yamlTool('word'),
      'skills/word.skill.js':
        "export const frontmatter = { name: 'word', description: 'says a word' }\nexport default () => 'word'\n",
    })
    const { json } = await toolcrib(['why', 'rye:word', '--json'], { cwd })
    expect(codes(json)).toContain('shadowed')
    expect(json.findings.find((each: { code: string }) => each.code === 'shadowed').message).toContain(
      'word.skill.js',
    )
  })

  it('says which program a gated tool misses', async () => {
    const cwd = tempFolder({
      'skills/odd/SKILL.md':
        '---\nname: odd\ndescription: needs a program\nmetadata:\n  requires:\n    bins: [no-such-program]\n---\nhello\n',
      'skills/odd/tools.json': JSON.stringify({
        tools: [{ name: 'odd_go', description: 'goes', parameters: { type: 'object', properties: {} } }],
        allowlist: { 'no-such-program': [''] },
        execution: [{ tool: 'odd_go', binary: 'no-such-program', subcommand: '', args: [] }],
      }),
    })
    const { stdout } = await toolcrib(['why', 'odd_go'], { cwd })
    expect(stdout).toContain('no-such-program')
  })

  it('says that an entry is no callable tool', async () => {
    const { json } = await toolcrib(['why', 'rye/core/runtimes/node/node', '--json'], { cwd: tempFolder() })
    expect(codes(json)).toEqual(['TOOL_NOT_CALLABLE', 'not-callable-kind'])
  })

  it('tells where the time of the last runs went', async () => {
    const cwd = tempFolder({
      '.ai/tools/word.yaml': yamlTool('word').replace('echo', 'sleep').replace('word]', '"1.1"]'),
    })
    await toolcrib(['run', 'word'], { cwd })
    const { json } = await toolcrib(['why', 'word', '--json'], { cwd })
    expect(codes(json)).toEqual(['fine', 'slow'])
    expect(json.findings[1].message).toMatch(/its last run: \d+% execute/)
  })
})

describe('doctor', () => {
  it('answers for every part, with the command that fixes what is missing', async () => {
    const { json } = await toolcrib(['doctor', '--json'], {
      cwd: tempFolder({ 'toolcrib.yaml': 'serve: { port: 0 }\n' }),
    })
    const names = json.checks.map((check: { name: string }) => check.name)
    for (const name of [
      'node',
      'deno',
      'python',
      'container engine',
      'git',
      'models',
      'store',
      'keys',
      'port',
      'fence: bubblewrap',
      'fence: cgroup',
      'crib',
    ])
      expect(names).toContain(name)
    for (const check of json.checks) if (!check.ok) expect(check.fix).toMatch(/\S/)
  })

  it('names who holds the port', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const { json } = await toolcrib(['doctor', '--json'], {
      cwd: tempFolder({ 'toolcrib.yaml': `serve: { port: ${port} }\n` }),
    })
    const check = json.checks.find(({ name }: { name: string }) => name === 'port')
    expect(check).toMatchObject({ ok: false, fix: 'toolcrib serve --port 0' })
    expect(check.detail).toContain('in use')
  })

  it('says what a configured model lacks', async () => {
    const cwd = tempFolder({
      'toolcrib.yaml':
        'models:\n  default: { provider: anthropic, model: m, apiKey: "env://NO_SUCH_KEY" }\n  local: { provider: ollama, model: l, baseURL: "http://127.0.0.1:9" }\n',
    })
    const { json } = await toolcrib(['doctor', '--json'], { cwd })
    const model = (name: string) =>
      json.checks.find((check: { name: string }) => check.name === `model: ${name}`)
    expect(model('default')).toMatchObject({ ok: false, fix: 'export NO_SUCH_KEY=…' })
    expect(model('local')).toMatchObject({ ok: false, fix: 'ollama serve' })
  })

  it('does not take a broken store for a working one', async () => {
    const cwd = tempFolder({
      'toolcrib.yaml': 'store: broken.db\n',
      'broken.db': 'this is no database at all, only text',
    })
    const { json } = await toolcrib(['doctor', '--json'], { cwd })
    expect(json.checks.find(({ name }: { name: string }) => name === 'store')).toMatchObject({
      ok: false,
      fix: expect.stringContaining(join(cwd, 'broken.db')),
    })
  })
})
