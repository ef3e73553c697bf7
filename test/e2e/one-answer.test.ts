// May this call go on? A call, a dry run, `crib.refusals` and `why` have one answer, whatever refuses.
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallCribOptions, Crib } from '../../src/crib/crib.ts'
import { openCrib } from '../../src/crib/open-crib.ts'
import { Call } from '../../src/kernel/call.ts'
import { lockCrib } from '../../src/surfaces/trust/lock-crib.ts'
import { sha256 } from '../../src/tool/json.ts'
import { libraryPrincipal, makePrincipal } from '../../src/tool/principal.ts'
import { makeTool, type Tool } from '../../src/tool/tool.ts'
import { newKey } from '../../src/trust/keys.ts'
import { signText } from '../../src/trust/sign-file.ts'
import { createSigningKey, loadSigningKey } from '../../src/trust/signing-key.ts'
import { tempFolder } from '../helpers/temp-folder.ts'

interface Case {
  readonly code: string
  readonly files?: { readonly [path: string]: string }
  readonly config?: { readonly [key: string]: unknown }
  /** The tool that is called; default `job`. */
  readonly ref?: string
  readonly params?: unknown
  readonly options?: CallCribOptions
  /** Fields of a tool made in code. */
  readonly tool?: Partial<Tool>
  /** What happens to the crib before it is asked. */
  readonly before?: (crib: Crib) => unknown
  /** The rule by which a dry run answers otherwise. */
  readonly dryRunPasses?: 'T53'
}

const params = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
const skill = (metadata: object, body = 'return 1') =>
  `export const frontmatter = ${JSON.stringify({ description: 'd', metadata: { params: { type: 'object' }, ...metadata } })}\nexport default () => { ${body} }\n`
const inFile = { 'skills/job.skill.js': skill({}) }
const bySkill = (head: string) =>
  `---\nname: job\ndescription: d\nmetadata:\n  params: { type: object }\n${head}---\nDo it.\n`
const command = (binary: string) => ({
  'skills/notes/SKILL.md': '---\nname: notes\ndescription: d\n---\nhello\n',
  'skills/notes/tools.json': JSON.stringify({
    tools: [
      {
        name: 'job',
        description: 'd',
        parameters: { type: 'object', properties: { p: { type: 'string' } } },
      },
    ],
    allowlist: { [binary]: [''] },
    execution: [{ tool: 'job', binary, subcommand: '', args: [{ param: 'p', kind: 'positional' }] }],
  }),
})

function sign(crib: Crib, by: 'stranger' | 'user', change = ''): void {
  const file = join(crib.root, 'skills/job.skill.js')
  const folder = join(crib.root, 'keys')
  mkdirSync(folder, { recursive: true })
  if (by === 'user') newKey(crib.trust, folder, 'Ada')
  else createSigningKey(folder)
  const signed = signText(
    'job.skill.js',
    readFileSync(file, 'utf8'),
    loadSigningKey(folder),
    '2026-01-02T03:04:05Z',
  )
  writeFileSync(file, signed + change)
}

/** A call inside 64 others. */
function deep(): CallCribOptions {
  const principal = makePrincipal({ surface: 'cli' })
  const tool = makeTool({ id: 'a', format: 'builtin', tier: 'project', source: { file: null, digest: '' } })
  let parent: Call | undefined
  for (let depth = 0; depth <= 64; depth++)
    parent = new Call({ id: 'a', tool, args: {}, options: parent ? { principal, parent } : { principal } })
  return { parent } as CallCribOptions
}

const cases: { readonly [name: string]: Case } = {
  'no such tool': { code: 'TOOL_NOT_FOUND', ref: 'jobs' },
  'a broken configuration': {
    code: 'CONFIG_INVALID',
    files: { ...inFile, 'toolcrib.yaml': 'trust: perhaps\n' },
  },
  'a kind that cannot be called': { code: 'TOOL_NOT_CALLABLE', tool: { kind: 'runtime' } },
  'a definition with an error': {
    code: 'TOOL_INVALID',
    tool: {
      state: 'invalid',
      problems: [{ code: 'missing-field', severity: 'error', message: 'no version', hint: 'Add one.' }],
    },
  },
  'a chain that leads nowhere': {
    code: 'CHAIN_INVALID',
    tool: {
      state: 'invalid',
      problems: [{ code: 'chain-cycle', severity: 'error', message: 'a -> b -> a', hint: 'Break it.' }],
    },
  },
  'a tool that is switched off': { code: 'TOOL_NOT_ALLOWED', tool: { state: 'disabled' } },
  'a skill that is switched off': {
    code: 'TOOL_DENIED',
    files: inFile,
    config: { skills: { disabled: ['job'] } },
    ref: 'skill:job',
  },
  'a tool in quarantine': { code: 'TRUST_DRIFT', tool: { state: 'quarantined' } },
  'a runtime that is missing': { code: 'RUNTIME_MISSING', tool: { state: 'unavailable', reason: 'no deno' } },
  'programs its skill needs': {
    code: 'COMMAND_NOT_FOUND',
    tool: { state: 'unavailable', reason: 'no such-program', needsBins: [['such-program']] },
  },
  'a program that is not here': {
    code: 'COMMAND_NOT_FOUND',
    files: command('no-such-program'),
    params: { p: 'x' },
    dryRunPasses: 'T53',
  },
  'an argument that is an option': {
    code: 'COMMAND_ARG_REFUSED',
    files: command('true'),
    params: { p: '--force' },
  },
  'an unsigned tool': { code: 'TRUST_UNSIGNED', files: inFile, config: { trust: 'require' } },
  'a tool signed by a stranger': {
    code: 'TRUST_UNTRUSTED',
    files: inFile,
    config: { trust: 'require' },
    before: (crib) => sign(crib, 'stranger'),
  },
  'a tool changed after signing': {
    code: 'TRUST_TAMPERED',
    files: inFile,
    before: (crib) => sign(crib, 'user', '// changed\n'),
  },
  'middleware that is not signed by a friend': {
    code: 'TRUST_UNSIGNED',
    files: {
      'skills/mw.skill.js': skill({ role: 'middleware' }),
      'skills/job.skill.js': skill({ mw: null }),
    },
    config: { trust: 'require' },
    before: (crib) => sign(crib, 'user'),
  },
  'a tool that differs from the lock': {
    code: 'TRUST_DRIFT',
    files: inFile,
    before: async (crib) => {
      await lockCrib(crib, { programs: true })
      writeFileSync(join(crib.root, 'skills/job.skill.js'), skill({}, 'return 2'))
      await crib.reload()
    },
  },
  'levels that contradict each other': {
    code: 'CASCADE_INVALID',
    files: { 'skills/job.skill.js': skill({ $inherit: 'nobody' }) },
  },
  'a capability that nobody granted': { code: 'CAPABILITY_DENIED', tool: { requires: ['net.http'] } },
  'a capability that the token lacks': {
    code: 'CAPABILITY_DENIED',
    tool: { requires: ['fs.write'] },
    options: { principal: makePrincipal({ surface: 'http', grants: ['fs.read'] }) },
  },
  'a list that does not name it': {
    code: 'TOOL_DENIED',
    tool: {},
    options: { principal: makePrincipal({ surface: 'http', allowedTools: 'other' }) },
  },
  'a list that binds its arguments': {
    code: 'TOOL_DENIED',
    tool: { params },
    params: { n: 2 },
    options: { principal: makePrincipal({ surface: 'http', allowedTools: 'job(n=1)' }) },
  },
  'a hidden skill, from outside': {
    code: 'TOOL_NOT_FOUND',
    files: { 'skills/job.skill.js': skill({ visibility: 'hidden' }) },
    options: { principal: makePrincipal({ surface: 'mcp' }) },
  },
  'a crib that was stopped': {
    code: 'HALTED',
    files: inFile,
    before: (crib) => crib.halt.set('ada'),
  },
  'a file that a tool wrote': {
    code: 'TRUST_UNTRUSTED',
    files: inFile,
    before: (crib) =>
      crib.setAside.note(
        [
          {
            path: realpathSync(join(crib.root, 'skills/job.skill.js')),
            content: sha256(inFile['skills/job.skill.js']),
          },
        ],
        { tool: 'writer', run: 'r1' },
      ),
  },
  'secrets without their key': {
    code: 'SECRETS_KEY_MISSING',
    tool: { secrets: ['ANY'] },
    before: async ({ root, spaces }) => {
      const earlier = await openCrib({ root, env: { HOME: root }, cache: false })
      await (await earlier.crumbs.open()).secrets.set('ANY', 'value', libraryPrincipal)
      await earlier.close()
      writeFileSync(join(spaces.userConfig, 'secrets.key'), 'x')
    },
  },
  'calls in a circle': { code: 'DEPTH_EXCEEDED', tool: {}, options: deep() },
  'parameters of the wrong type': { code: 'PARAMS_INVALID', tool: { params }, params: { n: 'one' } },
  'parameters where it takes none': { code: 'PARAMS_INVALID', tool: {}, params: { a: 1 } },
  'a secret that is missing': { code: 'SECRET_MISSING', tool: { secrets: ['NO_SUCH_SECRET'] } },
  'a person who cannot be asked': { code: 'APPROVAL_DENIED', tool: {}, config: { approve: ['job'] } },
  'a delegate that leads nowhere': {
    code: 'TOOL_NOT_FOUND',
    files: { 'skills/job.skill.js': skill({ delegate: 'nobody' }) },
  },
  'a delegate that its own list forbids': {
    code: 'TOOL_DENIED',
    files: {
      'skills/other.skill.js': skill({}),
      'skills/job.skill.md': bySkill('  delegate: other\nallowed-tools: nothing\n'),
    },
  },
  'a delegate that is no reference': {
    code: 'REF_INVALID',
    files: { 'skills/job.skill.js': skill({ delegate: 7 }) },
  },
  'no model for a skill in words': { code: 'MODEL_MISSING', files: { 'skills/job.skill.md': bySkill('') } },
}

/** Problems under whose own code a run ends, and those that are summed up. */
const problemCodes = [
  ...['CASCADE_INVALID', 'LOAD_FAILED', 'LOAD_TIMEOUT', 'SANDBOX_UNAVAILABLE'],
  ...['TRUST_UNSIGNED', 'TRUST_UNTRUSTED', 'TRUST_TAMPERED', 'TRUST_DRIFT'],
]
const ofProblems = Object.fromEntries(
  problemCodes.map((code): [string, Case] => [
    `a definition with the problem ${code}`,
    { code, tool: { problems: [{ code, severity: 'error', message: 'no', hint: 'Fix it.' }] } },
  ]),
)

const all = Object.entries({ ...cases, ...ofProblems })

/** Where a check names its codes, and what it asks that may throw. */
const namers = [
  ...readdirSync('src/guards/checks')
    .filter((name) => !name.endsWith('.test.ts'))
    .map((name) => `src/guards/checks/${name}`),
  'src/guards/skills/delegate.ts',
  'src/secrets/secrets-of-call.ts',
  'src/kernel/kernel.ts',
]
/** The kernel's own words for a call that began. */
const notOfChecks = ['CANCELLED', 'TOOL_FAILED']
const codes = new Set(
  namers.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g)].map(([, code]) => code!),
  ),
)

it.each([...codes].filter((code) => !notOfChecks.includes(code)))('has a case for %s', (code) => {
  expect(all.map(([, given]) => given.code)).toContain(code)
})

async function opened({ files, config = {}, tool, before }: Case): Promise<{ crib: Crib; made?: Tool }> {
  const root = tempFolder(files ?? {})
  const crib = await openCrib({ root, config, env: { HOME: root, PATH: process.env['PATH'] }, cache: false })
  onTestFinished(() => crib.close())
  await before?.(crib)
  if (!tool) return { crib }
  return { crib, made: makeTool({ ...crib.addTool({ id: 'job', fn: () => 'ran' }), ...tool }) }
}

describe.each(all)('%s', (_, given) => {
  const { code, ref = 'job', params: args = {}, options, dryRunPasses } = given

  it(`is ${code} to a call, a dry run, refusals and why`, async () => {
    const { crib, made } = await opened(given)
    const asked = made ?? ref
    const refusals = await crib.refusals(asked, args, options)
    expect(refusals.map((refusal) => refusal.code)).toContain(code)
    const dry = await crib.dryRun(asked, args, options)
    if (dryRunPasses) expect(dry).toMatchObject({ ok: true })
    else expect(dry).toMatchObject({ ok: false, error: { code: refusals[0]!.code } })
    const outcome = await crib.call(asked, args, options)
    expect(outcome).toMatchObject({ ok: false, error: { code: refusals[0]!.code } })
    if (!outcome.ok) expect(refusals[0]!.message).toBe(outcome.error.message)
  })

  // A tool made by a test is not in the catalog, where `why` looks.
  it.skipIf(given.tool !== undefined)('is found by why', async () => {
    const { crib } = await opened(given)
    expect((await crib.why(ref, args, options)).map((finding) => finding.code)).toContain(code)
  })
})

describe('refusals', () => {
  it('stop at none', async () => {
    const { crib, made } = await opened({
      code: '',
      config: { approve: ['job'] },
      tool: { requires: ['net.http'], secrets: ['NO_SUCH_SECRET'], params },
    })
    const found = await crib.refusals(made!, { n: 'one' })
    expect(found.map(({ check, code }) => [check, code])).toEqual([
      ['grants', 'CAPABILITY_DENIED'],
      ['params', 'PARAMS_INVALID'],
      ['secrets', 'SECRET_MISSING'],
      ['approve', 'APPROVAL_DENIED'],
    ])
  })

  it('say nothing of parameters that nobody gave yet', async () => {
    const { crib, made } = await opened({ code: '', tool: { params } })
    expect(await crib.refusals(made!)).toEqual([])
    const bound = makePrincipal({ surface: 'http', allowedTools: 'job(n=1)' })
    expect(await crib.refusals(made!, undefined, { principal: bound })).toEqual([])
  })

  it('name a missing program and a missing model although no parameters were given', async () => {
    const { crib } = await opened({ code: '', files: command('no-such-program') })
    expect((await crib.refusals('job')).map(({ code }) => code)).toEqual(['COMMAND_NOT_FOUND'])
    const required = '  params: { type: object, required: [a] }\n'
    const words = await opened({
      code: '',
      files: { 'skills/job.skill.md': bySkill('').replace('  params: { type: object }\n', required) },
    })
    expect((await words.crib.refusals('job')).map(({ code }) => code)).toEqual(['MODEL_MISSING'])
  })

  it('are none of a call that may go on, which then goes on', async () => {
    const { crib, made } = await opened({ code: '', tool: { params } })
    expect(await crib.refusals(made!, { n: 1 })).toEqual([])
    expect(await crib.call(made!, { n: 1 })).toMatchObject({ ok: true, value: 'ran' })
  })

  it('are kept in no record', async () => {
    const { crib, made } = await opened({ code: '', tool: { requires: ['net.http'] } })
    await crib.refusals(made!)
    expect((await crib.crumbs.runs.list({ limit: 5 })).runs).toEqual([])
  })
})
