import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lintSchema } from './lint-schema.ts'

const cyclic: Record<string, unknown> = { type: 'object', properties: {} }
;(cyclic['properties'] as Record<string, unknown>)['self'] = cyclic

const deep: Record<string, unknown> = {}
let cursor = deep
for (let i = 0; i < 500; i++) {
  const next = {}
  cursor['not'] = next
  cursor = next
}

describe('lintSchema', () => {
  it.each([
    [{ type: 'strnig' }, 'param-type-invalid', '/type'],
    [{ properties: { a: { type: [] } } }, 'param-type-invalid', '/properties/a/type'],
    [{ enum: [] }, 'enum-empty', '/enum'],
    [{ pattern: '[' }, 'pattern-invalid', '/pattern'],
    [{ pattern: 'a'.repeat(5000) }, 'pattern-invalid', '/pattern'],
    [{ patternProperties: { '[': {} } }, 'pattern-invalid', '/patternProperties/['],
    [{ $ref: 'https://example.com/x.json' }, 'schema-invalid', '/$ref'],
    [{ $ref: '#/$defs/missing' }, 'schema-invalid', '/$ref'],
    [
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      'schema-invalid',
      '/$defs/a/$ref',
    ],
    [{ required: 'name' }, 'schema-invalid', '/required'],
    [{ minLength: -1 }, 'schema-invalid', '/minLength'],
    [{ minimum: '3' }, 'schema-invalid', '/minimum'],
    [{ properties: [] }, 'schema-invalid', '/properties'],
    [{ allOf: [] }, 'schema-invalid', '/allOf'],
    [{ items: 'string' }, 'schema-invalid', '/items'],
    ['text', 'schema-invalid', ''],
  ])('finds what is wrong in %j and where', (schema, code, pointer) => {
    expect(lintSchema(schema)).toContainEqual(expect.objectContaining({ code, pointer }))
  })

  it('ends on a schema that contains itself', () => {
    expect(lintSchema(cyclic)).toMatchObject([{ code: 'schema-invalid', pointer: '/properties/self' }])
  })

  it('ends on a very deep schema', () => {
    expect(lintSchema(deep)).toMatchObject([{ message: expect.stringContaining('deeper') }])
  })

  it('ends on a huge schema', () => {
    const properties = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`p${i}`, {}]))
    expect(lintSchema({ properties })).toMatchObject([{ message: expect.stringContaining('parts') }])
  })

  it('accepts recursion by reference', () => {
    expect(
      lintSchema({
        type: 'object',
        properties: { child: { $ref: '#' }, list: { type: 'array', items: { $ref: '#/$defs/n' } } },
        $defs: { n: { type: 'integer' } },
      }),
    ).toEqual([])
  })

  it('never throws, whatever it is given', () => {
    fc.assert(fc.property(fc.anything(), (value) => Array.isArray(lintSchema(value))))
  })
})
