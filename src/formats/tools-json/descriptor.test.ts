// Descriptor files: layouts, faults with positions, fields, and every cross-check of the table.
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { argvStub, ToolsJsonTestBed } from '../../../test/helpers/tools-json-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'

let bed: ToolsJsonTestBed
beforeEach(() => {
  bed = new ToolsJsonTestBed()
  bed.program('stub', argvStub)
})
afterEach(() => bed.close())

const tools = [
  { name: 'a', description: 'does a', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
]
const allowlist = { stub: ['', 'go'] }
const execution = [{ tool: 'a', binary: 'stub', subcommand: 'go', args: [{ param: 'q' }] }]
const whole = { tools, allowlist, execution }

function load(descriptor: object | string, more: { readonly [file: string]: object | string } = {}) {
  bed.skill('one')
  bed.write('skills/one/tools.json', descriptor)
  for (const [file, content] of Object.entries(more)) bed.write(`skills/one/${file}`, content)
  return bed.load()
}

const summary = (problems: readonly { code: string; severity: string }[]) =>
  problems.map(({ code, severity }) => `${severity} ${code}`)

describe('layouts', () => {
  it('reads one object', () => {
    verifies('T12')
    const loaded = load(whole)
    expect(loaded.all).toEqual([])
    expect(loaded.tools).toMatchObject([
      {
        id: 'a',
        name: 'a',
        format: 'tools-json',
        description: 'does a',
        state: 'available',
        aliases: ['one/a'],
        runtime: { name: 'command' },
      },
    ])
  })

  it.each(['tools', 'allowlist', 'execution'])('takes a missing %s for empty, with a warning', (key) => {
    verifies('T12')
    const { [key as keyof typeof whole]: _, ...rest } = whole
    expect(load(rest).all).toContainEqual(
      expect.objectContaining({
        code: 'descriptor-key-missing',
        severity: 'warning',
        line: 1,
        column: 1,
        message: expect.stringContaining(key),
      }),
    )
  })

  it('takes a part that is null for a missing one', () => {
    verifies('T12')
    expect(summary(load({ tools: null, allowlist: null, execution: null }).all)).toEqual(
      Array(3).fill('warning descriptor-key-missing'),
    )
  })

  it('says of a file that is no text what to do, in one sentence', () => {
    verifies('T14')
    bed.skill('one')
    writeFileSync(bed.write('skills/one/tools.json', ''), Buffer.from([0x7b, 0xff, 0x7d]))
    expect(bed.load().all).toMatchObject([
      {
        code: 'descriptor-parse',
        message: expect.stringMatching(/tools\.json:1:1: .*UTF-8\.$/),
        hint: expect.stringContaining('UTF-8'),
      },
    ])
  })

  it('ignores companions of an object, with a warning each', () => {
    verifies('T12')
    const loaded = load(whole, { 'allowlist.json': {}, 'execution.json': 'not json' })
    expect(summary(loaded.all)).toEqual([
      'warning descriptor-companion-ignored',
      'warning descriptor-companion-ignored',
    ])
    expect(loaded.tools).toMatchObject([{ state: 'available' }])
  })

  it('reads a list with its two companions', () => {
    verifies('T13')
    const loaded = load(tools, { 'allowlist.json': allowlist, 'execution.json': execution })
    expect(loaded.all).toEqual([])
    expect(loaded.tools).toMatchObject([{ id: 'a', state: 'available' }])
    expect(loaded.tools[0]!.source.files).toEqual(
      ['tools.json', 'allowlist.json', 'execution.json', 'SKILL.md'].map((file) =>
        join(bed.project, 'skills/one', file),
      ),
    )
  })

  it.each(['allowlist.json', 'execution.json'])('misses %s beside a list', (missing) => {
    verifies('T13')
    const companions = { 'allowlist.json': allowlist, 'execution.json': execution }
    const { [missing as keyof typeof companions]: _, ...rest } = companions
    const loaded = load(tools, rest)
    expect(loaded.all).toMatchObject([
      { code: 'descriptor-companion-missing', severity: 'error', message: expect.stringContaining(missing) },
    ])
    expect(loaded.tools).toEqual([])
  })

  it.each([
    ['a root of another type', '5', {}, 'tools.json'],
    ['tools of another type', { ...whole, tools: {} }, {}, 'tools.json'],
    ['an allowlist of another type', { ...whole, allowlist: [] }, {}, 'tools.json'],
    ['an allowlist entry of another type', { ...whole, allowlist: { stub: 'go' } }, {}, 'tools.json'],
    ['an execution of another type', { ...whole, execution: {} }, {}, 'tools.json'],
    [
      'a companion of another type',
      tools,
      { 'allowlist.json': [], 'execution.json': execution },
      'allowlist.json',
    ],
    [
      'the other companion of another type',
      tools,
      { 'allowlist.json': allowlist, 'execution.json': '{}' },
      'execution.json',
    ],
  ])('refuses %s', (_, descriptor, more, file) => {
    verifies('T13')
    const loaded = load(descriptor, more as Record<string, object>)
    expect(loaded.all).toMatchObject([
      { code: 'descriptor-shape', severity: 'error', file: join(bed.project, 'skills/one', file) },
    ])
    expect(loaded.tools).toEqual([])
  })
})

describe('JSON', () => {
  it.each([
    ['a syntax error', '{\n  "tools": [,]\n}', 'descriptor-parse', 2, 13],
    ['a repeated key', '{\n  "tools": [],\n  "tools": []\n}', 'descriptor-duplicate-key', 3, 3],
    ['more than 64 levels', `${'['.repeat(70)}${']'.repeat(70)}`, 'descriptor-parse', 1, 65],
    ['more than 1 MiB', `{"tools": "${'x'.repeat(1_048_576)}"}`, 'descriptor-parse', 1, 1],
    ['no text at all', 'a\0b', 'descriptor-parse', 1, 1],
  ])('with %s is shown as file:line:col, and the skill stays context', (_, text, code, line, column) => {
    verifies('T14')
    const loaded = load(text)
    const file = join(bed.project, 'skills/one/tools.json')
    expect(loaded.all).toMatchObject([
      {
        code,
        severity: 'error',
        file,
        line,
        column,
        message: expect.stringContaining(`${file}:${line}:${column}`),
      },
    ])
    expect(loaded.tools).toEqual([])
    expect(loaded.skills).toMatchObject([{ state: 'available' }])
  })

  it('with a fault in a companion names that file', () => {
    verifies('T14')
    expect(load(tools, { 'allowlist.json': '{', 'execution.json': execution }).all).toMatchObject([
      {
        code: 'descriptor-parse',
        file: join(bed.project, 'skills/one/allowlist.json'),
        line: 1,
        column: 2,
      },
    ])
  })

  it('may begin with a byte order mark and hold __proto__ as plain data', () => {
    verifies('T14')
    const text = `\uFEFF${JSON.stringify(whole).replace('"stub":', '"__proto__":["x"],"stub":')}`
    const loaded = load(text)
    expect(loaded.all).toEqual([])
    expect(Object.keys(planOf(loaded.tools[0]!, 'command')!.allowlist)).toEqual(['__proto__', 'stub'])
  })
})

describe('fields', () => {
  const entry = execution[0]!
  const arg = entry.args[0]!

  it.each([
    ['at the root', { ...whole, extra: 1 }],
    ['of a tool', { ...whole, tools: [{ ...tools[0], extra: 1 }] }],
    ['of an execution', { ...whole, execution: [{ ...entry, extra: 1 }] }],
    ['of an argument', { ...whole, execution: [{ ...entry, args: [{ ...arg, extra: 1 }] }] }],
    [
      'of resolveCommand',
      {
        ...whole,
        execution: [
          { ...entry, args: [{ ...arg, resolveCommand: { binary: 'stub', subcommand: 'go', extra: 1 } }] },
        ],
      },
    ],
    [
      'of postProcess',
      { ...whole, execution: [{ ...entry, postProcess: { binary: 'stub', subcommand: 'go', extra: 1 } }] },
    ],
    [
      'of paramCondition',
      { ...whole, execution: [{ ...entry, paramCondition: { present: ['q'], extra: 1 } }] },
    ],
    ['of hintConditions', { ...whole, execution: [{ ...entry, hintConditions: [{ hint: 'h', extra: 1 }] }] }],
  ])('unknown %s are a warning with their position', (_, descriptor) => {
    verifies('T15')
    const loaded = load(descriptor)
    const lines = JSON.stringify(descriptor, null, 2).split('\n')
    const line = lines.findIndex((text) => text.includes('"extra"')) + 1
    expect(loaded.all).toMatchObject([
      { code: 'unknown-field', severity: 'warning', line, column: lines[line - 1]!.indexOf('"') + 1 },
    ])
    expect(loaded.tools).toMatchObject([{ state: 'available' }])
  })

  it("inside parameters are the schema's own business", () => {
    verifies('T15')
    expect(
      load({ ...whole, tools: [{ ...tools[0], parameters: { ...tools[0]!.parameters, 'x-extra': 1 } }] }).all,
    ).toEqual([])
  })

  it.each([
    ['binaryWrapper', { ...whole, execution: [{ ...entry, binaryWrapper: ['nix'] }] }],
    ['condition', { ...whole, execution: [{ ...entry, condition: { binGroup: 1 } }] }],
    [
      'denyResolveCommand',
      { ...whole, execution: [{ ...entry, args: [{ ...arg, denyResolveCommand: {} }] }] },
    ],
    [
      'denyAlwaysResolve',
      { ...whole, execution: [{ ...entry, args: [{ ...arg, denyAlwaysResolve: true }] }] },
    ],
  ])('that would change what runs are refused: %s', (_, descriptor) => {
    verifies('T15')
    const loaded = load(descriptor)
    expect(summary(loaded.all)).toEqual(['error unsupported-field'])
    expect(loaded.tools).toMatchObject([{ state: 'invalid' }])
  })

  it('of every kind are read, and null in an optional one counts as absent', () => {
    verifies('T16')
    const loaded = load({
      tools: [
        {
          name: 'a',
          description: null,
          parameters: { type: 'object', properties: { q: {}, f: {} } },
          timeoutMs: 5,
        },
      ],
      allowlist,
      execution: [
        {
          tool: 'a',
          binary: 'stub',
          subcommand: '',
          postProcess: null,
          args: [
            {
              param: 'q',
              kind: null,
              flag: null,
              normalizeNewlines: true,
              allowLeadingDash: false,
              resolveCommand: { binary: 'stub', subcommand: 'go', timeoutMs: 7 },
            },
            { param: 'f', kind: 'flagifboolean', flagIfTrue: '-y', flagIfFalse: null },
          ],
        },
      ],
    })
    expect(loaded.all).toEqual([])
    expect(loaded.tools[0]!.runtime!.plan).toEqual({
      skill: 'one',
      skillDir: join(bed.project, 'skills/one'),
      allowlist,
      entries: [
        {
          binary: 'stub',
          subcommand: '',
          timeoutMs: 5,
          args: [
            {
              kind: 'positional',
              param: 'q',
              normalizeNewlines: true,
              resolveCommand: { binary: 'stub', subcommand: 'go', args: [], timeoutMs: 7 },
            },
            { kind: 'flagifboolean', param: 'f', flagIfTrue: '-y' },
          ],
        },
      ],
    })
  })

  it.each([
    ["a tool's description", { tools: [{ name: 'a', description: 5 }] }],
    ['the binary', { execution: [{ tool: 'a', subcommand: '' }] }],
    ['the subcommand', { execution: [{ tool: 'a', binary: 'stub', subcommand: null }] }],
    ['args', { execution: [{ ...entry, args: {} }] }],
    ['an argument', { execution: [{ ...entry, args: ['q'] }] }],
    ['an empty flag', { execution: [{ ...entry, args: [{ param: 'q', kind: 'flag', flag: '' }] }] }],
    ['normalizeNewlines', { execution: [{ ...entry, args: [{ ...arg, normalizeNewlines: 'yes' }] }] }],
    ['resolveCommand', { execution: [{ ...entry, args: [{ ...arg, resolveCommand: 'x' }] }] }],
    [
      'resolver args',
      {
        execution: [
          { ...entry, args: [{ ...arg, resolveCommand: { binary: 'stub', subcommand: 'go', args: [1] } }] },
        ],
      },
    ],
    ['absentDefault', { execution: [{ ...entry, args: [{ ...arg, absentDefault: {} }] }] }],
    ['timeoutMs 0', { execution: [{ ...entry, timeoutMs: 0 }] }],
    ['timeoutMs 600001', { execution: [{ ...entry, timeoutMs: 600_001 }] }],
    ['timeoutMs 1.5', { tools: [{ ...tools[0], timeoutMs: 1.5 }] }],
    ['successExitCodes', { execution: [{ ...entry, successExitCodes: ['1'] }] }],
    ['a hint without a text', { execution: [{ ...entry, hintConditions: [{ match: 'x' }] }] }],
  ])('wrong in %s take out that tool only', (_, change) => {
    verifies('T17', 'T28', 'T46')
    const other = { tools: [{ name: 'b' }], execution: [{ tool: 'b', binary: 'stub', subcommand: '' }] }
    const wrong = { ...whole, ...change }
    const loaded = load({
      allowlist,
      tools: [...wrong.tools, ...other.tools],
      execution: [...wrong.execution, ...other.execution],
    })
    expect(loaded.all).toContainEqual(
      expect.objectContaining({
        code: 'descriptor-shape',
        severity: 'error',
        toolId: 'a',
        skill: 'one',
        line: expect.any(Number),
        column: expect.any(Number),
      }),
    )
    expect(loaded.tools.map((tool) => [tool.id, tool.state])).toEqual([
      ['a', 'invalid'],
      ['b', 'available'],
    ])
  })

  it('missing are shown at the brace that lacks them', () => {
    verifies('T17')
    const { all } = load(
      '{"tools": [{"name": "a"}],\n "allowlist": {}, "execution": [\n  {"tool": "a", "subcommand": ""}]}',
    )
    expect(all).toMatchObject([
      { code: 'descriptor-shape', line: 3, column: 3, message: expect.stringContaining('binary') },
    ])
  })

  it('of an entry without a tool name belong to no tool', () => {
    verifies('T17')
    const loaded = load({ ...whole, tools: [...tools, { description: 'nameless' }, 5] })
    expect(summary(loaded.problems)).toEqual(['error descriptor-shape', 'error descriptor-shape'])
    expect(loaded.tools).toMatchObject([{ id: 'a', state: 'available' }])
  })

  it.each(['flagIfBoolean', 'FLAGIFBOOLEAN', 'flagifboolean'])(
    'kind %s is written out in lower case',
    (kind) => {
      verifies('T17')
      const loaded = load({ ...whole, execution: [{ ...entry, args: [{ ...arg, kind, flagIfTrue: '-x' }] }] })
      expect(loaded.all).toEqual([])
      expect(loaded.tools[0]!.runtime!.plan).toMatchObject({
        entries: [{ args: [{ kind: 'flagifboolean' }] }],
      })
    },
  )
})

describe('cross-checks', () => {
  const entry = execution[0]!
  const arg = entry.args[0]!
  const args = (...list: readonly object[]) => ({ ...whole, execution: [{ ...entry, args: list }] })
  const parameters = (schema: unknown) => ({ ...whole, tools: [{ name: 'a', parameters: schema }] })
  const resolver = (command: object) => args({ ...arg, resolveCommand: command })

  it.each([
    ['tool-no-execution', { ...whole, tools: [...tools, { name: 'b' }] }],
    ['execution-no-tool', { ...whole, execution: [...execution, { ...entry, tool: 'b' }] }],
    ['binary-not-allowlisted', { ...whole, execution: [{ ...entry, binary: 'other' }] }],
    ['binary-not-allowlisted', { ...whole, execution: [{ ...entry, binary: 'toString' }] }],
    ['subcommand-not-allowlisted', { ...whole, execution: [{ ...entry, subcommand: 'Go' }] }],
    [
      'subcommand-not-allowlisted',
      args(arg, { param: 'q', kind: 'flagifboolean', subcommandOverride: 'stop' }),
    ],
    [
      'tool-name-invalid',
      { ...whole, tools: [{ ...tools[0], name: 'a b' }], execution: [{ ...entry, tool: 'a b' }] },
    ],
    [
      'tool-name-invalid',
      {
        ...whole,
        tools: [{ ...tools[0], name: 'x'.repeat(65) }],
        execution: [{ ...entry, tool: 'x'.repeat(65) }],
      },
    ],
    ['binary-name-invalid', { ...whole, allowlist: { '': ['go'] }, execution: [{ ...entry, binary: '' }] }],
    [
      'binary-name-invalid',
      { ...whole, allowlist: { './x': ['go'] }, execution: [{ ...entry, binary: './x' }] },
    ],
    [
      'binary-name-invalid',
      { ...whole, allowlist: { 'a/b': ['go'] }, execution: [{ ...entry, binary: 'a/b' }] },
    ],
    [
      'binary-name-invalid',
      { ...whole, allowlist: { 'a\0': ['go'] }, execution: [{ ...entry, binary: 'a\0' }] },
    ],
    ['execution-duplicate', { ...whole, execution: [entry, entry] }],
    ['parameters-not-object', parameters({ type: 'string' })],
    ['parameters-not-object', parameters([])],
    ['parameters-not-object', parameters({ required: ['q'] })],
    ['schema-invalid', parameters({ type: 'object', properties: { q: { type: 'text' } } })],
    ['schema-invalid', parameters({ type: 'object', properties: { q: { $ref: 'https://example.com/x' } } })],
    ['pattern-invalid', parameters({ type: 'object', properties: { q: { pattern: '(' } } })],
    ['param-not-in-schema', args(arg, { param: 'other' })],
    ['arg-no-param', args({ kind: 'flag' })],
    ['kind-invalid', args({ ...arg, kind: 'switch' })],
    ['kind-invalid', args({ param: 'q', kind: 'stdin' }, { param: 'q', kind: 'STDIN' })],
    ['kind-invalid', args({ param: 'q', kind: 'workingdir' }, { param: 'q', kind: 'workingdir' })],
    ['flagifboolean-no-flag', args({ param: 'q', kind: 'flagifboolean', flagIfTrue: '' })],
    ['resolve-invalid', resolver({})],
    ['resolve-invalid', resolver({ script: 'x', binary: 'stub', subcommand: 'go' })],
    ['resolve-invalid', resolver({ binary: 'stub' })],
    ['resolve-invalid', { ...whole, execution: [{ ...entry, postProcess: {} }] }],
    ['script-name-invalid', resolver({ script: '' })],
    ['script-name-invalid', resolver({ script: '../x' })],
    ['script-name-invalid', resolver({ script: 'a/b' })],
    ['script-name-invalid', resolver({ script: 'a\\b' })],
    ['script-name-invalid', resolver({ script: 'a\0b' })],
    ['pattern-invalid', args({ ...arg, denyPattern: '(' })],
    ['pattern-invalid', { ...whole, execution: [{ ...entry, hintConditions: [{ match: '[', hint: 'h' }] }] }],
  ])('%s is an error: %j', (code, descriptor) => {
    verifies('T18')
    const loaded = load(descriptor)
    const errors = loaded.all.filter((problem) => problem.severity === 'error')
    expect(errors).toMatchObject([
      {
        code,
        file: join(bed.project, 'skills/one/tools.json'),
        line: expect.any(Number),
        column: expect.any(Number),
        skill: 'one',
      },
    ])
    const broken = loaded.tools.find((tool) => tool.problems.length > 0)
    if (code !== 'execution-no-tool') expect(broken?.state).toBe('invalid')
    else expect(loaded.tools).toMatchObject([{ state: 'available' }])
  })

  it('tool-duplicate is an error at both places, and neither is usable', () => {
    verifies('T18')
    const loaded = load({ ...whole, tools: [tools[0], { name: 'a' }] })
    expect(summary(loaded.all)).toEqual(['error tool-duplicate', 'error tool-duplicate'])
    expect(new Set(loaded.all.map((problem) => problem.line)).size).toBe(2)
    expect(loaded.tools).toMatchObject([{ id: 'a', state: 'invalid' }])
  })

  it('run for a skill that is unavailable, too', () => {
    verifies('T18')
    bed.skill(
      'one',
      { ...whole, allowlist: {} },
      'name: one\nmetadata: {requires: {bins: [no-such-program]}}',
    )
    expect(summary(bed.load().all)).toEqual(['warning skill-bins-missing', 'error binary-not-allowlisted'])
  })

  it('resolve-not-allowlisted is a warning', () => {
    verifies('T18')
    const loaded = load(resolver({ binary: 'stub', subcommand: 'other' }))
    expect(summary(loaded.all)).toEqual(['warning resolve-not-allowlisted'])
    expect(loaded.tools).toMatchObject([{ state: 'available' }])
  })

  it('script-missing is a warning, for a script that leads out, too', () => {
    verifies('T18', 'T37')
    expect(summary(load(resolver({ script: 'no-such' })).all)).toEqual(['warning script-missing'])
    const outside = join(dirname(bed.project), 'outside.sh')
    writeFileSync(outside, '')
    bed.write('skills/one/scripts/fine.sh', '')
    symlinkSync(outside, join(bed.project, 'skills/one/scripts/out.sh'))
    expect(summary(load(resolver({ script: 'out' })).all)).toEqual(['warning script-missing'])
    const fine = load(resolver({ script: 'fine' }))
    expect(fine.all).toEqual([])
    expect(fine.tools[0]!.source.files).toContain(join(bed.project, 'skills/one/scripts/fine.sh'))
  })

  it('script-missing points at the script, in execution.json, too', () => {
    verifies('T18')
    const text = JSON.stringify(resolver({ script: 'no-such' }).execution, null, 1)
    const line = text.split('\n').findIndex((each) => each.includes('"script"')) + 1
    const column = text.split('\n')[line - 1]!.indexOf('"script"') + 1
    expect(load(tools, { 'allowlist.json': allowlist, 'execution.json': text }).all).toMatchObject([
      { code: 'script-missing', file: join(bed.project, 'skills/one/execution.json'), line, column },
    ])
  })

  it('an argument that is none does not move where the others are', () => {
    verifies('T17')
    const text = JSON.stringify(args([], { param: 'other' }), null, 1)
    const line = text.split('\n').findIndex((each) => each.includes('"other"')) + 1
    expect(load(text).all).toMatchObject([
      { code: 'descriptor-shape' },
      { code: 'param-not-in-schema', line },
    ])
  })

  it('param-not-in-schema is none where extra parameters are allowed', () => {
    verifies('T18', 'T21')
    for (const additionalProperties of [true, { type: 'string' }])
      expect(
        load({
          ...args(arg, { param: 'other' }),
          tools: [{ name: 'a', parameters: { ...tools[0]!.parameters, additionalProperties } }],
        }).all,
      ).toEqual([])
  })

  it('tool-shadowed: the first in skill order owns the name, available skills before others', () => {
    verifies('T18')
    bed.skill('b-second', whole)
    bed.skill('c-third', whole)
    bed.skill('a-first', whole, 'name: a-first\nmetadata: {requires: {bins: [no-such-program]}}')
    const loaded = bed.load()
    expect(loaded.tools.map((tool) => [tool.id, tool.state, tool.aliases])).toEqual([
      ['a-first/a', 'unavailable', []],
      ['a', 'available', ['b-second/a']],
      ['c-third/a', 'shadowed', []],
    ])
    expect(loaded.all.filter((problem) => problem.code === 'tool-shadowed')).toMatchObject([
      { severity: 'warning', skill: 'a-first' },
      { severity: 'warning', skill: 'c-third', message: expect.stringContaining('b-second') },
    ])
  })
})

describe('parameters', () => {
  it.each([undefined, null, {}])('%j takes no arguments', (parameters) => {
    verifies('T20')
    const loaded = load({
      tools: [{ name: 'a', ...(parameters === undefined ? {} : { parameters }) }],
      allowlist,
      execution: [{ tool: 'a', binary: 'stub', subcommand: '' }],
    })
    expect(loaded.tools[0]!.params).toEqual({ type: 'object', properties: {} })
  })

  it('without a type beside properties are an object', () => {
    verifies('T18')
    const loaded = load({ ...whole, tools: [{ name: 'a', parameters: { properties: { q: {} } } }] })
    expect(loaded.all).toEqual([])
    expect(loaded.tools[0]!.params).toEqual({ type: 'object', properties: { q: {} } })
  })
})
