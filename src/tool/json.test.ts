import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, equalJson, isPlainObject, jsonDigest } from './json.ts'

describe('canonicalJson', () => {
  it('orders keys by UTF-16 code units and leaves white space out', () => {
    expect(canonicalJson({ b: [1, { z: null, a: true }], a: 'é', '\u{1f600}': 1, '\ufb33': 2 })).toBe(
      '{"a":"é","b":[1,{"a":true,"z":null}],"\u{1f600}":1,"\ufb33":2}',
    )
  })

  it('writes numbers as RFC 8785 does', () => {
    expect(canonicalJson([1e30, 4.5, 2e-3, 1e-27, Number('333333333.33333329'), -0])).toBe(
      '[1e+30,4.5,0.002,1e-27,333333333.3333333,0]',
    )
  })

  it('reads back as the same value, whatever the key order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

it('finds data equal exactly when their canonical texts are', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
      expect(equalJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b))
      expect(equalJson(a, JSON.parse(canonicalJson(a)))).toBe(true)
    }),
  )
  expect(equalJson({ a: 1, b: undefined }, { a: 1 })).toBe(true)
  expect(equalJson({ a: 1 }, { a: 1, b: null })).toBe(false)
})

it('gives equal data one digest', () => {
  expect(jsonDigest({ a: 1, b: 2 })).toBe(jsonDigest({ b: 2, a: 1 }))
  expect(jsonDigest({ a: 1 })).not.toBe(jsonDigest({ a: '1' }))
})

it.each([
  [{}, true],
  [Object.create(null), true],
  [JSON.parse('{"a":1}'), true],
  [[], false],
  [null, false],
  [new Date(), false],
  [new Map(), false],
])('tells plain objects from other things (%#)', (value, expected) => {
  expect(isPlainObject(value)).toBe(expected)
})
