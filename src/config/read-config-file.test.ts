import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { lineOfKey, parseConfig, readConfigFile, without } from './read-config-file.ts'

const parse = (text: string) => parseConfig(text, '/crib/toolcrib.yaml')

it('takes an absent file for an empty one', () => {
  expect(readConfigFile(join(tempFolder(), 'toolcrib.yaml'))).toEqual({ values: {}, problems: [] })
})

it('gives what the file says', () => {
  const file = join(tempFolder({ 'toolcrib.yaml': 'trust: off\nroots: [a]\n' }), 'toolcrib.yaml')
  expect(readConfigFile(file)).toEqual({ values: { trust: 'off', roots: ['a'] }, problems: [] })
})

it('says of a folder in its place that it cannot be read', () => {
  const { values, problems } = readConfigFile(tempFolder())
  expect(values).toEqual({})
  expect(problems).toMatchObject([{ code: 'config-unreadable', severity: 'error' }])
})

it.each(['', '# nothing yet\n', 'null\n', '{}\n'])('finds nothing wrong in %j', (text) => {
  expect(parse(text)).toEqual({ values: {}, problems: [] })
})

describe('what is no map of settings', () => {
  it.each([
    ['a: [\n', 2],
    ['trust: off\ntrust: warn\n', 2],
    ['trust: "off\n', 2],
  ])('%j is one problem near line %i, and nothing of it counts', (text, line) => {
    const { values, problems } = parse(text)
    expect(values).toEqual({})
    expect(problems).toMatchObject([{ code: 'config-parse', severity: 'error' }])
    expect(Math.abs(problems[0]!.line! - line)).toBeLessThanOrEqual(1)
    expect(problems[0]!.message).not.toMatch(/ at line /)
  })

  it.each(['- a\n', 'just text\n', '7\n'])('%j is told what it must be', (text) => {
    expect(parse(text).problems).toMatchObject([{ message: 'The configuration must be a map of keys.' }])
  })

  it('is a document that multiplies itself', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let n = 1; n < 9; n++)
      lines.push(`a${n}: &a${n} [${Array.from({ length: 9 }, () => `*a${n - 1}`).join(', ')}]`)
    expect(parse(`${lines.join('\n')}\n`)).toMatchObject({ values: {}, problems: [{ code: 'config-parse' }] })
  })
})

describe('a wrong setting', () => {
  const { values, problems } = parse('trust: warn\nlimits:\n  memoryMb: lots\n  timeoutMs: 5\ntypo: 1\n')

  it('is named with its line and column', () => {
    const found = problems.map(({ code, line, column }) => [code, line, column])
    expect(found.sort()).toEqual([
      ['config-invalid', 3, 3],
      ['config-unknown-key', 5, 1],
    ])
  })

  it('does not count, and what stands beside it does', () => {
    expect(values).toEqual({ trust: 'warn', limits: { timeoutMs: 5 } })
  })
})

it('knows the line of a key, or of the nearest above it', () => {
  const file = join(tempFolder({ 'toolcrib.yaml': 'a: 1\nb:\n  c: 2\n' }), 'toolcrib.yaml')
  expect([['a'], ['b', 'c'], ['b', 'no'], ['no']].map((keys) => lineOfKey(file, keys))).toEqual([1, 3, 2, 1])
})

it('takes one key out of a copy', () => {
  const values = { a: { b: 1, c: 2 }, d: 3 }
  expect(without(values, ['a', 'b'])).toEqual({ a: { c: 2 }, d: 3 })
  expect(without(values, ['d'])).toEqual({ a: { b: 1, c: 2 } })
  expect(without(values, ['d', 'e'])).toEqual({ a: { b: 1, c: 2 } })
  expect(without(values, [])).toEqual({})
  expect(values).toEqual({ a: { b: 1, c: 2 }, d: 3 })
})

it('never throws, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const { values, problems } = parse(text)
      expect(typeof values).toBe('object')
      for (const problem of problems) expect(problem.line).toBeGreaterThan(0)
    }),
  )
})
