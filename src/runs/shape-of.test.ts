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

it('is text that JSON reads, whatever the names of members are', () => {
  fc.assert(
    fc.property(fc.object({ key: fc.string({ unit: 'binary' }), maxDepth: 5 }), (value) => {
      const shape = shapeOf(value) as Record<string, unknown>
      expect(Object.keys(shape).sort()).toEqual(Object.keys(value).slice(0, 100).sort())
      expect(JSON.parse(JSON.stringify(shape))).toEqual(shape)
    }),
  )
  const odd = JSON.parse('{"__proto__": 1, "a\\"b": [1, 2, 3, 4], "\\ud800": null, "": {}}')
  expect(JSON.stringify(shapeOf(odd))).toBe(
    '{"__proto__":"number","a\\"b":["number","number","number","and 1 more"],"\\ud800":null,"":{}}',
  )
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
