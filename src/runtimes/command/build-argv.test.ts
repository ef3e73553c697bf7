import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { optionOf } from '../../formats/tools-json/read-execution.ts'
import type { CommandArg, CommandEntry } from '../../tool/plans/command-plan.ts'
import { buildArgv } from './build-argv.ts'

const entry = (subcommand: string, ...args: readonly CommandArg[]): CommandEntry => ({
  binary: 'x',
  subcommand,
  args,
})
const pos = (param: string, more: Partial<CommandArg> = {}): CommandArg => ({
  kind: 'positional',
  param,
  ...more,
})
const flag = (param: string, more: Partial<CommandArg> = {}): CommandArg => ({
  kind: 'flag',
  param,
  option: optionOf(param),
  ...more,
})
const argv = (given: CommandEntry, params: Record<string, unknown>) => buildArgv(given, params).argv
const refused = expect.objectContaining({ code: 'COMMAND_ARG_REFUSED' })
const invalid = expect.objectContaining({ code: 'PARAMS_INVALID' })

describe('buildArgv', () => {
  it("emits the subcommand, then every mapping in declared order, not the caller's", () => {
    verifies('T25')
    const given = entry('go', flag('b'), pos('a'), flag('a', { option: '--again' }))
    expect(argv(given, { a: '1', b: '2' })).toEqual(['go', '-b', '2', '1', '--again', '1'])
    expect(argv(given, { b: '2', a: '1' })).toEqual(argv(given, { a: '1', b: '2' }))
  })

  it.each([
    ['', []],
    ['  ', []],
    ['a', ['a']],
    [' a  b\tc ', ['a', 'b', 'c']],
    ['a "b c"', ['a', '"b', 'c"']],
  ])('splits the subcommand %j on whitespace without quoting', (subcommand, tokens) => {
    verifies('T26')
    expect(argv(entry(subcommand), {})).toEqual(tokens)
  })

  it.each([
    ['  two  words ', '  two  words '],
    [5, '5'],
    [-0, '0'],
    [0.1, '0.1'],
    [1e-7, '1e-7'],
    [true, 'true'],
    [false, 'false'],
  ])('writes the value %j as %j', (value, text) => {
    verifies('T27')
    expect(argv(entry('', flag('v')), { v: value })).toEqual(['-v', text])
  })

  it.each([
    ['n', '-n'],
    ['name', '--name'],
    ['-x', '-x'],
    ['--long', '--long'],
    ['é', '-é'],
    ['\u{1f600}', '-\u{1f600}'],
  ])('writes the option %j as %j, apart from its value', (name, option) => {
    verifies('T28')
    expect(optionOf(name)).toBe(option)
    expect(argv(entry('', flag('v', { option: optionOf(name) })), { v: 'a=b' })).toEqual([option, 'a=b'])
  })

  it('emits the flag of a boolean as one entry, and nothing for one that is unset', () => {
    verifies('T29')
    const given = entry('', { kind: 'flagifboolean', param: 'b', flagIfFalse: '--no sort' })
    expect(argv(given, { b: false })).toEqual(['--no sort'])
    expect(argv(given, { b: true })).toEqual([])
  })

  it('refuses a gap that would move a later value, unless the missing one is optional', () => {
    verifies('T30')
    const given = (more: Partial<CommandArg>) => entry('', pos('a', more), pos('b'), pos('c'))
    expect(() => argv(given({}), { c: '3' })).toThrow(
      expect.objectContaining({ code: 'PARAMS_INVALID', message: expect.stringMatching(/"a".*"c"/) }),
    )
    expect(() => argv(given({ optional: true }), { c: '3' })).toThrow(invalid)
    expect(argv(given({ optional: true }), { b: '2', c: '3' })).toEqual(['2', '3'])
    expect(argv(given({}), { a: '1', b: '2' })).toEqual(['1', '2'])
    expect(() => argv(given({}), { a: [], b: '2' })).toThrow(invalid)
  })

  it('emits -- before a later positional when an earlier one was skipped', () => {
    verifies('T30')
    const given = entry(
      'diff',
      pos('ref', { optional: true }),
      pos('path', { optional: true, disambiguateAfterSkippedPositionals: true }),
    )
    expect(argv(given, { path: 'a' })).toEqual(['diff', '--', 'a'])
    expect(argv(given, { ref: 'r', path: 'a' })).toEqual(['diff', 'r', 'a'])
    expect(argv(given, {})).toEqual(['diff'])
  })

  it.each(['-', '--', '-x', '--output=/etc/x', -5, ['a', '-b'], [1, -2]])(
    'refuses the positional %j',
    (q) => {
      verifies('T31')
      expect(() => argv(entry('', pos('q')), { q })).toThrow(refused)
      expect(argv(entry('', pos('q', { allowLeadingDash: true })), { q })).toEqual([q].flat().map(String))
    },
  )

  it("guards neither flag values nor the author's own text", () => {
    verifies('T31')
    expect(
      argv(
        entry(
          '',
          flag('v'),
          { kind: 'literal', param: '', value: '-l' },
          pos('q', { absentDefault: ['-a', '-b c'], split: true }),
        ),
        { v: '-z' },
      ),
    ).toEqual(['-v', '-z', '-l', '-a', '-b', 'c'])
  })

  it.each([
    ['a NUL', 'a\0b'],
    ['131072 bytes', 'é'.repeat(65_536)],
    ['half a surrogate pair', 'a\ud800b'],
  ])('refuses %s in any entry', (_, text) => {
    verifies('T32')
    expect(() => argv(entry('', pos('v')), { v: text })).toThrow(refused)
    expect(() => argv(entry('', flag('v')), { v: [text] })).toThrow(refused)
    expect(() => argv(entry('', { kind: 'literal', param: '', value: text }), {})).toThrow(refused)
  })

  it('passes on 131071 bytes and whole surrogate pairs', () => {
    verifies('T32')
    const text = `${'\u{1f600}'.repeat(32_767)}abc`
    expect(Buffer.byteLength(text)).toBe(131_071)
    expect(argv(entry('', pos('v')), { v: text })).toEqual([text])
  })

  it('treats one value in the order of the rule', () => {
    verifies('T33')
    // Newlines before denial, denial of the whole before the split and of each piece after it, paths last.
    expect(() =>
      argv(entry('', pos('v', { normalizeNewlines: true, denyPattern: '\n' })), { v: 'a\\nb' }),
    ).toThrow(refused)
    expect(() => argv(entry('', pos('v', { split: true, denyPattern: 'a b' })), { v: 'a b' })).toThrow(
      refused,
    )
    expect(() => argv(entry('', pos('v', { split: true, denyPattern: '^b$' })), { v: 'a b' })).toThrow(
      refused,
    )
    expect(() => argv(entry('', pos('v', { absentDefault: 'main', denyPattern: '^main$' })), {})).toThrow(
      refused,
    )
    const paths = buildArgv(
      entry('', pos('v', { split: true, readPath: true })),
      { v: '-a b' },
      'tool',
      (text) => `/p/${text}`,
    )
    expect(paths.argv).toEqual(['/p/-a', '/p/b'])
  })

  it('treats each element of a list alone', () => {
    verifies('T33')
    expect(() => argv(entry('', flag('v', { denyPattern: '^b$' })), { v: ['a', 'b'] })).toThrow(refused)
    expect(argv(entry('', flag('v', { normalizeNewlines: true })), { v: ['a\\n', 5] })).toEqual([
      '-v',
      'a\n',
      '-v',
      '5',
    ])
  })

  it('takes a list of any length', () => {
    verifies('T25')
    const v = Array.from({ length: 300_000 }, (_, index) => `${index}`)
    expect(argv(entry('', pos('v')), { v }).length).toBe(v.length)
    expect(argv(entry('', flag('v')), { v }).length).toBe(2 * v.length)
  })

  it('gives up on a pattern that takes longer than a second, and refuses', () => {
    verifies('T33')
    const given = entry('', pos('v', { denyPattern: '^(a+)+$' }))
    expect(() => argv(given, { v: `${'a'.repeat(40)}!` })).toThrow(
      expect.objectContaining({ code: 'COMMAND_ARG_REFUSED', message: expect.stringContaining('in time') }),
    )
  })

  it('uses absentDefault of every kind, and only for what is missing', () => {
    verifies('T33')
    const given = entry(
      'a',
      flag('v', { absentDefault: 10 }),
      { kind: 'flagifboolean', param: 'b', flagIfTrue: '--on', absentDefault: true },
      { kind: 'flagifboolean', param: 's', subcommandOverride: 'z', absentDefault: true },
    )
    expect(argv(given, {})).toEqual(['z', '-v', '10', '--on'])
    expect(argv(given, { v: '', b: false, s: false })).toEqual(['a', '-v', ''])
  })

  it('takes the first true override and emits no flag for any', () => {
    verifies('T29')
    const override = (param: string): CommandArg => ({
      kind: 'flagifboolean',
      param,
      subcommandOverride: `to ${param}`,
      flagIfTrue: '--never',
    })
    expect(argv(entry('x', override('a'), override('b')), { a: true, b: true })).toEqual(['to', 'a'])
    expect(argv(entry('x', override('a'), override('b')), { b: true })).toEqual(['to', 'b'])
    expect(argv(entry('x', override('a'), override('b')), {})).toEqual(['x'])
  })

  it.each([
    ['stdin', [['a']]],
    ['workingdir', [['a'], { x: 1 }]],
    ['tempfile', [['a'], {}]],
    ['flag', [{}, [null], [['a']]]],
    ['flagifboolean', [[], {}]],
  ] as const)('refuses lists and objects that kind %s cannot take', (kind, values) => {
    verifies('T27')
    for (const v of values)
      expect(() => argv(entry('', { kind, param: 'v', option: '-v', flagIfTrue: '-t' }), { v })).toThrow(
        invalid,
      )
  })

  it('ignores what is inherited, not given', () => {
    expect(argv(entry('', pos('toString'), pos('constructor')), {})).toEqual([])
  })

  it('keeps standard input out of argv, NUL included', () => {
    verifies('T34')
    const built = buildArgv(entry('', { kind: 'stdin', param: 'c', normalizeNewlines: true }), {
      c: 'a\\n\0b',
    })
    expect(built).toMatchObject({ argv: [], stdin: 'a\n\0b' })
  })

  it('puts a temporary file where it was declared', () => {
    const built = buildArgv(
      entry(
        '',
        pos('a'),
        { kind: 'tempfile', param: 'c', option: '--file', normalizeNewlines: true },
        pos('b'),
      ),
      { a: '1', b: '2', c: 'x\\ty' },
    )
    expect(built).toMatchObject({
      argv: ['1', '--file', '<tempfile:c>', '2'],
      tempFiles: [{ param: 'c', text: 'x\ty', index: 2 }],
    })
  })
})
