import { expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { compareExample } from './compare-example.ts'

it.each([
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, undefined],
  [[1, 2], [2, 1], { path: '/0', expected: 1, actual: 2 }],
  [{ sum: 0.3 }, { sum: 0.1 + 0.2 }, { path: '/sum', expected: 0.3, actual: 0.1 + 0.2 }],
  [{ a: { b: 1 } }, { a: {} }, { path: '/a/b', expected: 1, actual: undefined }],
  [{ a: 1 }, { a: 1, extra: 2 }, { path: '/extra', expected: undefined, actual: 2 }],
  ['1', 1, { path: '', expected: '1', actual: 1 }],
])('compares %j with %j', (expected, actual, difference) => {
  verifies('C120')
  expect(compareExample(expected, actual)).toEqual(difference)
})

it('lets a partial match have more keys', () => {
  expect(compareExample({ a: 1 }, { a: 1, extra: 2 }, 'partial')).toBeUndefined()
})
