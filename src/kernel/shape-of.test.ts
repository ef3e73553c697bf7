import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isShape, shapeOf } from './shape-of.ts'

it('keeps names and types, and no text or number', () => {
  expect(shapeOf({ name: 'Ada', tags: ['x', 'y'], n: 3, on: true, none: null })).toEqual({
    name: 'string(3)',
    tags: ['string(1)', 'string(1)'],
    n: 'number',
    on: 'boolean',
    none: null,
  })
})

it('recognises every shape that says something', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean())), (value) => {
      expect(isShape(shapeOf(value))).toBe(Object.keys(value).length > 0)
    }),
  )
})

it.each([[{ name: 'Ada' }], [{ n: 3 }], [{}], [null], [{ a: 'string(3)', b: 'Ada' }], [[]]])(
  'takes %j for a value',
  (value) => {
    expect(isShape(value)).toBe(false)
  },
)
