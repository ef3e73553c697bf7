// What 0.1.0 did differently from its rules, seen through the surface where a user met it: command line, HTTP, MCP.
import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toolDocument } from '../../src/formats/tool-code/fixture.ts'
import { engines } from '../helpers/fenced.ts'
import { type ServeProcess, serveProcess } from '../helpers/serve-process.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

/** An MCP client of a running server. */
async function clientOf({ url, token }: ServeProcess): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return client
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

/** A skill with one tool that prints its text, and what more its descriptor says. */
const echoSkill = (tool: object = {}, execution: object = {}) => ({
  'skills/say/SKILL.md': '---\nname: say\ndescription: Says things\n---\nSays.\n',
  'skills/say/tools.json': JSON.stringify({
    tools: [{ name: 'say_it', description: 'Says it', parameters: { type: 'object' }, ...tool }],
    allowlist: { echo: [''] },
    execution: [
      {
        tool: 'say_it',
        binary: 'echo',
        subcommand: '',
        args: [{ kind: 'literal', value: 'hello' }],
        ...execution,
      },
    ],
  }),
})

describe('two tools that wait for each other', () => {
  const waiting = (name: string, other: string) =>
    JSON.stringify(
      toolDocument({
        name,
        bootstrap: { enabled: true, mode: 'once', input: { a: 1 }, wait_for: [other] },
      }),
    )
  const files = { 'crumbs/a.json': waiting('a', 'b'), 'crumbs/b.json': waiting('b', 'a') }

  it('are reported by check, and called from the command line', async () => {
    verifies('C11')
    const cwd = tempFolder(files)
    const checked = await toolcrib(['check', '--json'], { cwd })
    expect(checked.json.problems.map(({ code }: { code: string }) => code)).toContain('tc-wait-cycle')
    for (const name of ['a', 'b'])
      expect((await toolcrib(['run', name, '--a', '1', '--json'], { cwd })).json).toMatchObject({
        ok: true,
        value: { sum: 6 },
      })
  })

  it('are called over HTTP and MCP', { timeout: 60_000 }, async () => {
    verifies('C11')
    const served = await serveProcess(tempFolder(files))
    const client = await clientOf(served)
    expect(await namesOf(client)).toEqual(expect.arrayContaining(['a', 'b']))
    for (const name of ['a', 'b']) {
      const answer = await served.ask('POST', `/api/tools/${name}/call`, { params: { a: 1 } })
      expect(answer).toMatchObject({ status: 200, body: { ok: true, value: { sum: 6 } } })
      const result = await client.callTool({ name, arguments: { a: 1 } })
      expect(result).toMatchObject({ structuredContent: { sum: 6 } })
      expect(result.isError).not.toBe(true)
    }
  })
})

describe('a wrong setting of skills', () => {
  const files = { ...echoSkill(), 'toolcrib.yaml': 'skills: { allowScripts: "yes" }\n' }

  it('is the reason that list gives, and export offers nothing of them', async () => {
    verifies('T11')
    const cwd = tempFolder(files)
    const listed = await toolcrib(['list', '--all', '--json'], { cwd })
    const tool = listed.json.tools.find(({ id }: { id: string }) => id === 'say_it')
    expect(tool).toMatchObject({ state: 'unavailable', reason: expect.stringContaining('allowScripts') })
    const exported = await toolcrib(['export', '--as', 'openai'], { cwd })
    expect(exported.code).toBe(0)
    expect(exported.stdout).not.toContain('say_it')
    const ran = await toolcrib(['run', 'say_it', '--json'], { cwd })
    expect(ran.json.error).toMatchObject({ message: expect.stringContaining('allowScripts') })
  })

  it('leaves no server that offers what cannot run', { timeout: 60_000 }, async () => {
    verifies('T11')
    const started = serveProcess(tempFolder(files))
    const served = await started.catch((error: Error) => error)
    if (served instanceof Error) return expect(served.message).toContain('allowScripts')
    const offered = await namesOf(await clientOf(served))
    expect(offered).not.toContain('say_it')
    const { body } = await served.ask('GET', '/api/tools')
    for (const tool of body.tools) expect(tool).not.toMatchObject({ id: 'say_it', state: 'available' })
  })
})

// The fence protects the names of settings and lock; it does not make them to do so.
describe.each(engines)('a crib without settings and lock, behind %s', (engine) => {
  const tool = (body: string) => ({
    'tools/look.sh': `#!/bin/sh\n${body}\n`,
    '.ai/tools/look.yaml': [
      'version: "1.0.0"',
      'tool_type: script',
      'executor_id: subprocess',
      'description: Looks at its folder',
      'config: { command: /bin/sh, args: [tools/look.sh] }',
    ].join('\n'),
  })
  /** The user's own folders lie elsewhere, so that what is here was made by the run. */
  const settings = () => ({ HOME: tempFolder(), TOOLCRIB_SANDBOX_ENGINE: engine })
  const flags = ['--grant', 'shell.execute']
  const seenIn = (folder: string) => readdirSync(folder).filter((name) => name !== '.toolcrib')

  it('has no file that was not there while a tool runs, nor after a kill', { timeout: 120_000 }, async () => {
    const seconds = `${600 + Math.random()}`
    const cwd = tempFolder(tool(`sleep ${seconds}`))
    execFileSync('git', ['init', '-q'], { cwd })
    const before = seenIn(cwd)
    const child = spawn(process.execPath, [cli, 'run', 'look', ...flags], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', TOOLCRIB_TRUST_FOLDER: '1', ...settings() },
      stdio: 'ignore',
    })
    const exit = new Promise((resolve) => child.once('exit', resolve))
    const sleeps = () =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(`sleep ${seconds}`)
    await expect.poll(sleeps, { timeout: 60_000 }).toBe(true)
    expect(seenIn(cwd)).toEqual(before)
    child.kill('SIGKILL')
    await exit
    expect(seenIn(cwd)).toEqual(before)
  })

  it('shows none of them to a tool, nor to its git', { timeout: 60_000 }, async () => {
    const cwd = tempFolder(tool('ls -a .; git status --short'))
    execFileSync('git', ['init', '-q'], { cwd })
    const ran = await toolcrib(['run', 'look', ...flags, '--json'], { cwd, env: settings() })
    expect(ran.json).toMatchObject({ ok: true, enforcement: { layers: expect.arrayContaining([engine]) } })
    expect(ran.json.value.output).toContain('tools')
    expect(ran.json.value.output).toContain('?? ')
    expect(ran.json.value.output).not.toMatch(/toolcrib\.(yaml|lock)/)
  })
})

it('check names a signature line that cannot be read, and one too far down, as verify does', async () => {
  verifies('R69', 'R71')
  const body = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Does nothing"
def execute(params, project_path):
    return {}
`
  const good = `# rye:signed:2026-01-01T00:00:00Z:${'a'.repeat(64)}:${'A'.repeat(86)}:${'0'.repeat(16)}`
  const cwd = tempFolder({
    '.ai/tools/bad.py': `# rye:signed:2026-01-01T00:00:00Z:abc:def:0123\n${body}`,
    '.ai/tools/low.py': `${body}${good}\n`,
  })
  const { json } = await toolcrib(['check', '--json'], { cwd })
  const found = json.problems.filter(({ code }: { code: string }) => code.startsWith('signature-'))
  expect(found).toMatchObject([
    { code: 'signature-malformed', toolId: 'bad', line: 1 },
    { code: 'signature-misplaced', toolId: 'low', line: 8 },
  ])
  for (const [id, reason] of [
    ['bad', 'line 1 looks like a signature but is not one'],
    ['low', 'line 8'],
  ] as const)
    expect((await toolcrib(['verify', id, '--json'], { cwd })).stdout).toContain(reason)
})

describe('export of a tool without description', () => {
  const skill = (): { [path: string]: string } => {
    const files = echoSkill()
    const { tools, ...rest } = JSON.parse(files['skills/say/tools.json'])
    const { description, ...tool } = tools[0]
    return { ...files, 'skills/say/tools.json': JSON.stringify({ tools: [tool], ...rest }) }
  }

  it.each(['openai', 'anthropic', 'ollama', 'ai-sdk', 'gemini', 'mcp'])(
    'leaves it out for %s',
    async (to) => {
      verifies('T50')
      const { stdout, code } = await toolcrib(['export', '--as', to, 'say_it'], { cwd: tempFolder(skill()) })
      expect(code).toBe(0)
      expect(stdout).toContain('say_it')
      // What Gemini cannot be told is said in words of our own, one level down.
      expect(stdout).not.toMatch(/^ {4,6}"description"/m)
    },
  )

  it('has properties for ollama', async () => {
    verifies('T20')
    const { json } = await toolcrib(['export', '--as', 'ollama', 'say_it'], { cwd: tempFolder(skill()) })
    expect(JSON.stringify(json)).toContain('"parameters":{"type":"object","properties":{}')
  })

  it('asks for no parameters for gemini, where there are none', async () => {
    verifies('T20')
    const files = echoSkill({ parameters: undefined })
    const { json } = await toolcrib(['export', '--as', 'gemini', 'say_it'], { cwd: tempFolder(files) })
    expect(JSON.stringify(json)).not.toContain('"parameters"')
  })
})

describe('a hint of a condition', () => {
  const files = echoSkill({}, { hintConditions: [{ match: 'hello', hint: 'seen' }] })
  const expected = 'hello\n\nhint: seen'

  it('stands after one blank line on the command line', async () => {
    verifies('T40')
    const { stdout } = await toolcrib(['run', 'say_it', '-q'], { cwd: tempFolder(files) })
    expect(stdout.trimEnd()).toBe(expected)
  })

  it('stands after one blank line over HTTP and MCP', { timeout: 60_000 }, async () => {
    verifies('T40')
    const served = await serveProcess(tempFolder(files))
    const { body } = await served.ask('POST', '/api/tools/say_it/call', { params: {} })
    expect(body.value).toBe(expected)
    const client = await clientOf(served)
    expect(await client.callTool({ name: 'say_it', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: expected }],
    })
  })
})

it('a tool whose file has gone is gone from a running server, over HTTP and MCP', {
  timeout: 60_000,
}, async () => {
  verifies('C5')
  const root = tempFolder({ 'crumbs/adder.json': JSON.stringify(toolDocument()) })
  const served = await serveProcess(root)
  const client = await clientOf(served)
  expect(await namesOf(client)).toContain('adder')
  rmSync(join(root, 'crumbs/adder.json'))
  await expect.poll(() => namesOf(client), { timeout: 30_000 }).not.toContain('adder')
  const asked = await served.ask('POST', '/api/tools/adder/call', { params: { a: 1 } })
  expect(asked).toMatchObject({ status: 404, body: { code: 'TOOL_NOT_FOUND' } })
  // A new file of that name is a new tool.
  writeFileSync(join(root, 'crumbs/adder.json'), JSON.stringify(toolDocument()))
  await expect.poll(() => namesOf(client), { timeout: 30_000 }).toContain('adder')
})

describe.skipIf(engines.length === 0)('a dry run of a command', () => {
  const files = {
    'toolcrib.yaml': 'skills: { allowScripts: true }\n',
    ...echoSkill(
      { parameters: { type: 'object', properties: { word: { type: 'string' } } } },
      { args: [{ param: 'word', resolveCommand: { script: 'find', args: ['$param'] } }] },
    ),
    'skills/say/scripts/find.sh': 'echo "was here" > left.txt; cat left.txt\n',
  }
  const word = ['say_it', '--word', 'x', '--json']

  it('says of the fence what a run says, and what its resolvers write is thrown away', async () => {
    verifies('T53', 'E1')
    const cwd = tempFolder(files)
    const { json } = await toolcrib(['run', ...word, '--dry-run'], { cwd })
    expect(json.plan).toMatchObject({ argv: ['was here'], resolvers: [{ param: 'word', ran: true }] })
    expect(readdirSync(cwd)).not.toContain('left.txt')
    const ran = await toolcrib(['run', ...word], { cwd })
    expect(ran.json.value).toBe('was here\n')
    expect(json.plan.sandbox.dimensions).toEqual(ran.json.enforcement.dimensions)
  })
})

it.each([
  ['new', ['new', 'skill', 'words']],
  ['tokens', ['tokens', 'list']],
  ['connect', ['connect', 'cursor', '--yes']],
  ['disconnect', ['disconnect', 'cursor', '--yes']],
])('%s names the crib in its JSON', async (_, args) => {
  verifies('G1')
  const cwd = tempFolder()
  if (args[0] === 'disconnect') await toolcrib(['connect', 'cursor', '--yes'], { cwd })
  const { json } = await toolcrib([...args, '--json'], { cwd })
  expect(json).toMatchObject({ root: realpathSync(cwd) })
})

it.each([[[]], [['--json']]])(
  'a result that JSON cannot hold is RESULT_INVALID on the command line, %j',
  async (flags) => {
    verifies('C43')
    const cwd = tempFolder({
      'skills/big.skill.js': `export const frontmatter = { name: 'big', description: 'Big', metadata: { params: { type: 'object' } } }
export default () => ({ n: 1n })
`,
    })
    const ran = await toolcrib(['run', 'big', ...flags], { cwd })
    expect(ran.code).toBe(4)
    expect(`${ran.stdout}${ran.stderr}`).toContain('RESULT_INVALID')
  },
)

describe('what the pages say', () => {
  const page = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

  it('needs no `await using` in a first snippet', () => {
    verifies('D13')
    for (const path of [
      'README.md',
      ...readdirSync(new URL('../../docs', import.meta.url)).map((n) => `docs/${n}`),
    ]) {
      if (!path.endsWith('.md')) continue
      const [, first] = /```(?:ts|js)[^\n]*\n([\s\S]*?)```/.exec(page(path)) ?? []
      expect([path, first ?? '']).not.toEqual([path, expect.stringContaining('await using')])
    }
  })

  it('of .toolcrib and git is so: git ignores the folder from its first moment', async () => {
    verifies('G4')
    const cwd = tempFolder(echoSkill())
    execFileSync('git', ['init', '-q'], { cwd })
    await toolcrib(['run', 'say_it', '-q'], { cwd })
    expect(readdirSync(cwd)).toContain('.toolcrib')
    const status = execFileSync('git', ['status', '--short', '--untracked-files=all'], {
      cwd,
      encoding: 'utf8',
    })
    expect(status).not.toContain('.toolcrib')
  })

  it.skipIf(engines.length === 0)('of the fence in README is so, for code skills too', async () => {
    verifies('G13', 'G14')
    const sentence = page('README.md').split('## What is fenced on which system')[1]!.split('\n## ')[0]!
    expect(sentence).toContain('skills.host: never')
    const files = {
      'skills/peek.skill.mjs': `import { readdirSync } from 'node:fs'
export const frontmatter = { name: 'peek', description: 'Peeks', metadata: { params: { type: 'object' } } }
export default () => readdirSync('.toolcrib')
`,
    }
    const layers = async (env: Record<string, string>, settings = '') => {
      const cwd = tempFolder({ ...files, ...(settings ? { 'toolcrib.yaml': settings } : {}) })
      const { json } = await toolcrib(['run', 'peek', '--json'], { cwd, env })
      return [json.enforcement.layers[0], json.value.length]
    }
    // What nobody vouches for is fenced and sees no state; what somebody vouches for is inside, unless told otherwise.
    expect(await layers({ TOOLCRIB_TRUST_FOLDER: '0' })).toEqual([engines[0], 0])
    expect(await layers({})).toEqual(['in-process', expect.any(Number)])
    expect(await layers({}, 'skills: { host: never }\n')).toEqual([engines[0], 0])
  })
})
