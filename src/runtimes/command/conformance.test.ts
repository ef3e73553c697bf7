// The conformance rows of the specification, each with a real program, real scripts and a real skill folder.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  argvOf,
  argvStub,
  type RunResult,
  type Skills,
  ToolsJsonTestBed,
} from '../../../test/helpers/tools-json-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'

let bed: ToolsJsonTestBed

beforeAll(() => {
  bed = new ToolsJsonTestBed()
  bed.program('stub', argvStub)
  // Tells what it was given besides its arguments.
  bed.program('probe', '#!/bin/sh\npwd\necho "--"\ncat\n')
  bed.program('opener', '#!/bin/sh\nprintf \'%s\\0%s\\0\' "$1" "$2"\ncat "$2"\n')
  bed.write('a.txt', 'a')
  bed.write('.git/config', '')
  mkdirSync(join(bed.project, 'sub'))
  scripts()
})
afterAll(() => bed.close())

function scripts(): void {
  bed.write('skills/s/scripts/wrap', 'printf \'[%s]\' "$1"\n')
  bed.write('skills/s/scripts/fail.sh', 'exit 1\n')
  bed.write('skills/s/scripts/none.sh', ':\n')
  bed.write('skills/s/scripts/dash.sh', 'echo -x\n')
  bed.write('skills/s/scripts/sleeps.sh', 'sleep 30\n')
  const outside = join(dirname(bed.project), 'outside.sh')
  writeFileSync(outside, `touch ${bed.project}/ran\necho outside\n`)
  symlinkSync(outside, join(bed.project, 'skills/s/scripts/leads-out.sh'))
}

interface Setup {
  readonly args?: readonly object[]
  readonly properties?: object
  readonly required?: readonly string[]
  readonly parameters?: unknown
  readonly more?: object
  readonly sub?: string
  readonly allow?: { readonly [binary: string]: readonly string[] }
  readonly binary?: string
  readonly entries?: readonly object[]
  readonly skills?: Skills
}

const pos = (param: string, more: object = {}) => ({ param, kind: 'positional', ...more })
const flag = (param: string, more: object = {}) => ({ param, kind: 'flag', ...more })
const fib = (param: string, more: object = { flagIfTrue: '--on', flagIfFalse: '--off' }) => ({
  param,
  kind: 'flagifboolean',
  ...more,
})
const literal = (value?: string) => ({ kind: 'literal', ...(value === undefined ? {} : { value }) })
const script = (name: string, args: readonly string[] = []) => ({ resolveCommand: { script: name, args } })

async function run(setup: Setup, args: unknown): Promise<RunResult> {
  const { sub = '', binary = 'stub' } = setup
  const mapped = (setup.args ?? []).flatMap((arg) => ('param' in arg ? [arg.param as string] : []))
  const properties = { ...Object.fromEntries(mapped.map((name) => [name, {}])), ...setup.properties }
  const parameters =
    'parameters' in setup
      ? setup.parameters
      : { type: 'object', properties, ...(setup.required ? { required: setup.required } : {}), ...setup.more }
  bed.skill('s', {
    tools: [{ name: 't', parameters }],
    allowlist: setup.allow ?? { [binary]: [sub] },
    execution: setup.entries ?? [{ tool: 't', binary, subcommand: sub, args: setup.args ?? [] }],
  })
  const loaded = bed.load({ allowScripts: true })
  return bed.run(loaded.tools.find((tool) => tool.id === 't')!, args, {
    skills: { allowScripts: true, ...setup.skills },
  })
}

const INVALID = 'PARAMS_INVALID'
const REFUSED = 'COMMAND_ARG_REFUSED'
const DENIED = 'COMMAND_NOT_ALLOWED'

type Case = readonly [
  row: number,
  setup: Setup,
  args: unknown,
  expected: readonly string[] | string,
  also?: string | RegExp,
]

const q = { args: [pos('q')] }
const out = { args: [flag('out')] }
const b = { args: [fib('b')] }
const resolve = (name: string, args?: readonly string[], more: Setup = {}): Setup => ({
  args: [pos('p', script(name, args))],
  ...more,
})

const cases: readonly Case[] = [
  [1, q, { q: 'hello world' }, ['hello world']],
  [1, q, { q: '$(id); *' }, ['$(id); *']],
  [2, q, {}, []],
  [2, q, { q: null }, []],
  [2, { ...q, required: ['q'] }, {}, INVALID],
  [2, { ...q, required: ['q'] }, { q: null }, INVALID],
  [3, q, { q: '' }, ['']],
  [3, q, { q: 5 }, ['5']],
  [3, q, { q: 1.5 }, ['1.5']],
  [3, q, { q: true }, ['true']],
  [4, q, { q: ['a', 'b c', 3] }, ['a', 'b c', '3']],
  [4, q, { q: [] }, []],
  [5, q, { q: ['a', null] }, INVALID],
  [5, q, { q: [['a']] }, INVALID],
  [5, q, { q: { k: 1 } }, INVALID],
  [5, q, '{"q":9007199254740993}', INVALID, /string/],
  [6, q, { q: '-rf' }, REFUSED],
  [6, q, { q: '-' }, REFUSED],
  [6, q, { q: -5 }, REFUSED],
  [6, q, { q: ['a', '-b'] }, REFUSED],
  [6, q, { q: 'a\0b' }, REFUSED],
  [7, { args: [pos('q', { allowLeadingDash: true })] }, { q: '-rf' }, ['-rf']],
  [7, { args: [literal('--'), pos('q', { allowLeadingDash: true })] }, { q: '-rf' }, ['--', '-rf']],
  [8, { args: [pos('a'), pos('b')] }, { b: '2' }, INVALID],
  [8, { args: [pos('a', { optional: true }), pos('b')] }, { b: '2' }, ['2']],
  [8, { args: [pos('a'), pos('b')] }, { a: '1' }, ['1']],
  [8, { args: [pos('a', { optional: true }), pos('b')] }, { a: '1' }, ['1']],
  [9, out, { out: 'r.txt' }, ['--out', 'r.txt']],
  [9, out, { out: '-z' }, ['--out', '-z']],
  [9, out, { out: 'a\0' }, REFUSED],
  [10, { args: [flag('p')] }, { p: 'v' }, ['-p', 'v']],
  [10, { args: [flag('p', { flag: 'n' })] }, { p: 'v' }, ['-n', 'v']],
  [10, { args: [flag('p', { flag: 'path' })] }, { p: 'v' }, ['--path', 'v']],
  [11, { args: [flag('p', { flag: '-p' })] }, { p: 'v' }, ['-p', 'v']],
  [11, { args: [flag('p', { flag: '--pp' })] }, { p: 'v' }, ['--pp', 'v']],
  [11, { args: [flag('p', { flag: '---ppp' })] }, { p: 'v' }, ['---ppp', 'v']],
  [12, out, {}, []],
  [12, out, { out: null }, []],
  [12, { ...out, required: ['out'] }, {}, INVALID],
  [12, { ...out, required: ['out'] }, { out: null }, INVALID],
  [13, out, { out: '' }, ['--out', '']],
  [13, out, { out: false }, ['--out', 'false']],
  [13, out, { out: 0 }, ['--out', '0']],
  [14, out, { out: ['a', 'b'] }, ['--out', 'a', '--out', 'b']],
  [14, out, { out: [] }, []],
  [14, out, { out: {} }, INVALID],
  [15, b, { b: true }, ['--on']],
  [15, b, { b: false }, ['--off']],
  [15, b, {}, ['--off']],
  [15, b, { b: null }, ['--off']],
  [16, b, { b: 'TRUE' }, ['--on']],
  [16, b, { b: 'yes' }, ['--off']],
  [16, b, { b: '' }, ['--off']],
  [17, b, { b: -1 }, ['--on']],
  [17, b, { b: 0 }, ['--off']],
  [17, b, { b: 1.5 }, ['--off']],
  [17, b, { b: [] }, INVALID],
  [17, b, { b: {} }, INVALID],
  [18, { args: [fib('b', { flagIfTrue: '--sort desc' })] }, { b: true }, ['--sort desc']],
  [18, { args: [fib('b', { flagIfTrue: '--sort desc' })] }, {}, []],
  [19, { args: [{ ...fib('b'), kind: 'FlagIfBoolean' }] }, { b: true }, ['--on']],
  [19, { args: [{ ...fib('b'), kind: 'switch' }] }, { b: true }, DENIED, /kind-invalid/],
  [
    20,
    { args: [flag('alpha'), pos('b'), flag('gamma')] },
    { gamma: 3, b: 2, alpha: 1 },
    ['--alpha', '1', '2', '--gamma', '3'],
  ],
  [21, { args: [pos('q'), flag('q', { flag: 'name' })] }, { q: 'v' }, ['v', '--name', 'v']],
  [22, q, { q: 'a', zz: 1 }, INVALID, /zz/],
  [22, { ...q, more: { additionalProperties: true } }, { q: 'a', zz: 1 }, ['a']],
  [
    23,
    { args: [flag('n', { flag: 'limit' })], properties: { n: { type: 'integer', default: 10 } } },
    {},
    ['--limit', '10'],
  ],
  [
    23,
    { args: [flag('n', { flag: 'limit' })], properties: { n: { type: 'integer', default: 10 } } },
    { n: 3 },
    ['--limit', '3'],
  ],
  [
    23,
    { args: [flag('n', { flag: 'limit' })], properties: { n: { type: 'integer', default: 10 } } },
    { n: '3' },
    INVALID,
  ],
  [24, { parameters: null }, {}, []],
  [24, { parameters: null }, { a: 1 }, INVALID],
  [24, { parameters: null }, [], INVALID],
  [25, { ...q, sub: 'checkout -b' }, { q: 'x' }, ['checkout', '-b', 'x']],
  [26, { sub: 'a  b', allow: { stub: ['a b'] } }, {}, DENIED],
  [26, { sub: 'Search', allow: { stub: ['search'] } }, {}, DENIED],
  [
    27,
    { args: [flag('c', { flag: 'content', normalizeNewlines: true })] },
    { c: 'a\\nb\\tc\\rd' },
    ['--content', 'a\nb\tc\\rd'],
  ],
  [28, { args: [pos('c', { normalizeNewlines: true })] }, { c: 'a\\\\nb' }, ['a\\\nb']],
  [28, { args: [pos('c')] }, { c: 'a\\\\nb' }, ['a\\\\nb']],
  [29, resolve('wrap', ['$param']), { p: 'v' }, ['[v]']],
  [29, resolve('wrap', ['$param']), { p: '' }, ['[]']],
  [29, resolve('wrap', ['$param']), { p: '$&' }, ['[$&]']],
  [30, resolve('fail'), { p: 'v' }, ['v'], 'warned'],
  [30, resolve('none'), { p: 'v' }, ['v'], 'warned'],
  [30, resolve('no-such-file'), { p: 'v' }, ['v'], 'warned'],
  [30, resolve('wrap', ['$param'], { skills: { allowScripts: false } }), { p: 'v' }, ['v'], 'warned'],
  [31, resolve('wrap', ['--d=$param']), { p: 'v' }, ['[--d=v]']],
  [31, resolve('wrap', ['$parameter']), { p: 'v' }, ['[veter]']],
  [31, resolve('wrap', ['$scope']), { p: 'v' }, ['[$scope]']],
  [
    32,
    { args: [pos('p', { normalizeNewlines: true, ...script('wrap', ['$param']) })] },
    { p: 'a\\nb' },
    ['[a\nb]'],
  ],
  [33, resolve('wrap', ['$param']), { p: '-v' }, REFUSED],
  [33, resolve('dash'), { p: 'v' }, REFUSED],
  [34, { args: [flag('day', script('wrap', ['$param']))] }, {}, []],
  [34, { args: [flag('day', { optional: true, ...script('wrap', ['$param']) })] }, {}, ['--day', '[]']],
  [
    35,
    {
      args: [pos('p', { resolveCommand: { binary: 'echo', subcommand: 'pre', args: ['$param'] } })],
      allow: { stub: [''], echo: ['pre'] },
    },
    { p: 'v' },
    ['pre v'],
  ],
  [
    35,
    { args: [pos('p', { resolveCommand: { binary: 'echo', subcommand: 'pre', args: ['$param'] } })] },
    { p: 'v' },
    ['v'],
    'warned',
  ],
  [36, resolve('leads-out'), { p: 'v' }, ['v'], 'warned'],
  [36, resolve('sleeps'), { p: 'v' }, ['v'], 'warned'],
  [37, { args: [literal('--all')] }, {}, ['--all']],
  [37, { args: [literal()] }, {}, []],
  [38, { args: [pos('q', { split: true })] }, { q: 'a b  c' }, ['a', 'b', 'c']],
  [38, { args: [pos('q', { split: true })] }, { q: ' ' }, []],
  [38, { args: [pos('q', { split: true })] }, { q: 'a -b' }, REFUSED],
  [39, { args: [pos('ref', { absentDefault: '--all' })] }, {}, ['--all']],
  [39, { args: [pos('ref', { absentDefault: '--all' })] }, { ref: 'x' }, ['x']],
  [39, { args: [pos('ref', { absentDefault: '--all' })] }, { ref: '--all' }, REFUSED],
  [
    40,
    {
      args: [fib('f', { subcommandOverride: 'branch -D' }), pos('n')],
      sub: 'branch -d',
      allow: { stub: ['branch -d', 'branch -D'] },
    },
    { f: true, n: 't' },
    ['branch', '-D', 't'],
  ],
  [
    40,
    {
      args: [fib('f', { subcommandOverride: 'branch -D' }), pos('n')],
      sub: 'branch -d',
      allow: { stub: ['branch -d', 'branch -D'] },
    },
    { n: 't' },
    ['branch', '-d', 't'],
  ],
  [
    41,
    {
      args: [
        { param: 'c', kind: 'stdin' },
        { param: 'd', kind: 'workingdir' },
      ],
    },
    { d: '../..' },
    REFUSED,
  ],
  [44, { args: [pos('q', { denyPattern: '^main$' })] }, { q: 'main' }, REFUSED],
  [44, { args: [pos('q', { denyPattern: '^main$' })] }, { q: 'mainly' }, ['mainly']],
  [45, { args: [pos('f', { readPath: true })] }, { f: '../x' }, REFUSED],
  [45, { args: [pos('f', { readPath: true })] }, { f: '.git/config' }, REFUSED],
]

describe('conformance rows', () => {
  it('are all here', () => {
    // Rows 41 to 43 and 45 need more than an argument list and have tests of their own below.
    verifies(
      'T-row-1',
      'T-row-2',
      'T-row-3',
      'T-row-4',
      'T-row-5',
      'T-row-6',
      'T-row-7',
      'T-row-8',
      'T-row-9',
    )
    verifies('T-row-10', 'T-row-11', 'T-row-12', 'T-row-13', 'T-row-14', 'T-row-15', 'T-row-16', 'T-row-17')
    verifies('T-row-18', 'T-row-19', 'T-row-20', 'T-row-21', 'T-row-22', 'T-row-23', 'T-row-24', 'T-row-25')
    verifies('T-row-26', 'T-row-27', 'T-row-28', 'T-row-29', 'T-row-30', 'T-row-31', 'T-row-32', 'T-row-33')
    verifies('T-row-34', 'T-row-35', 'T-row-36', 'T-row-37', 'T-row-38', 'T-row-39', 'T-row-40', 'T-row-44')
    const rows = new Set(cases.map(([row]) => row))
    const missing = Array.from({ length: 45 }, (_, index) => index + 1).filter((row) => !rows.has(row))
    expect(missing).toEqual([42, 43])
  })

  it.for(cases)('row %i: %j with %j gives %j', async ([, setup, args, expected, also]) => {
    const result = await run(setup, args)
    if (typeof expected === 'string') {
      expect(result.error?.code).toBe(expected)
      if (also instanceof RegExp) expect(result.error?.message).toMatch(also)
    } else {
      expect(result.error).toBeUndefined()
      expect(argvOf(result.value)).toEqual(expected)
      expect(result.warnings.length > 0).toBe(also === 'warned')
    }
  })

  it('row 36: the script a link leads to outside never ran', async () => {
    verifies('T-row-36', 'T37')
    await run(resolve('leads-out'), { p: 'v' })
    expect(existsSync(join(bed.project, 'ran'))).toBe(false)
  })

  it.each([
    [{ c: 'hi', d: 'sub' }, '/sub', 'hi'],
    [{}, '', ''],
  ])('row 41: %j sets standard input and folder', async (args, folder, input) => {
    verifies('T-row-41')
    const result = await run(
      {
        binary: 'probe',
        args: [
          { param: 'c', kind: 'stdin' },
          { param: 'd', kind: 'workingdir' },
        ],
      },
      args,
    )
    expect(result.value).toBe(`${bed.project}${folder}\n--\n${input}`)
  })

  it('row 42: a temporary file holds the text and is gone after the run', async () => {
    verifies('T-row-42')
    const result = await run(
      { binary: 'opener', args: [{ param: 'c', kind: 'tempfile', flag: 'file' }] },
      { c: 'hi' },
    )
    const [option, path, content] = String(result.value).split('\0')
    expect([option, content]).toEqual(['--file', 'hi'])
    expect(path).toMatch(/^\//)
    expect(existsSync(path!)).toBe(false)
    expect(existsSync(dirname(path!))).toBe(false)
  })

  it.each([
    [{ go: 1 }, ['go']],
    [{ go: 1, stop: 1 }, INVALID],
    [{}, INVALID],
  ] as const)('row 43: %j chooses the entry by what the caller gave', async (args, expected) => {
    verifies('T-row-43')
    const entry = (name: string) => ({
      tool: 't',
      binary: 'stub',
      subcommand: name,
      paramCondition: { present: [name] },
    })
    const result = await run(
      {
        properties: { go: {}, stop: {} },
        allow: { stub: ['go', 'stop'] },
        entries: [entry('go'), entry('stop')],
      },
      args,
    )
    if (typeof expected === 'string') {
      expect(result.error).toMatchObject({
        code: expected,
        message: expect.stringContaining('(with go) or (with stop)'),
      })
    } else expect(argvOf(result.value)).toEqual(expected)
  })

  it('row 45: a readable path arrives absolute', async () => {
    verifies('T-row-45')
    const result = await run({ args: [pos('f', { readPath: true })] }, { f: 'a.txt' })
    expect(argvOf(result.value)).toEqual([`${bed.project}/a.txt`])
  })
})
