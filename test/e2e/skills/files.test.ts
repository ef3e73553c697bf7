import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makePrincipal } from '../../../src/tool/principal.ts'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, skillCrib } from './skill-crib.ts'

function problemsOf(crib: { crib: { problems: readonly { code: string; line?: number; file?: string }[] } }) {
  return crib.crib.problems
    .filter((problem) => !problem.file?.includes('/system/'))
    .map(({ code: name, line }) => [name, line])
}

describe('files', () => {
  it('of every form are skills, at any depth', async () => {
    verifies('S1', 'S56')
    const crib = await skillCrib({
      'skills/one/SKILL.md': '---\nname: one\n---\n',
      'skills/deep/er/two.skill.md': '---\nname: two\n---\n',
      '.agents/skills/three.skill.js': 'export default () => 3',
      '.claude/skills/four.skill.mjs': 'export default () => 4',
      'lib/five.skill.ts': 'export default (): number => 5',
      'node_modules/no/six.skill.js': 'export default () => 6',
      'dist/seven.skill.js': 'export default () => 7',
      'lib/.hidden/eight.skill.js': 'export default () => 8',
      'lib/readme.md': '# no skill',
    })
    const names = crib.crib.list({ all: true, format: 'skill' }).map((tool) => tool.id)
    expect(names).toEqual(['app', 'driver', 'five', 'four', 'one', 'three', 'toolcrib', 'two'])
    expect(await crib.value('five')).toBe(5)
    expect(await crib.value('four')).toBe(4)
  })

  it('that are plain Agent Skills folders have no problem', async () => {
    verifies('K42', 'S6')
    const crib = await skillCrib({
      'skills/git-helper/SKILL.md':
        '---\nname: git-helper\ndescription: Helps with git\nlicense: MIT\ncompatibility: any\nallowed-tools: Bash(git add:*) Read\nmetadata:\n  author: someone\n  version: "1.0"\n---\n\n# Git\n',
    })
    expect(problemsOf(crib)).toEqual([])
  })

  it.each([
    ['a YAML error', '---\nname: x\ndescription: [1\n---\n', 3],
    ['a repeated key', '---\nname: x\nname: y\n---\n', 3],
    ['no closing line', '---\nname: x\n', 1],
    ['a list', '---\n- name\n---\n', 2],
  ])('with %s in the frontmatter are out of service', async (_what, text, line) => {
    verifies('S3')
    const crib = await skillCrib({ 'x.skill.md': text })
    expect(problemsOf(crib)).toEqual([['SKILL_FRONTMATTER_INVALID', line]])
    expect(await crib.code('x')).toBe('TOOL_INVALID')
  })

  it('may begin with a byte order mark, a signature and blank lines', async () => {
    verifies('S3')
    const crib = await skillCrib({
      'x.skill.md':
        '\uFEFF<!-- rye:signed:2026-01-01T00:00:00Z:0000:sig:0000000000000000 -->\n\n---\nname: marked\n---\nBody\n---\nmore\n',
    })
    expect(crib.crib.find('marked').details?.content).toBe('Body\n---\nmore\n')
  })

  it.each([
    ['My_Tool', 'SKILL_NAME_INVALID', 'my-tool'],
    ['a'.repeat(65), 'SKILL_NAME_INVALID', 'a'.repeat(64)],
    ['a--b', 'SKILL_NAME_INVALID', 'a-b'],
    ['trust', 'SKILL_NAME_RESERVED', 'another name'],
    ['mcp', 'SKILL_NAME_RESERVED', 'another name'],
  ])('named %s are %s on the line of the name', async (name, problem, hint) => {
    verifies('K41', 'S7', 'S9')
    const crib = await skillCrib({ 'x.skill.md': `---\nname: ${name}\n---\n` })
    expect(crib.crib.problems).toContainEqual(
      expect.objectContaining({
        code: problem,
        line: 2,
        severity: 'error',
        hint: expect.stringContaining(hint),
      }),
    )
    expect(await crib.code(name)).toBe('TOOL_NOT_FOUND')
  })

  it('without a name take it from their path', async () => {
    verifies('S8', 'S2')
    const crib = await skillCrib({
      'skills/folder/SKILL.md': '---\ndescription: d\n---\n',
      'single.skill.md': 'All body.\n',
      'coded.skill.js': 'export default () => 1',
      'Bad_Name.skill.js': 'export default () => 1',
      'skills/other/SKILL.md': '---\nname: renamed\n---\n',
    })
    expect(crib.crib.list({ all: true, format: 'skill' }).map((tool) => tool.id)).toEqual([
      'app',
      'coded',
      'driver',
      'folder',
      'renamed',
      'single',
      'toolcrib',
    ])
    expect(
      problemsOf(crib)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['SKILL_FRONTMATTER_MISSING', 'SKILL_NAME_INVALID', 'SKILL_NAME_MISSING'])
    expect(crib.crib.find('single').details?.content).toBe('All body.\n')
  })
})

describe('fields', () => {
  it('have roles: context for SKILL.md, none elsewhere, middleware where stated', async () => {
    verifies('K18', 'S10')
    const crib = await skillCrib({
      'skills/one/SKILL.md': '---\nname: one\n---\n',
      'skills/two/SKILL.md': '---\nname: two\nmetadata: {role: middleware}\n---\n',
      'foo.skill.md': '---\nname: foo\n---\n',
      'odd.skill.md': '---\nname: odd\nmetadata: {role: king}\n---\n',
    })
    const role = (name: string) => crib.crib.find(name).details?.role
    expect([role('one'), role('two'), role('foo'), role('odd')]).toEqual([
      'context',
      'middleware',
      undefined,
      'king',
    ])
    expect(problemsOf(crib)).toEqual([['ROLE_UNKNOWN', 3]])
  })

  it('count only where they belong', async () => {
    verifies('K19', 'S4', 'S5')
    const crib = await skillCrib({
      'wrong.skill.md':
        '---\nname: wrong\nparams: {type: object}\nother: 1\nmetadata:\n  allowed-tools: a\n---\n',
      'right.skill.md': '---\nname: right\nmetadata:\n  params: {type: object}\n---\n',
    })
    expect(crib.crib.find('wrong').params).toBe(null)
    expect(crib.crib.find('right').params).toEqual({ type: 'object' })
    expect(problemsOf(crib)).toEqual([
      ['FIELD_MISPLACED', 3],
      ['FIELD_MISPLACED', 6],
    ])
  })

  it('lift and normalise tags, in code skills too', async () => {
    verifies('K20', 'S5', 'S12')
    const crib = await skillCrib({
      'x.skill.js': code({ tags: ['My Tag', 'API', 'api', '--'] }, 'return 1'),
      'y.skill.js': code({ tags: 'One' }, 'return 1'),
    })
    expect(crib.crib.find('x').tags).toEqual(['my-tag', 'api'])
    expect(crib.crib.find('y').tags).toEqual(['one'])
  })

  it('hide a skill from lists and from outside, not from the command line', async () => {
    verifies('K21', 'S11')
    const crib = await skillCrib({
      'secret.skill.js': code({ ...anyParams, visibility: 'hidden' }, 'return 1'),
      'odd.skill.js': code({ visibility: 'odd' }, 'return 1'),
      'mid.skill.js': code({ role: 'middleware' }, 'return 1'),
    })
    expect(crib.crib.list().map((tool) => tool.id)).not.toContain('secret')
    expect(await crib.value('secret')).toBe(1)
    for (const surface of ['mcp', 'http', 'agent'] as const) {
      const principal = makePrincipal({ surface })
      for (const name of ['secret', 'mid'])
        expect(await crib.crib.call(name, {}, { principal })).toMatchObject({
          error: { code: 'TOOL_NOT_FOUND' },
        })
    }
    expect(problemsOf(crib)).toEqual([['VISIBILITY_UNKNOWN', expect.any(Number)]])
  })

  it.each([
    ['a schema that does not compile', { type: 'object', properties: { a: { type: 'strin' } } }],
    ['another root type', { type: 'array' }],
    ['a remote reference', { type: 'object', $ref: 'https://example.com/schema.json' }],
  ])('with %s in params take the skill out of service', async (_what, params) => {
    verifies('S13')
    const crib = await skillCrib({ 'x.skill.js': code({ params }, 'return 1') })
    expect(problemsOf(crib).map(([name]) => name)).toEqual(['SCHEMA_INVALID'])
    expect(await crib.code('x', {})).toBe('TOOL_INVALID')
  })

  it('may leave out the root type of params', async () => {
    verifies('S13')
    const crib = await skillCrib({ 'x.skill.js': code({ params: { required: ['a'] } }, 'return args') })
    expect(await crib.code('x', {})).toBe('PARAMS_INVALID')
    expect(await crib.code('x', 'text')).toBe('PARAMS_INVALID')
  })
})

describe('code skills', () => {
  it('are not run to be listed, checked or described', async () => {
    verifies('K43', 'S16', 'S18')
    const crib = await skillCrib({
      'writes.skill.js': `import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('../ran', import.meta.url), '')\n${code(anyParams, 'return 1')}`,
    })
    const ran = () => existsSync(join(crib.root, 'ran'))
    crib.crib.list({ all: true })
    crib.crib.find('writes')
    expect(crib.crib.find('writes').details?.inProcess).toBe(true)
    expect(ran()).toBe(false)
    await crib.value('writes')
    expect(ran()).toBe(true)
  })

  it('with computed frontmatter are listed under the name of the file', async () => {
    verifies('K43', 'S17')
    const crib = await skillCrib({
      'computed.skill.js': `const base = {}\nexport const frontmatter = {\n  ...base,\n  name: 'other',\n}\nexport default () => 1`,
    })
    expect(problemsOf(crib)).toEqual([['FRONTMATTER_DYNAMIC', 3]])
    expect(await crib.value('computed')).toBe(1)
  })

  it('may be TypeScript with literal types and imports', async () => {
    verifies('K44', 'S15', 'S16', 'S20')
    const crib = await skillCrib({
      'typed.skill.ts': `import { defineSkill, type Context } from 'toolcrib/skill'
import { add } from './lib/add.ts'
export const frontmatter = defineSkill({
  name: 'adder',
  description: \`Adds\`,
  metadata: { params: { type: 'object', properties: { n: { type: 'number', minimum: -1 } } } },
} as const)
export default async function (ctx: Context, { n }: { n: number }): Promise<number> {
  return add(n, 1)
}`,
      'skills/lib/add.ts': 'export const add = (a: number, b: number): number => a + b',
    })
    expect(crib.crib.find('adder')).toMatchObject({ description: 'Adds', params: { type: 'object' } })
    expect(await crib.value('adder', { n: 2 })).toBe(3)
  })

  it('with a syntax error are out of service, with its line', async () => {
    verifies('S16')
    const crib = await skillCrib({ 'bad.skill.js': 'export const a = 1\nexport default (((\n' })
    expect(crib.crib.problems).toContainEqual(
      expect.objectContaining({ code: 'SKILL_SYNTAX', severity: 'error', toolId: 'bad' }),
    )
    expect(await crib.code('bad')).toBe('TOOL_INVALID')
  })

  it('are imported anew when they or what they import change, and keep their state otherwise', async () => {
    verifies('S18')
    const text = (n: number) =>
      `import { m } from './m.js'\nlet count = 0\nexport default () => [${n}, m, ++count]`
    const crib = await skillCrib({ 'x.skill.js': text(1), 'skills/m.js': 'export const m = 1' })
    expect(await crib.value('x')).toEqual([1, 1, 1])
    expect(await crib.value('x')).toEqual([1, 1, 2])
    crib.write({ 'x.skill.js': text(22) })
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    expect(await crib.value('x')).toEqual([22, 1, 1])
    crib.write({ 'skills/m.js': 'export const m = 222' })
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    expect(await crib.value('x')).toEqual([22, 222, 1])
  })

  it('that failed to load can be mended', async () => {
    verifies('S18')
    const crib = await skillCrib({ 'x.skill.js': `import './gone.js'\nexport default () => 1` })
    expect(await crib.code('x')).toBe('LOAD_FAILED')
    crib.write({ 'skills/gone.js': 'export {}' })
    expect(await crib.value('x')).toBe(1)
  })

  it('may import each other in a circle', async () => {
    verifies('S15')
    const crib = await skillCrib({
      'x.skill.js': `import { b } from './b.js'\nexport const a = () => 'a'\nexport default () => b()`,
      'skills/b.js': `import { a } from './x.skill.js'\nexport const b = () => a() + 'b'`,
    })
    expect(await crib.value('x')).toBe('ab')
  })
})

describe('names', () => {
  it('go to the first path; one made in code beats both; ignored files are not seen', async () => {
    verifies('K32', 'S52', 'S53', 'S56')
    const crib = await skillCrib(
      {
        'first/dup.skill.js': 'export default () => 1',
        'second/dup.skill.js': 'export default () => 2',
        'first/old/x.skill.js': 'export default () => 3',
      },
      { skills: { paths: ['./first', './second', './skills', { ignore: 'old/**' }] } },
    )
    expect(await crib.value('dup')).toBe(1)
    expect(await crib.code('x')).toBe('TOOL_NOT_FOUND')
    expect(crib.crib.problems).toContainEqual(
      expect.objectContaining({
        code: 'SKILL_SHADOWED',
        message: expect.stringMatching(/second\/dup.*first\/dup/),
      }),
    )
    crib.crib.addTool({ name: 'dup', fn: () => 'code', frontmatter: { description: 'Made in code' } })
    expect(await crib.value('dup')).toBe('code')
    expect(await crib.drive('dup')).toMatchObject({ result: 'code' })
  })

  it('made in code obey the same rules', async () => {
    verifies('S52')
    const crib = await skillCrib({})
    expect(() => crib.crib.addTool({ name: 'Bad_Name', fn: () => 1 })).toThrow('SKILL_NAME_INVALID')
    expect(() => crib.crib.addTool({ name: 'trust', fn: () => 1 })).toThrow('SKILL_NAME_RESERVED')
    const seen: unknown[] = []
    const tool = crib.crib.addTool({
      name: 'made',
      fn: (ctx: { run: { origin: { uri: unknown } } }, args: unknown) => seen.push(ctx.run.origin.uri, args),
      frontmatter: { metadata: { params: { type: 'object' } } },
    })
    expect(tool.source.file).toBe(null)
    await crib.value('made', { a: 1 })
    expect(seen).toEqual([null, { a: 1 }])
  })

  it('may be paths and formats; what lies outside is refused', async () => {
    verifies('K33', 'S51')
    const crib = await skillCrib({
      'x.skill.js': 'export default () => 1',
      'skills/order/SKILL.md': '---\nname: o\nmetadata: {delegate: ./run.js}\n---\n',
      'skills/order/run.js': 'export default () => 2',
    })
    const outside = join(crib.root, '..', `outside-${Date.now()}.js`)
    writeFileSync(outside, 'export default () => 3')
    expect(await crib.value('./skills/x.skill.js')).toBe(1)
    expect(await crib.value('skill:x')).toBe(1)
    expect(await crib.value(`file://${crib.root}/skills/x.skill.js`)).toBe(1)
    expect(await crib.value('./skills/order')).toBe(2)
    for (const ref of [
      './skills/x.skill.js#f',
      './skills/order/SKILL.md#f',
      'x#f',
      'skill:x#f',
      'mcp://s/t#f',
    ])
      expect(await crib.run(ref), ref).toMatchObject({
        error: { code: 'REF_INVALID', hint: expect.stringContaining('#') },
      })
    expect(await crib.code('Has_Upper')).toBe('TOOL_NOT_FOUND')
    expect(await crib.code(outside)).toBe('PATH_OUTSIDE')
    expect(await crib.drive(`../${outside.split('/').at(-1)}`)).toMatchObject({ code: 'PATH_OUTSIDE' })
    expect(await crib.run('xx')).toMatchObject({ error: { hint: expect.stringContaining('"x"') } })
  })

  it('inside another app’s tree stay there', async () => {
    verifies('S56')
    const crib = await skillCrib(
      {
        'skills/who.skill.js': 'export default () => "ours"',
        'skills/ours.skill.js': code(anyParams, `return ctx.manager.invoke('who')`),
        'app2/who.skill.js': 'export default () => "theirs"',
        'app2/theirs.skill.js': code(anyParams, `return ctx.manager.invoke('who')`),
        'app2/secret.skill.js': code({ visibility: 'hidden' }, 'return 1'),
        'app2/lost.skill.js': code(anyParams, `return ctx.manager.invoke('only-ours')`),
        'skills/only-ours.skill.js': 'export default () => 1',
      },
      { skills: { paths: ['./skills', { external: './app2' }] } },
    )
    expect(await crib.value('ours')).toBe('ours')
    expect(await crib.value('theirs')).toBe('theirs')
    expect(await crib.drive('secret')).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(await crib.drive('lost')).toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('can be switched off', async () => {
    verifies('S56')
    const crib = await skillCrib(
      { 'a.skill.js': 'export default () => 1', 'b.skill.js': 'export default () => 2' },
      { skills: { disabled: ['a'] } },
    )
    expect(await crib.code('a')).toBe('TOOL_DENIED')
    expect(await crib.value('b')).toBe(2)
  })
})

describe('the main skill', () => {
  const runs = (role: boolean) => code(role ? { role: 'main' } : {}, 'return "main"')

  it('is the flagged one in the root, or the only skill there', async () => {
    verifies('K58', 'S84')
    const flagged = await skillCrib({
      'main.skill.md': '',
      './start.skill.js': runs(true),
      './other.skill.js': runs(false),
    })
    expect(flagged.crib.main().id).toBe('start')
    const only = await skillCrib({ 'main.skill.md': '---\nname: only\n---\n' })
    expect(only.crib.main().id).toBe('only')
    const several = await skillCrib({ './start.skill.js': runs(true) })
    expect(() => several.crib.main()).toThrow(expect.objectContaining({ code: 'MAIN_AMBIGUOUS' }))
    mkdirSync(join(several.root, 'empty'))
    const none = await skillCrib({ 'main.skill.md': '---\nname: a\n---\n', './b.skill.js': runs(false) })
    expect(() => none.crib.main()).toThrow(expect.objectContaining({ code: 'MAIN_MISSING' }))
  })
})

it('a broken tools.json beside a skill leaves the skill alone', async () => {
  verifies('K44', 'S2')
  const crib = await skillCrib({
    'skills/both/SKILL.md':
      '---\nname: both\ndescription: d\nmetadata: {delegate: "inline://code,export default () => 1"}\n---\n',
    'skills/both/tools.json': '{ not json',
  })
  expect(await crib.value('both')).toBe(1)
})
