// Skills: roots, order, shadowing, frontmatter, gates, configuration.
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { argvStub, ToolsJsonTestBed } from '../../../test/helpers/tools-json-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { toolsJson } from './index.ts'

let bed: ToolsJsonTestBed
beforeEach(() => {
  bed = new ToolsJsonTestBed()
  bed.program('stub', argvStub)
})
afterEach(() => bed.close())

const descriptor = (...names: readonly string[]) => ({
  tools: names.map((name) => ({ name })),
  allowlist: { stub: [''] },
  execution: names.map((tool) => ({ tool, binary: 'stub', subcommand: '' })),
})
const codes = (problems: readonly { code: string }[]) => problems.map((problem) => problem.code)

describe('what is a skill', () => {
  it('is an immediate subfolder of a root with a file SKILL.md', () => {
    verifies('T1')
    bed.skill('one', descriptor('a'))
    bed.skill('two')
    bed.write('skills/deep/er/SKILL.md', '')
    bed.write('skills/deep/er/tools.json', descriptor('b'))
    bed.write('skills/wrong-case/Skill.md', '')
    bed.write('skills/wrong-case/tools.json', descriptor('c'))
    bed.write('skills/SKILL.md', '')
    bed.write('elsewhere/three/SKILL.md', '')
    const loaded = bed.load()
    expect(loaded.skills.map(({ id, state }) => [id, state])).toEqual([
      ['one', 'available'],
      ['two', 'available'],
    ])
    expect(loaded.tools.map((tool) => tool.id)).toEqual(['a'])
    expect(loaded.all).toEqual([])
  })

  it('has the name of its folder as id, whatever the frontmatter says', () => {
    verifies('T2')
    bed.skill('one', descriptor('a'), 'name: other\ndescription: d')
    bed.skill('Two_2', descriptor('b'), 'name: Two_2')
    const { skills, all } = bed.load()
    expect(skills.map((skill) => skill.id)).toEqual(['Two_2', 'one'])
    expect(all).toMatchObject([
      { code: 'skill-name-mismatch', severity: 'warning', skill: 'Two_2' },
      { code: 'skill-name-mismatch', severity: 'warning', skill: 'one', line: 2, column: 1 },
    ])
  })
})

describe('roots', () => {
  it('are taken in order, and folders inside one in code-point order', () => {
    verifies('T3')
    const roots = ['skills', '.agents/skills', '.claude/skills']
    for (const [index, root] of roots.entries())
      for (const id of [`b${index}`, `a${index}`, `\u{1f600}${index}`, `\uffee${index}`]) {
        bed.write(`${root}/${id}/SKILL.md`, `---\nname: ${id}\n---\n`)
        bed.write(`${root}/${id}/tools.json`, descriptor(`t-${id.length}-${id.codePointAt(0)}-${index}`))
      }
    const far = (name: string, id: string) => {
      bed.write(`${name}/${id}/SKILL.md`, `---\nname: ${id}\n---\n`)
      return join(bed.project, name)
    }
    const places = [
      bed.place(far('extra', 'in-extra'), { tier: 'user', order: 3, kind: 'skills', ai: '' }),
      bed.place(join(far('home/skills', 'in-home'), '..'), { tier: 'user', order: 2, kind: 'ai', ai: '' }),
      bed.place(far('directory', 'in-directory'), { tier: 'project', order: 1, kind: 'skills', ai: '' }),
      bed.place(),
    ]
    const order = (index: number) => [`a${index}`, `b${index}`, `\uffee${index}`, `\u{1f600}${index}`]
    const loaded = bed.load({}, places)
    expect(loaded.skills.map((skill) => skill.id)).toEqual([
      ...order(0),
      ...order(1),
      ...order(2),
      'in-directory',
      'in-home',
      'in-extra',
    ])
    expect(loaded.tools.map((tool) => tool.id.at(-1))).toEqual([...'000011112222'])
  })

  it('give an id to the first that holds it, even an unavailable one', () => {
    verifies('T4')
    bed.skill('one', descriptor('a'), 'name: one\nmetadata: {requires: {bins: [no-such-program]}}')
    bed.write('.agents/skills/one/SKILL.md', '---\nname: one\n---\n')
    bed.write('.agents/skills/one/tools.json', descriptor('b'))
    const { skills, tools, all } = bed.load()
    expect(skills.map((skill) => skill.state)).toEqual(['unavailable', 'shadowed'])
    expect(tools.map((tool) => tool.id)).toEqual(['a'])
    const shadowed = all.find((problem) => problem.code === 'skill-shadowed')
    expect(shadowed).toMatchObject({ severity: 'warning', skill: 'one' })
    expect(shadowed?.message).toContain(join(bed.project, 'skills/one'))
    expect(shadowed?.message).toContain(join(bed.project, '.agents/skills/one'))
  })

  it('may lead to one real folder twice without a problem', () => {
    verifies('T4')
    bed.write('real/one/SKILL.md', '---\nname: one\n---\n')
    bed.write('real/one/tools.json', descriptor('a'))
    const real = bed.place(join(bed.project, 'real'), { order: 1, kind: 'skills', ai: '' })
    mkdirSync(join(bed.project, 'other'))
    symlinkSync(join(bed.project, 'real/one'), join(bed.project, 'other/one'))
    const linked = bed.place(join(bed.project, 'other'), { order: 2, kind: 'skills', ai: '' })
    const { skills, tools, all } = bed.load({}, [real, linked])
    expect(skills).toHaveLength(1)
    expect(tools).toHaveLength(1)
    expect(all).toEqual([])
  })

  it('that are missing by default are no problem', () => {
    verifies('T5')
    expect(bed.load()).toMatchObject({ tools: [], all: [], skills: [] })
  })

  it.skipIf(process.getuid?.() === 0)('report a SKILL.md that cannot be opened', () => {
    bed.skill('one', descriptor('a'))
    chmodSync(join(bed.project, 'skills/one/SKILL.md'), 0)
    expect(codes(bed.load().all)).toContain('skill-unreadable')
  })

  it('report a SKILL.md that cannot be read: the skill is out of service', () => {
    verifies('T5')
    bed.skill('one', descriptor('a'))
    bed.write('skills/one/SKILL.md', 'binary\0')
    const { skills, tools, all } = bed.load()
    expect(all).toMatchObject([{ code: 'skill-unreadable', severity: 'error', skill: 'one' }])
    expect(skills).toMatchObject([{ state: 'unavailable' }])
    expect(tools).toMatchObject([{ id: 'a', state: 'invalid', reason: expect.stringContaining('SKILL.md') }])
  })
})

describe('frontmatter', () => {
  it('may be missing: a warning, no description, no gate', () => {
    verifies('T6')
    bed.write('skills/one/SKILL.md', '# Just text\n')
    bed.write('skills/one/tools.json', descriptor('a'))
    const { skills, tools, all } = bed.load()
    expect(all).toMatchObject([{ code: 'skill-frontmatter-missing', severity: 'warning' }])
    expect(skills).toMatchObject([{ description: '', state: 'available' }])
    expect(tools).toMatchObject([{ state: 'available' }])
  })

  it('ignores keys it does not know', () => {
    verifies('T6')
    bed.skill('one', descriptor('a'), 'name: one\nlicense: MIT\nmetadata: {other: {x: 1}}')
    expect(bed.load().all).toEqual([])
  })

  it.each([
    ['a YAML error', 'name: one\nmetadata: {requires', 3],
    ['a repeated key', 'name: one\nname: one', 3],
    ['metadata of the wrong type', 'name: one\nmetadata: [a]', 3],
    ['requires of the wrong type', 'name: one\nmetadata:\n  requires: git', 4],
    ['bins as bare text', 'name: one\nmetadata:\n  requires:\n    bins: git', 5],
    ['a mixed list of bins', 'name: one\nmetadata: {requires: {bins: [git, [sh]]}}', 3],
    ['an empty inner list', 'name: one\nmetadata: {requires: {bins: [[]]}}', 3],
    ['a number among bins', 'name: one\nmetadata: {requires: {bins: [git, 5]}}', 3],
  ])('with %s fails closed', (_, front, line) => {
    verifies('T7', 'T8')
    bed.skill('one', descriptor('a'), front)
    const { skills, tools, all } = bed.load()
    expect(all).toMatchObject([{ code: 'skill-frontmatter-invalid', severity: 'error', line, skill: 'one' }])
    expect(skills).toMatchObject([{ state: 'unavailable' }])
    expect(tools).toMatchObject([{ state: 'invalid' }])
  })

  it('without a closing line fails closed', () => {
    verifies('T7')
    bed.write('skills/one/SKILL.md', '---\nname: one\n')
    bed.write('skills/one/tools.json', descriptor('a'))
    const { skills, all } = bed.load()
    expect(all).toMatchObject([{ code: 'skill-frontmatter-invalid', severity: 'error', line: 1 }])
    expect(skills).toMatchObject([{ state: 'unavailable' }])
  })

  it.each(['name: 5', 'name: one\ndescription: [a]'])('%j is only a warning', (front) => {
    verifies('T7')
    bed.skill('one', descriptor('a'), front)
    const { skills, all } = bed.load()
    const line = front.split('\n').length + 1
    expect(all).toMatchObject([{ code: 'skill-frontmatter-invalid', severity: 'warning', line }])
    expect(skills).toMatchObject([{ state: 'available', description: '' }])
  })
})

describe('gates', () => {
  it.each([
    ['[sh, cat]', 'available'],
    ['[sh, no-such-program]', 'unavailable'],
    ['[[no-such-program], [sh, cat]]', 'available'],
    ['[[no-such-program], [sh, no-such-other]]', 'unavailable'],
    ['[]', 'available'],
  ])('bins: %s makes the skill %s', (bins, state) => {
    verifies('T8')
    bed.skill('one', descriptor('a'), `name: one\nmetadata: {requires: {bins: ${bins}}}`)
    expect(bed.load()).toMatchObject({ skills: [{ state }], tools: [{ state }] })
  })

  it('are evaluated at every load', () => {
    verifies('T8')
    bed.skill('one', descriptor('a'), 'name: one\nmetadata: {requires: {bins: [comes-later]}}')
    expect(bed.load().skills).toMatchObject([{ state: 'unavailable' }])
    bed.program('comes-later', argvStub)
    expect(bed.load().skills).toMatchObject([{ state: 'available' }])
  })

  it('name what is missing and keep the skill listed', () => {
    verifies('T9', 'T10')
    bed.skill('one', descriptor('a'), 'name: one\nmetadata: {requires: {bins: [sh, no-such-program]}}')
    const { skills, tools, all } = bed.load()
    expect(all).toMatchObject([
      {
        code: 'skill-bins-missing',
        severity: 'warning',
        message: expect.stringContaining('no-such-program'),
      },
    ])
    expect(skills).toMatchObject([
      { state: 'unavailable', reason: expect.stringContaining('no-such-program') },
    ])
    expect(tools).toMatchObject([
      { state: 'unavailable', reason: expect.stringContaining('no-such-program') },
    ])
  })
})

describe('configuration', () => {
  const both = () => {
    bed.skill('one', descriptor('a'))
    bed.skill('two', descriptor('b'))
  }

  it.each([
    [{ disabled: ['one'] }, ['b']],
    [{ enabled: ['one'] }, ['a']],
    [{ enabled: [] }, []],
    [{ enabled: ['one', 'two'], disabled: ['two'] }, ['a']],
    [{ enabled: null }, ['a', 'b']],
  ])('%j leaves %j', (skills, tools) => {
    verifies('T11')
    both()
    const loaded = bed.load(skills)
    expect(loaded.tools.map((tool) => tool.id)).toEqual(tools)
    expect(loaded.skills.filter((skill) => skill.state === 'disabled')).toHaveLength(2 - tools.length)
    expect(loaded.all).toEqual([])
  })

  it.each(['disabled', 'enabled'] as const)('reports an id in %s that matches nothing', (key) => {
    verifies('T11')
    both()
    expect(bed.load({ [key]: ['one', 'three'] }).all).toMatchObject([
      {
        code: 'skill-unknown',
        severity: 'warning',
        skill: 'three',
        message: expect.stringContaining(`skills.${key}`),
      },
    ])
  })

  it('does not read the descriptor of a disabled skill', () => {
    verifies('T10')
    bed.skill('one', descriptor('a'))
    bed.write('skills/one/tools.json', '{ this is no JSON')
    const loaded = bed.load({ disabled: ['one'] })
    expect(loaded.all).toEqual([])
    const env = { config: bed.config({ disabled: ['one'] }), spaces: bed.spaces }
    const read = toolsJson.units(bed.place(), env).flatMap((unit) => unit.files.map((file) => file.path))
    expect(read).toEqual(['skills/one/SKILL.md'])
  })

  it('knows why a tool of a disabled skill is missing', () => {
    verifies('T10')
    both()
    const { facts } = bed.load({ disabled: ['one'] })
    expect(toolsJson.whyMissing!('one/a', facts!)).toMatchObject({ code: 'TOOL_NOT_ALLOWED' })
    expect(toolsJson.whyMissing!('two/nothing', facts!)).toBeUndefined()
  })
})
