import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern, isSurelyFast } from './pattern.ts'

describe('compilePattern', () => {
  it('stops a pattern that backtracks without end, and says so', () => {
    const pattern = compilePattern('^(a+)+$', 50)
    expect(pattern.test(`${'a'.repeat(60)}b`)).toBe(false)
    expect(pattern.timedOut).toBe(true)
    expect(pattern.test('aaa')).toBe(true)
    expect(pattern.timedOut).toBe(false)
  })

  it('matches as a plain regular expression does', () => {
    const sources = [
      '^[a-z][a-z0-9-]*$',
      '\\d{4}-\\d\\d',
      '(foo|bar)+',
      'a{2,3}b',
      '^x|y$',
      '[\\]]+',
      '\\p{L}+',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...sources), fc.string({ maxLength: 20 }), (source, text) => {
        expect(compilePattern(source).test(text)).toBe(new RegExp(source, 'u').test(text))
      }),
      { numRuns: 300 },
    )
  })

  it('takes patterns that only work without the u flag', () => {
    expect(compilePattern('^\\-x$').test('-x')).toBe(true)
  })
})

it.each([
  ['^[a-z]+$', true],
  ['abc', true],
  ['^a{1,5}b?$', true],
  ['(a+)+', false],
  ['(a|b)*', false],
  ['a*b*c*', false],
  ['.*x.*y', false],
  ['(?=a)a', false],
  ['(a)\\1', false],
  ['x+', false],
  ['^x+|y+', false],
])('judges %s', (source, expected) => {
  expect(isSurelyFast(source)).toBe(expected)
})
