// What differs between two runs, by path.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { changesBetween, sortedDeep } from '../../console/src/parts/value-changes.ts'
import { verifies } from '../helpers/verifies.ts'

it.each<[string, unknown, unknown, unknown]>([
  ['nothing where only the order of keys differs', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['a value', { a: 1 }, { a: 2 }, [{ path: '$.a', before: '1', after: '2' }]],
  ['a key that came', {}, { 'odd key': null }, [{ path: '$["odd key"]', after: 'null' }]],
  ['a key that went', { a: 1 }, {}, [{ path: '$.a', before: '1' }]],
  ['one entry more in front of a list', [1, 2], [0, 1, 2], [{ path: '$[0]', after: '0' }]],
  [
    'a field of one entry of a list',
    [{ n: 1 }, { n: 2, x: 1 }],
    [{ n: 1 }, { n: 2, x: 2 }],
    [{ path: '$[1].x', before: '1', after: '2' }],
  ],
  ['another kind', { a: [] }, { a: {} }, [{ path: '$.a', before: '[]', after: '{}' }]],
])('tells %s', (_, before, after, changes) => {
  verifies('V13')
  expect(changesBetween(before, after)).toEqual(changes)
})

it('tells nothing of the same, and something of what is not', () => {
  verifies('V13')
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(changesBetween(one, one)).toEqual([])
      const isSame = JSON.stringify(sortedDeep(one)) === JSON.stringify(sortedDeep(other))
      expect(changesBetween(one, other).length === 0).toBe(isSame)
    }),
  )
})
