// The source document's minimal example, end to end: a crib, the kernel with all its guards, the fence of this
// machine, and a program on PATH.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Crib, type CribOptions, openCrib } from '../../src/crib/open-crib.ts'
import { skillContext } from '../../src/formats/tools-json/context.ts'
import type { SkillFacts } from '../../src/formats/tools-json/facts.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const descriptor = {
  tools: [
    {
      name: 'notesmd_cli_search',
      description: 'Search notes by name.',
      parameters: {
        type: 'object',
        required: ['query'],
        properties: { query: { type: 'string', description: 'Search query for note names' } },
      },
    },
  ],
  allowlist: { 'notesmd-cli': ['search', 'search-content', 'create', 'daily', 'print', 'print-default'] },
  execution: [
    {
      tool: 'notesmd_cli_search',
      binary: 'notesmd-cli',
      subcommand: 'search',
      args: [{ param: 'query', kind: 'positional' }],
    },
  ],
}
const skillText =
  '---\nname: notesmd-cli\ndescription: Notes by name\nmetadata: {requires: {bins: [notesmd-cli]}}\n---\n\n# Notes\n'
const printsArguments = 'for arg in "$@"; do printf "%s\\n" "$arg"; done'

let root: string
let bin: string
let started: string

beforeEach(() => {
  root = tempFolder({
    'skills/notesmd-cli/SKILL.md': skillText,
    'skills/notesmd-cli/tools.json': JSON.stringify(descriptor, null, 2),
  })
  bin = join(tempFolder(), 'bin')
  mkdirSync(bin)
  started = join(root, 'started')
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`)
  vi.stubEnv('HOME', join(root, 'home'))
  onTestFinished(() => void vi.unstubAllEnvs())
  stub(printsArguments)
})

function stub(body: string): void {
  const file = join(bin, 'notesmd-cli')
  writeFileSync(file, `#!/bin/sh\necho $$ > ${started}\n${body}\n`)
  chmodSync(file, 0o755)
}

async function open(options: CribOptions = {}): Promise<Crib> {
  const crib = await openCrib({ root, ...options })
  onTestFinished(() => crib.close())
  return crib
}

const write = (changes: object) =>
  writeFileSync(join(root, 'skills/notesmd-cli/tools.json'), JSON.stringify({ ...descriptor, ...changes }))
const skillsOf = (crib: Crib) => crib.catalog.factsOf('tools-json') as unknown as SkillFacts[]
const search = 'notesmd_cli_search'

describe('the minimal example', () => {
  it('checks without a problem: one available skill, one tool', async () => {
    verifies('T-A1')
    const crib = await open()
    expect((await crib.check()).problems).toEqual([])
    expect(skillsOf(crib)).toMatchObject([{ id: 'notesmd-cli', state: 'available' }])
    expect(crib.list({ format: 'tools-json' }).map((tool) => tool.id)).toEqual([search])
  })

  it('runs the command with its argument as one entry', async () => {
    verifies('T-A2')
    const outcome = await (await open()).call(search, { query: 'daily plan' })
    expect(outcome).toMatchObject({
      ok: true,
      value: 'search\ndaily plan\n',
      meta: { exitCode: 0, resolvedBinary: join(bin, 'notesmd-cli') },
    })
  })

  it.each([[{}], [{ query: 'x', extra: 1 }]])('refuses %j before anything starts', async (params) => {
    verifies('T-A3')
    expect(await (await open()).call(search, params)).toMatchObject({
      ok: false,
      error: { code: 'PARAMS_INVALID' },
    })
    expect(existsSync(started)).toBe(false)
  })

  it('refuses a value that would be an option', async () => {
    verifies('T-A4')
    expect(await (await open()).call(search, { query: '--vault=/x' })).toMatchObject({
      ok: false,
      error: { code: 'COMMAND_ARG_REFUSED' },
    })
    expect(existsSync(started)).toBe(false)
  })

  it('passes shell syntax on as text', async () => {
    verifies('T-A5')
    const outcome = await (await open()).call(search, { query: '$(touch pwned)' })
    expect(outcome).toMatchObject({ ok: true, value: 'search\n$(touch pwned)\n' })
    expect(existsSync(join(root, 'pwned'))).toBe(false)
  })

  it('tells in a dry run what would run, and leaves no trace', async () => {
    verifies('T-A6', 'T53')
    const ran = await toolcrib(['run', search, '--params', '{"query":"daily plan"}', '--dry-run', '--json'], {
      cwd: root,
      env: { PATH: process.env['PATH']! },
    })
    expect(ran.json).toMatchObject({
      ok: true,
      dryRun: true,
      tool: search,
      runtime: 'command',
      plan: {
        binary: 'notesmd-cli',
        resolvedBinary: join(bin, 'notesmd-cli'),
        argv: ['search', 'daily plan'],
        cwd: root,
        stdin: null,
        resolvers: [],
        warnings: [],
      },
    })
    expect(ran.json.plan.env).toContain('PATH')
    expect(existsSync(started)).toBe(false)
  })

  it("shows the command nothing of the caller's environment", async () => {
    verifies('T-A7')
    vi.stubEnv('MY_SECRET', 'swordfish')
    stub('env')
    const outcome = await (await open()).call(search, { query: 'x' })
    expect(outcome).toMatchObject({ ok: true, value: expect.stringContaining('PATH=') })
    expect(JSON.stringify(outcome)).not.toContain('swordfish')
  })

  it('is invalid when the subcommand leaves the allowlist', async () => {
    verifies('T-A8', 'T18', 'T49')
    write({ allowlist: { 'notesmd-cli': ['create'] } })
    const crib = await open()
    expect((await crib.check()).problems).toMatchObject([
      { code: 'subcommand-not-allowlisted', severity: 'error' },
    ])
    expect(await crib.call(search, { query: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'TOOL_INVALID', message: expect.stringContaining('subcommand-not-allowlisted') },
    })
    expect(crib.list({ format: 'tools-json' })).toEqual([])
    expect(existsSync(started)).toBe(false)
  })

  it('is unavailable when the program is not on PATH, and back when it is', async () => {
    verifies('T-A9', 'T8', 'T9', 'T49')
    vi.stubEnv('PATH', '/usr/bin:/bin')
    const crib = await open()
    expect(skillsOf(crib)).toMatchObject([
      { state: 'unavailable', reason: expect.stringContaining('notesmd-cli') },
    ])
    expect(crib.find(search)).toMatchObject({
      state: 'unavailable',
      reason: expect.stringContaining('notesmd-cli'),
    })
    expect(await crib.call(search, { query: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'COMMAND_NOT_FOUND', message: expect.stringContaining('notesmd-cli') },
    })
    vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`)
    expect(await (await open()).call(search, { query: 'x' })).toMatchObject({ ok: true })
  })

  it('fails with the exit code and what the program said', async () => {
    verifies('T-A10')
    stub('echo boom >&2; exit 3')
    const outcome = await (await open()).call(search, { query: 'x' })
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'COMMAND_FAILED', message: expect.stringMatching(/3.*boom/) },
      meta: { exitCode: 3 },
    })
  })

  it('is stopped in time, and nothing of its group is left', async () => {
    verifies('T-A11')
    stub('sleep 987 & sleep 987')
    write({ execution: [{ ...descriptor.execution[0], timeoutMs: 500 }] })
    expect(await (await open()).call(search, { query: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'TIMEOUT' },
    })
    await vi.waitFor(
      () => expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain('sleep 987'),
      3000,
    )
  })

  it('may flood both streams', async () => {
    verifies('T-A12')
    stub('head -c 3145728 /dev/zero | tr "\\0" x; head -c 3145728 /dev/zero | tr "\\0" y >&2')
    const outcome = await (await open()).call(search, { query: 'x' })
    expect(outcome).toMatchObject({
      ok: true,
      meta: { exitCode: 0, truncated: { stdout: true, stderr: true } },
    })
    expect(outcome.ok && String(outcome.value).length).toBeLessThan(1_048_576 + 200)
  })

  it('keeps its text as context when tools.json is broken', async () => {
    verifies('T-A13')
    const file = join(root, 'skills/notesmd-cli/tools.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\}\s*$/, ''))
    const crib = await open()
    const lines = readFileSync(file, 'utf8').split('\n').length
    expect((await crib.check()).problems).toMatchObject([
      { code: 'descriptor-parse', severity: 'error', file, line: lines, column: expect.any(Number) },
    ])
    expect(skillContext(skillsOf(crib), 'full')).toContain('# Notes')
  })

  it('works the same in three files', async () => {
    verifies('T-A14')
    for (const [name, part] of [
      ['tools.json', descriptor.tools],
      ['allowlist.json', descriptor.allowlist],
      ['execution.json', descriptor.execution],
    ] as const)
      writeFileSync(join(root, 'skills/notesmd-cli', name), JSON.stringify(part))
    const crib = await open()
    expect((await crib.check()).problems).toEqual([])
    expect(crib.list({ format: 'tools-json' }).map((tool) => tool.id)).toEqual([search])
    expect(await crib.call(search, { query: 'daily plan' })).toMatchObject({
      ok: true,
      value: 'search\ndaily plan\n',
    })
  })
})

describe('a crib', () => {
  it("refuses a broken skill's tools and a disabled skill's", async () => {
    verifies('T9', 'T10', 'T49')
    writeFileSync(join(root, 'skills/notesmd-cli/SKILL.md'), '---\nname: [\n---\n')
    const broken = await open()
    expect(await broken.call(search, { query: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'TOOL_INVALID' },
    })
    expect(await broken.why(search)).toMatchObject([
      { code: 'TOOL_INVALID', message: expect.stringContaining('frontmatter of its SKILL.md is broken') },
      { code: 'invalid', message: expect.stringContaining('frontmatter of its SKILL.md is broken') },
    ])
    const crib = await open({ config: { skills: { disabled: ['notesmd-cli'] } } })
    expect(await crib.call(`tools-json:notesmd-cli/${search}`, { query: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'TOOL_NOT_ALLOWED' },
    })
    expect(await crib.call(search, { query: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'TOOL_NOT_FOUND' },
    })
  })

  it('reads no skill to a model that is disabled, gated or broken', async () => {
    verifies('T9', 'T51')
    const other = (id: string, metadata: string) => {
      mkdirSync(join(root, 'skills', id))
      writeFileSync(
        join(root, 'skills', id, 'SKILL.md'),
        `---\nname: ${id}\ndescription: d\nmetadata: ${metadata}\n---\nThe text of ${id}\n`,
      )
    }
    other('off', '{}')
    other('open', '{requires: {bins: [sh]}}')
    other('gated', '{requires: {bins: [no-such-program]}}')
    other('unclear', '{requires: {bins: sh}}')
    const crib = await open({ config: { skills: { contextMode: 'readOnDemand', disabled: ['off'] } } })
    const read = (name: string) => crib.call('read_skill', { skill_name: name })
    expect(await read('open')).toMatchObject({ ok: true, value: 'The text of open\n' })
    for (const name of ['off', 'gated', 'unclear'])
      expect(await read(name)).toMatchObject({ ok: false, error: { code: 'PARAMS_INVALID' } })
    const states = ['open', 'off', 'gated', 'unclear'].map((name) => crib.find(`skill:${name}`).state)
    expect(states).toEqual(['available', 'disabled', 'unavailable', 'invalid'])
  })

  it('says why a tool cannot be called whose program nobody asked for beforehand', async () => {
    writeFileSync(join(root, 'skills/notesmd-cli/SKILL.md'), skillText.replace(/metadata.*\n/, ''))
    rmSync(join(bin, 'notesmd-cli'))
    const crib = await open()
    expect(await crib.why(search)).toEqual([
      expect.objectContaining({
        code: 'COMMAND_NOT_FOUND',
        message: expect.stringContaining('"notesmd-cli" was not found'),
      }),
    ])
  })

  it('says to a person, too, that the skill of a tool is disabled', async () => {
    verifies('T10')
    const crib = await open({ config: { skills: { disabled: ['notesmd-cli'] } } })
    await expect(crib.resolve(`tools-json:notesmd-cli/${search}`)).rejects.toMatchObject({
      code: 'TOOL_NOT_ALLOWED',
      hint: expect.stringContaining('skills.disabled'),
    })
    expect(await crib.why(`tools-json:notesmd-cli/${search}`)).toMatchObject([
      { code: 'TOOL_NOT_ALLOWED', message: expect.stringContaining('disabled') },
    ])
    expect(await crib.why('notesmd-cli')).toContainEqual(
      expect.objectContaining({ code: 'disabled', message: expect.stringMatching(/skills\.disabled\.$/) }),
    )
  })

  it('reaches both tools of one name as tools-json:skill/tool', async () => {
    verifies('T18')
    mkdirSync(join(root, 'skills/second'))
    writeFileSync(join(root, 'skills/second/SKILL.md'), '---\nname: second\ndescription: d\n---\n')
    writeFileSync(
      join(root, 'skills/second/tools.json'),
      JSON.stringify({ ...descriptor, execution: [{ ...descriptor.execution[0], subcommand: 'create' }] }),
    )
    const crib = await open()
    const value = async (ref: string) => ((await crib.call(ref, { query: 'x' })) as { value?: unknown }).value
    expect(await value(search)).toBe('search\nx\n')
    expect(await value(`tools-json:notesmd-cli/${search}`)).toBe('search\nx\n')
    expect(await value(`tools-json:second/${search}`)).toBe('create\nx\n')
  })

  it.each([
    { directory: 5 },
    { extraDirs: 'x' },
    { disabled: 'x' },
    { enabled: 'x' },
    { allowScripts: 'yes' },
    { contextMode: 'some' },
    { env: 'x' },
    { timeoutMs: '60' },
    { maxOutputBytes: 0.5 },
  ])('with the setting %j runs no skill', async (skills) => {
    verifies('T11')
    writeFileSync(join(root, 'toolcrib.yaml'), JSON.stringify({ skills }))
    const crib = await open()
    expect((await crib.check()).problems).toContainEqual(
      expect.objectContaining({ code: 'skills-config-invalid', severity: 'error' }),
    )
    expect(await crib.call(search, { query: 'x' })).toMatchObject({ ok: false })
    expect(existsSync(started)).toBe(false)
  })

  it('finds skills in the configured folders, lowest last, and misses those that are not there', async () => {
    verifies('T3', 'T5', 'T11')
    const extra = tempFolder({
      'far/SKILL.md': '---\nname: far\ndescription: d\n---\n',
      'notesmd-cli/SKILL.md': skillText,
    })
    mkdirSync(join(root, 'more/near'), { recursive: true })
    writeFileSync(join(root, 'more/near/SKILL.md'), '---\nname: near\ndescription: d\n---\n')
    mkdirSync(join(root, 'home/.ai/skills/mine'), { recursive: true })
    writeFileSync(join(root, 'home/.ai/skills/mine/SKILL.md'), '---\nname: mine\ndescription: d\n---\n')
    writeFileSync(
      join(root, 'toolcrib.yaml'),
      JSON.stringify({ skills: { directory: 'more', extraDirs: [extra, 'no-such-folder'] } }),
    )
    const crib = await open()
    expect(skillsOf(crib).map(({ id, state }) => [id, state])).toEqual([
      ['notesmd-cli', 'available'],
      ['near', 'available'],
      ['mine', 'available'],
      ['far', 'available'],
      ['notesmd-cli', 'shadowed'],
    ])
    const codes = (await crib.check()).problems.map((problem) => `${problem.severity} ${problem.code}`)
    expect(codes).toContain('warning skill-root-missing')
    expect(codes).toContain('warning skill-shadowed')
  })

  it('takes a linked skill root for the same skills, without a problem', async () => {
    verifies('T4')
    mkdirSync(join(root, '.claude'))
    symlinkSync('../skills', join(root, '.claude/skills'))
    const crib = await open()
    expect((await crib.check()).problems).toEqual([])
    expect(skillsOf(crib)).toHaveLength(1)
  })

  it('finds a skill that is linked from where it is kept', async () => {
    verifies('T1')
    mkdirSync(join(root, 'vendor/kept'), { recursive: true })
    writeFileSync(join(root, 'vendor/kept/SKILL.md'), '---\nname: kept\ndescription: d\n---\n')
    symlinkSync('../vendor/kept', join(root, 'skills/kept'))
    const crib = await open()
    expect((await crib.check()).problems).toEqual([])
    expect(skillsOf(crib).map((skill) => skill.id)).toEqual(['kept', 'notesmd-cli'])
  })

  it('answers read_skill in readOnDemand mode', async () => {
    verifies('T51')
    const crib = await open({ config: { skills: { contextMode: 'readOnDemand' } } })
    expect(await crib.call('read_skill', { skill_name: 'notesmd-cli' })).toMatchObject({
      ok: true,
      value: '# Notes\n',
    })
    for (const params of [{}, { skill_name: 'other' }])
      expect(await crib.call('read_skill', params)).toMatchObject({
        ok: false,
        error: { code: 'PARAMS_INVALID' },
      })
  })

  it("reports a descriptor and a SKILL.md that are no text in the format's own words", async () => {
    verifies('T5', 'T14')
    writeFileSync(join(root, 'skills/notesmd-cli/tools.json'), Buffer.from([0x7b, 0xff, 0x7d]))
    expect((await (await open()).check()).problems).toMatchObject([
      { code: 'descriptor-parse', line: 1, column: 1 },
    ])
    write({})
    writeFileSync(join(root, 'skills/notesmd-cli/SKILL.md'), Buffer.from([0xff]))
    expect((await (await open()).check()).problems.map((problem) => problem.code)).toContain(
      'skill-unreadable',
    )
  })
})
