import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { lineDiff, linesOf, mergeLines } from './line-diff.ts'

const text = (...lines: string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''))
const anyLines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', '__proto__\n'), { maxLength: 12 })

it('turns the one text into the other', () => {
  fc.assert(
    fc.property(anyLines, anyLines, (before, after) => {
      const rebuilt: string[] = []
      let at = 0
      for (const hunk of lineDiff(before, after)) {
        rebuilt.push(...before.slice(at, hunk.before.from), ...after.slice(hunk.after.from, hunk.after.to))
        at = hunk.before.to
      }
      expect([...rebuilt, ...before.slice(at)]).toEqual(after)
    }),
  )
})

it('answers soon for texts that would take long to compare', () => {
  const many = Array.from({ length: 50_000 }, () => '\n')
  expect(lineDiff(['a\n', ...many, 'b\n'], ['c\n', ...many, many[0]!, 'd\n'])).toHaveLength(1)
})

it('merges changes in different places', () => {
  verifies('E12')
  const base = text('1', '2', '3', '4', '5')
  expect(mergeLines(base, text('one', '2', '3', '4', '5'), text('1', '2', '3', '4', 'five'))).toEqual(
    text('one', '2', '3', '4', 'five'),
  )
})

it('merges the same change made twice', () => {
  expect(mergeLines(text('1', '2'), text('1', 'x'), text('1', 'x'))).toEqual(text('1', 'x'))
})

it.each([
  ['the same line', text('1', 'x', '3'), text('1', 'y', '3')],
  ['lines that touch', text('1', 'x', '3'), text('1', '2', 'y')],
])('does not merge changes of %s', (_, one, other) => {
  verifies('E12')
  expect(mergeLines(text('1', '2', '3'), one, other)).toBeUndefined()
})

it('keeps every byte of any encoding', () => {
  const bytes = Buffer.from([0xff, 0x0a, 0xc3, 0x0d, 0x0a, 0x80])
  expect(Buffer.from(linesOf(bytes).join(''), 'latin1')).toEqual(bytes)
  expect(mergeLines(bytes, bytes, Buffer.concat([Buffer.from('new\n'), bytes]))).toEqual(
    Buffer.concat([Buffer.from('new\n'), bytes]),
  )
})
