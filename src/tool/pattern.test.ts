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

  it.each([`${'a?'.repeat(30)}${'a'.repeat(30)}$`, `${'(a|a)'.repeat(30)}b`, `${'a{0,60}'.repeat(8)}b`])(
    'stops %s, which backtracks long without a repeat that has no end',
    (source) => {
      const pattern = compilePattern(source, 50)
      expect(pattern.test(`${'a'.repeat(60)}c`)).toBe(false)
      expect(pattern.timedOut).toBe(true)
    },
  )

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
  ['^(?:alpha|beta|gamma)-[0-9]{1,3}$', true],
  ['^(git|npm)?:?[a-z]*$', true],
  ['^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$', true],
  [`(a|a)`.repeat(7), false],
  ['((a|b)(a|b)|c)((a|b)(a|b)|c)((a|b)(a|b)|c)', false],
  ['a?'.repeat(7), false],
  ['a{0,9}b{0,9}', false],
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
