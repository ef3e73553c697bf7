import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { JsonSchema } from '../tool.ts'
import { compileSchema } from './compile-schema.ts'

it('keeps the patterns of one schema apart', () => {
  const validator = compileSchema(
    { properties: { a: { type: 'string', pattern: '^a' }, b: { type: 'string', pattern: '^b' } } },
    { fillDefaults: false },
  )
  expect(validator.violations({ a: 'a1', b: 'b1' })).toEqual([])
  expect(validator.violations({ a: 'a1', b: 'a1' })).toMatchObject([{ pointer: '/b', keyword: 'pattern' }])
})

describe('a check that would take hours ends after a second', () => {
  const node = { properties: { c: { $ref: '#/$defs/n' } } }
  const chain = (length: number) => {
    let value: object = {}
    for (let level = 0; level < length; level++) value = { c: value }
    return value
  }
  const twice = (n: number): JsonSchema => ({ allOf: [{ $ref: `#/$defs/d${n}` }, { $ref: `#/$defs/d${n}` }] })
  const doubling: Record<string, JsonSchema> = { d59: { type: 'object' } }
  for (let n = 0; n < 59; n++) doubling[`d${n}`] = twice(n + 1)
  const slow = { items: { type: 'string', pattern: '^(a+)+$' } }

  it.each<[string, JsonSchema, unknown]>([
    ['recursion that doubles', { ...node, $defs: { n: { allOf: [node, node] } } }, chain(60)],
    ['references that double', { $ref: '#/$defs/d0', $defs: doubling }, {}],
    ['items compared with each other', { uniqueItems: true }, Array.from({ length: 150_000 }, (_, n) => [n])],
    ['a slow pattern, again and again', slow, Array(300).fill(`${'a'.repeat(28)}!`)],
    [
      'the same under a name like a keyword',
      { properties: { examples: slow } },
      { examples: Array(300).fill(`${'a'.repeat(28)}!`) },
    ],
    ['a format that backtracks', { type: 'string', format: 'url' }, `http://${'::'.repeat(100_000)}\n`],
    [
      'a name of its own for the place of a reference',
      {
        properties: { a: { $id: 'x', $defs: { ok: slow }, allOf: [{ $ref: '#/$defs/ok' }] } },
        $defs: { ok: {} },
      },
      { a: Array(300).fill(`${'a'.repeat(28)}!`) },
    ],
    [
      'many alternatives for many items',
      { items: { anyOf: Array.from({ length: 2_000 }, (_, n) => ({ const: n })) } },
      Array(100_000).fill('none'),
    ],
  ])('%s', (_, schema, value) => {
    verifies('C42')
    const started = performance.now()
    expect(compileSchema(schema, { fillDefaults: false }).violations(value)).toMatchObject([
      { pointer: '', keyword: 'timeout' },
    ])
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it('and what is recursive, unique or long is checked as ever', () => {
    const tree = {
      type: 'object',
      properties: { list: { type: 'array', uniqueItems: true, items: { $ref: '#' } } },
    }
    const validator = compileSchema(tree, { fillDefaults: false })
    expect(validator.violations({ list: [{}, { list: [] }] })).toEqual([])
    expect(validator.violations({ list: [{}, {}] })).toMatchObject([
      { pointer: '/list', keyword: 'uniqueItems' },
    ])
    const long = compileSchema({ items: { type: 'integer' } }, { fillDefaults: false })
    expect(long.violations(Array(400_000).fill(1))).toEqual([])
    expect(long.violations([...Array(400_000).fill(1), 'x'])).toMatchObject([{ pointer: '/400000' }])
  })
})
