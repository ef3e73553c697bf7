import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../tool.ts'
import { isToolError } from '../tool-error.ts'
import { compileSchema } from './compile-schema.ts'
import { lintSchema } from './lint-schema.ts'
import { validateParams } from './validate.ts'

const schema: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    count: { type: 'integer', default: 3 },
    nested: { type: 'object', properties: { deep: { type: 'boolean', default: true } } },
    list: { type: 'array', items: { type: 'object', properties: { n: { default: 0 } } } },
  },
  required: ['name', 'count'],
  additionalProperties: false,
}

function failureOf(value: unknown, given = schema) {
  try {
    validateParams('t', given, value, true)
  } catch (error) {
    if (isToolError(error)) return error
    throw error
  }
  throw new Error('it should have failed')
}

function faults(value: unknown): unknown {
  return (failureOf(value).details as { violations: unknown }).violations
}

describe('validateParams', () => {
  it('fills defaults before it judges what is required, nested ones too, on a copy', () => {
    const given = { name: 'Ada', nested: {}, list: [{}] }
    expect(validateParams('t', schema, given, true)).toEqual({
      name: 'Ada',
      count: 3,
      nested: { deep: true },
      list: [{ n: 0 }],
    })
    expect(given).toEqual({ name: 'Ada', nested: {}, list: [{}] })
  })

  it('gives the caller’s object back untouched when no defaults are wanted', () => {
    const given = { name: 'Ada', count: 1 }
    expect(validateParams('t', schema, given, false)).toBe(given)
  })

  it('reports every violation with its pointer, which is its path too', () => {
    expect(faults({ name: 'A', count: 'x', extra: 1 })).toEqual([
      {
        path: '/extra',
        pointer: '/extra',
        keyword: 'additionalProperties',
        message: 'is not a known property',
      },
      {
        path: '/name',
        pointer: '/name',
        keyword: 'minLength',
        message: 'must NOT have fewer than 2 characters',
      },
      { path: '/count', pointer: '/count', keyword: 'type', message: 'must be integer' },
    ])
  })

  it('lists the first hundred of many violations, and says how many there are', () => {
    const many: JsonSchema = { type: 'object', properties: { list: { items: { type: 'integer' } } } }
    const given = { list: Array.from({ length: 3_000 }, () => 'x') }
    expect(() => validateParams('t', many, given, false)).toThrow(
      expect.objectContaining({
        code: 'PARAMS_INVALID',
        details: { violations: expect.objectContaining({ length: 100 }), count: 3_000 },
      }),
    )
  })

  it('points at the missing property and coerces nothing', () => {
    expect(faults({ count: '4' })).toMatchObject([
      { pointer: '/name', message: 'is required' },
      { pointer: '/count' },
    ])
  })

  it('offers the near name for a misspelt parameter', () => {
    expect(failureOf({ nam: 'x', name: 'Ada' }).hint).toBe('Did you mean "name"?')
  })

  it('keeps __proto__ as data', () => {
    const checked = validateParams(
      't',
      { type: 'object' },
      JSON.parse('{"__proto__":{"admin":true}}'),
      true,
    ) as Record<string, unknown>
    expect(Object.keys(checked)).toEqual(['__proto__'])
    expect((checked as { admin?: unknown }).admin).toBeUndefined()
  })
})

describe('compileSchema', () => {
  it('honours draft-07 where $schema says so', () => {
    const draft07: JsonSchema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'integer' }],
      additionalItems: false,
    }
    expect(compileSchema(draft07, { fillDefaults: false }).violations([1, 2])).toHaveLength(1)
    const draft2020: JsonSchema = { prefixItems: [{ type: 'integer' }], items: false }
    expect(compileSchema(draft2020, { fillDefaults: false }).violations([1, 2])).toHaveLength(1)
  })

  it('lets $resolve stand in a schema', () => {
    expect(
      compileSchema({ $resolve: 'nonlocals.x', type: 'object' }, { fillDefaults: false }).violations({}),
    ).toEqual([])
  })

  it('compiles equal schemas once', () => {
    const one = compileSchema({ type: 'object', properties: { a: {}, b: {} } }, { fillDefaults: false })
    expect(compileSchema({ properties: { b: {}, a: {} }, type: 'object' }, { fillDefaults: false })).toBe(one)
  })

  it('asserts formats', () => {
    expect(
      compileSchema({ type: 'string', format: 'date' }, { fillDefaults: false }).violations('2026-02-31x'),
    ).toHaveLength(1)
  })

  it('refuses what the lint refuses with SCHEMA_INVALID and its pointer', () => {
    expect(() => compileSchema({ properties: { a: { type: 'x' } } }, { fillDefaults: false })).toThrow(
      /\/properties\/a\/type/,
    )
  })

  it('compiles every schema that passes the lint', () => {
    const leaf = fc.record(
      {
        type: fc.constantFrom('string', 'integer', 'object', 'array', 'nope'),
        minLength: fc.integer({ min: -1, max: 3 }),
        pattern: fc.constantFrom('^a', '[', '(a+)+'),
        enum: fc.array(fc.integer(), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    )
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        leaf,
        fc.record(
          {
            properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('node')),
            anyOf: fc.array(tie('node'), { maxLength: 2 }),
            $ref: fc.constantFrom('#', '#/properties/a'),
          },
          { requiredKeys: [] },
        ),
      ),
    })).node
    fc.assert(
      fc.property(tree, (candidate) => {
        if (lintSchema(candidate).length === 0) compileSchema(candidate as JsonSchema, { fillDefaults: true })
      }),
    )
  })
})

it('does not take an inherited member for a parameter', () => {
  const params: JsonSchema = { type: 'object', properties: { constructor: { type: 'string' } } }
  expect(validateParams('t', params, {}, true)).toEqual({})
  expect(failureOf({ constructor: 1 }, params)?.code).toBe('PARAMS_INVALID')
})
