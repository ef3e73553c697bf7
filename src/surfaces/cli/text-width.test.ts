import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { cutToWidth, textWidth } from './text-width.ts'

it.each([
  ['plain', 5],
  ['\u001b[1mbold\u001b[22m', 4],
  ['日本', 4],
  ['🔧', 2],
  ['👩‍🔧', 2],
  ['e\u0301', 1],
  ['한국어 x', 8],
  ['naïve', 5],
])('%j takes %d columns', (text, width) => {
  verifies('D20')
  expect(textWidth(text)).toBe(width)
})

it.each([
  ['plain text', 10, 'plain text'],
  ['plain text', 6, 'plain…'],
  ['日本語です', 6, '日本…'],
  ['a👩‍🔧b👩‍🔧', 5, 'a👩‍🔧b…'],
  ['\u001b[1mlong words\u001b[22m', 5, '\u001b[1mlong\u001b[22m…'],
  ['a\u001b[2m日本\u001b[22mbc', 3, 'a\u001b[2m\u001b[22m…'],
])('%j cut to %d columns is %j', (text, width, cut) => {
  verifies('D20')
  expect(cutToWidth(text, width)).toBe(cut)
  expect(textWidth(cut)).toBeLessThanOrEqual(width)
})
