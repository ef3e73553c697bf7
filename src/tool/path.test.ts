import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { pathGet, pathQuery, pathSet } from './path.ts'

const data = {
  a: [{ b: 1 }, { b: 2, c: 'x' }],
  'with-hyphen': { d: null },
  fn: () => 1,
  deep: { er: { b: 3 } },
}

describe('pathGet', () => {
  it.each([
    ['a[0].b', 1],
    ['a.0.b', 1],
    ['$.a[?(@.b)].b', 1],
    ['a[?(@.b == 2)].c', 'x'],
    ['$.a[?(@.b > 1 && @.c == "x")].b', 2],
    ['$.a[?(!(@.c))].b', 1],
    ['$.a[-1].b', 2],
    ['$..er.b', 3],
    ["$['with-hyphen'].d", null],
    ['with-hyphen.d', null],
    ['a["0"].b', 1],
  ])('%s is %j', (path, expected) => {
    verifies('K38', 'S50')
    expect(pathGet(data, path)).toBe(expected)
  })

  it.each([
    ['none'],
    ['a.9.b'],
    ['__proto__.x'],
    ['constructor'],
    ['a.constructor'],
    ['a.length.constructor'],
    ['$.__proto__'],
    ["$['constructor']"],
    ['toString'],
    ['fn'],
    ['$.fn'],
    [''],
    ['a..b'],
    ['a['],
    ['$.a[?(process.exit())]'],
    ['$.a[?(@.b ==)]'],
  ])('%s finds nothing', (path) => {
    verifies('K38', 'S50')
    expect(pathGet(data, path)).toBe(undefined)
  })

  it('never reaches a prototype, whatever the path', () => {
    verifies('S50')
    const step = fc.constantFrom('__proto__', 'prototype', 'constructor', 'a', '0', 'toString', 'x')
    const polluted = { a: { x: 1 }, x: [1, { a: 2 }] }
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), fc.boolean(), (steps, isQuery) => {
        const path = isQuery ? `$.${steps.join('.')}` : steps.join('.')
        const found = pathGet(polluted, path)
        expect([
          Object.prototype,
          Array.prototype,
          Function.prototype,
          Object,
          Array,
          Function,
        ]).not.toContain(found)
        expect(typeof found).not.toBe('function')
      }),
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (path) => {
        pathGet(data, path)
        pathGet(data, `$${path}`)
        expect(Array.isArray(pathQuery(data, `$.a[?(${path})]`))).toBe(true)
      }),
    )
  })
})

describe('pathQuery', () => {
  it.each([
    ['$.a[*].b', [1, 2]],
    ['$.a[0,1].b', [1, 2]],
    ['$.a[0:1].b', [1]],
    ['$.a[::-1].b', [2, 1]],
    ['$..b', [1, 2, 3]],
    ['a.1.b', [2]],
    ['none', []],
  ])('%s is %j', (path, expected) => {
    verifies('S50')
    expect(pathQuery(data, path)).toEqual(expected)
  })
})

describe('pathSet', () => {
  it('makes the maps that are missing', () => {
    verifies('S50')
    expect(pathSet({}, 'a.b-c.d', 1)).toEqual({ a: { 'b-c': { d: 1 } } })
    expect(pathSet({ a: [{ b: 1 }] }, 'a[0].b', 2)).toEqual({ a: [{ b: 2 }] })
  })

  it.each([['$.a'], ['a[?(@.b)]'], ['__proto__.x'], ['a.constructor.y'], ['prototype']])(
    'refuses %s and changes nothing',
    (path) => {
      verifies('S50')
      const target = {}
      expect(() => pathSet(target, path, 1)).toThrow(TypeError)
      expect(target).toEqual({})
      expect(({} as Record<string, unknown>)['x']).toBe(undefined)
    },
  )
})
