// What agents get: definitions, context text, read_skill, errors in words.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { argvStub, ToolsJsonTestBed } from '../../../test/helpers/tools-json-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { readSkillRuntime } from '../../runtimes/command/read-skill-runtime.ts'
import type { Attempt } from '../../runtimes/runtime.ts'
import { skillContext } from './context.ts'
import { errorForModel, functionDefinitions } from './definitions.ts'

let bed: ToolsJsonTestBed
beforeEach(() => {
  bed = new ToolsJsonTestBed()
  bed.program('stub', argvStub)
})
afterEach(() => bed.close())

const descriptor = (...names: readonly string[]) => ({
  tools: names.map((name) => ({ name, description: `does ${name}` })),
  allowlist: { stub: [''] },
  execution: names.map((tool) => ({ tool, binary: 'stub', subcommand: '' })),
})

describe('functionDefinitions', () => {
  it('has the shape OpenAI and Ollama take, in skill order, then file order', () => {
    verifies('T50')
    bed.skill('two', descriptor('d', 'c'))
    bed.skill('one', {
      tools: [
        { name: 'b', parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] } },
        { name: 'a', description: 'does a' },
      ],
      allowlist: { stub: [''] },
      execution: ['b', 'a'].map((tool) => ({ tool, binary: 'stub', subcommand: '' })),
    })
    const nothing = { type: 'object', properties: {} }
    expect(functionDefinitions(bed.load().tools)).toEqual([
      {
        type: 'function',
        function: {
          name: 'b',
          parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
        },
      },
      { type: 'function', function: { name: 'a', description: 'does a', parameters: nothing } },
      { type: 'function', function: { name: 'd', description: 'does d', parameters: nothing } },
      { type: 'function', function: { name: 'c', description: 'does c', parameters: nothing } },
    ])
  })

  it('leaves out what is broken, unavailable or has lost its name', () => {
    verifies('T50', 'T18')
    bed.skill('one', descriptor('a'))
    bed.skill('shadowed', descriptor('a'))
    bed.skill('broken', { ...descriptor('b'), allowlist: {} })
    bed.skill('gated', descriptor('c'), 'name: gated\nmetadata: {requires: {bins: [no-such-program]}}')
    expect(functionDefinitions(bed.load().tools).map((each) => each.function.name)).toEqual(['a'])
  })
})

describe('read_skill', () => {
  const onDemand = { contextMode: 'readOnDemand' } as const
  const read = async (args: object) => {
    const tool = bed.load(onDemand).tools.find((each) => each.id === 'read_skill')!
    return readSkillRuntime().run({ tool, params: args } as Attempt)
  }

  it('exists only in readOnDemand mode, as the first definition', () => {
    verifies('T51')
    bed.skill('one', descriptor('a'))
    expect(functionDefinitions(bed.load().tools).map((each) => each.function.name)).toEqual(['a'])
    const [first, second] = functionDefinitions(bed.load(onDemand).tools)
    expect(first).toMatchObject({
      function: {
        name: 'read_skill',
        parameters: {
          type: 'object',
          required: ['skill_name'],
          properties: { skill_name: { type: 'string' } },
        },
      },
    })
    expect(second).toMatchObject({ function: { name: 'a' } })
  })

  it('does not exist without an available skill', () => {
    verifies('T51')
    bed.skill('gated', descriptor('c'), 'name: gated\nmetadata: {requires: {bins: [no-such-program]}}')
    expect(functionDefinitions(bed.load(onDemand).tools)).toEqual([])
  })

  it('returns the text after the frontmatter, blank lines cut, later lines of dashes kept', async () => {
    verifies('T51')
    bed.write('skills/one/SKILL.md', '---\nname: one\n---\n\n \n# One\n---\nmore\n')
    expect(await read({ skill_name: 'one' })).toBe('# One\n---\nmore\n')
  })

  it.each([{}, { skill_name: 'three' }, { skill_name: 'gated' }, { skill_name: 'toString' }])(
    'refuses %j',
    async (args) => {
      verifies('T51')
      bed.skill('one', descriptor('a'))
      bed.skill('gated', undefined, 'name: gated\nmetadata: {requires: {bins: [no-such-program]}}')
      await expect(read(args)).rejects.toMatchObject({ code: 'PARAMS_INVALID' })
    },
  )

  it('takes the name from a skill that has such a tool', () => {
    verifies('T51')
    bed.skill('one', descriptor('read_skill'))
    const { tools } = bed.load(onDemand)
    expect(tools.map((tool) => [tool.id, tool.state])).toEqual([
      ['read_skill', 'available'],
      ['one/read_skill', 'shadowed'],
    ])
    expect(tools[1]!.problems).toMatchObject([{ code: 'tool-shadowed' }])
    expect(bed.load().tools.map((tool) => [tool.id, tool.state])).toEqual([['read_skill', 'available']])
  })
})

describe('skillContext', () => {
  beforeEach(() => {
    bed.skill('one', descriptor('a'), 'name: one\ndescription: |\n  does\n  one')
    bed.write('skills/two/SKILL.md', 'Only text.\n')
    bed.skill('gated', undefined, 'name: gated\nmetadata: {requires: {bins: [no-such-program]}}')
    bed.skill('off')
  })

  it('full: every text of the available skills in skill order', () => {
    verifies('T52', 'T9')
    expect(skillContext(bed.load({ disabled: ['off'] }).skills, 'full')).toBe(
      '# Skills\n\n## Skill one\n\ndoes\none\n\n# one\n\n## Skill two\n\nOnly text.',
    )
  })

  it('readOnDemand: a list and how to ask', () => {
    verifies('T52')
    const text = skillContext(bed.load({ disabled: ['off'] }).skills, 'readOnDemand')
    const [head, how, list] = text.split('\n\n')
    expect([head, list]).toEqual(['# Skills', '- one: does one\n- two: (no description)'])
    expect(how).toMatch(/read_skill.*before/)
  })

  it.each(['full', 'readOnDemand'] as const)('%s: empty without skills', (mode) => {
    verifies('T52')
    expect(skillContext(bed.load({ enabled: ['gated'] }).skills, mode)).toBe('')
  })

  it('needs no tool of the skill to have been read', async () => {
    verifies('T52')
    const tool = bed.load({ contextMode: 'readOnDemand' }).tools.find((each) => each.id === 'a')!
    expect((await bed.run(tool, {})).error).toBeUndefined()
  })
})

it('tells a model of a failure in one line', () => {
  verifies('T48')
  expect(errorForModel({ code: 'COMMAND_FAILED', message: 'a: stub ended with exit code 3: boom' })).toBe(
    'error: COMMAND_FAILED: a: stub ended with exit code 3: boom',
  )
})
