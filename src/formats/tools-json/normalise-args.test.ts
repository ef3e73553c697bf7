import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { validateParams } from '../../tool/schema/validate.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { normaliseArgs } from './normalise-args.ts'

const params: JsonSchema = { type: 'object', properties: { a: {}, b: {} } }
const of = (args: unknown, schema: JsonSchema = params) => normaliseArgs(args, { id: 'tool', params: schema })
/** As the params guard does it. */
const checked = (args: unknown, schema: JsonSchema) => validateParams('tool', schema, of(args, schema), true)

describe('normaliseArgs', () => {
  it.each([undefined, null, 'null', '{}', {}])('%j is no parameters', (args) => {
    verifies('T22')
    expect(of(args)).toEqual({})
  })

  it('parses text as JSON', () => {
    verifies('T22')
    expect(of('{"a": [1, "x"]}')).toEqual({ a: [1, 'x'] })
  })

  it.each(['{a: 1}', '', '[]', '5', '"x"', [], 5, true, [['a', 1]]])('refuses %j', (args) => {
    verifies('T22')
    expect(() => of(args)).toThrow(
      expect.objectContaining({ code: 'PARAMS_INVALID', message: expect.stringContaining('tool') }),
    )
  })

  it.each([
    [{ a: 9_007_199_254_740_992 }],
    [{ a: -9_007_199_254_740_992 }],
    [{ a: [1, 1e300] }],
    ['{"a": 9007199254740993}'],
    [{ a: Number.NaN }],
    [{ a: Number.POSITIVE_INFINITY }],
  ])('refuses the number in %j and says to send a string', (args) => {
    verifies('T23')
    expect(() => of(args)).toThrow(
      expect.objectContaining({
        code: 'PARAMS_INVALID',
        message: expect.stringMatching(/"a".*send it as a string/),
      }),
    )
  })

  it.each([9_007_199_254_740_991, -9_007_199_254_740_991, 0.1, 1e-7])('passes %d on', (a) => {
    verifies('T23')
    expect(of({ a })).toEqual({ a })
  })

  it('refuses what is nested without end, and unsafe numbers at every depth', () => {
    verifies('T23')
    const nested = (levels: number, inner: unknown) => {
      let value = inner
      for (let level = 0; level < levels; level++) value = level % 2 ? { b: value } : [value]
      return { a: value }
    }
    expect(of(nested(64, 1))).toEqual(nested(64, 1))
    expect(() => of(nested(64, 1e300))).toThrow(/"a".*send it as a string/)
    for (const levels of [65, 20_000])
      expect(() => of(nested(levels, 1))).toThrow(
        expect.objectContaining({
          code: 'PARAMS_INVALID',
          message: expect.stringMatching(/"a".*nested deeper than 64 levels/),
        }),
      )
  })

  it.each([
    [{ type: 'object', properties: { a: {} } }, true],
    [{ type: 'object', properties: { a: {} }, additionalProperties: false }, true],
    [{ type: 'object', properties: {} }, true],
    [{ type: 'object', properties: { a: {} }, additionalProperties: true }, false],
    [{ type: 'object', properties: { a: {} }, additionalProperties: { type: 'number' } }, false],
    [{ type: 'object', properties: { a: {} }, patternProperties: { '^zz': {} } }, false],
    [{ type: 'object' }, false],
  ])('with %j, is an undeclared parameter refused: %s', (schema, isRefused) => {
    verifies('T21')
    if (!isRefused) expect(of({ zz: 1 }, schema as JsonSchema)).toEqual({ zz: 1 })
    else
      expect(() => of({ zz: 1 }, schema as JsonSchema)).toThrow(
        expect.objectContaining({ code: 'PARAMS_INVALID' }),
      )
  })

  it('names the undeclared parameter and lists the declared ones', () => {
    verifies('T21', 'T24')
    expect(() => of({ c: 1 })).toThrow(/tool: "c" is no declared parameter; declared: a, b/)
  })

  it('keeps __proto__ as data', () => {
    const args = of('{"__proto__": {"x": 1}}', { type: 'object' })
    expect(Object.keys(args)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

describe('the order of checks', () => {
  it('drops nulls, then fills defaults, then validates', () => {
    verifies('T24')
    const schema: JsonSchema = {
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'integer', default: 10 }, m: { type: 'string' } },
    }
    expect(checked({ n: null, m: null }, schema)).toEqual({ n: 10 })
    expect(() => checked({ m: 5 }, schema)).toThrow(
      expect.objectContaining({
        code: 'PARAMS_INVALID',
        message: expect.stringMatching(/tool: \/m must be string/),
      }),
    )
  })

  it('does not convert types', () => {
    verifies('T20')
    expect(() => checked({ a: '5' }, { type: 'object', properties: { a: { type: 'integer' } } })).toThrow(
      /must be integer/,
    )
  })

  it('follows 2020-12, and draft-07 where $schema says so', () => {
    verifies('T20')
    const properties = { a: { prefixItems: [{ type: 'string' }] } }
    const old = { a: { items: [{ type: 'string' }] } }
    expect(() => checked({ a: [1] }, { type: 'object', properties })).toThrow(/must be string/)
    const draft07 = 'http://json-schema.org/draft-07/schema#'
    expect(() => checked({ a: [1] }, { $schema: draft07, type: 'object', properties: old })).toThrow(
      /must be string/,
    )
    expect(checked({ a: [1] }, { $schema: draft07, type: 'object', properties })).toEqual({ a: [1] })
  })
})
