import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { makeTool } from '../../tool/tool.ts'
import { schemaAsType } from './schema-as-type.ts'
import { typesText } from './write-types.ts'

const typeOf = (schema: object) => schemaAsType(schema, schema as never)

describe('schemaAsType', () => {
  verifies('D14')

  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ const: 'a"b' }, '"a\\"b"'],
    [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false },
      '[number, string]',
    ],
    [
      { type: 'object', properties: { a: {}, 'b-c': { type: 'boolean' } }, required: ['a'] },
      '{ "a": unknown; "b-c"?: boolean }',
    ],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
    [{ type: 'object', additionalProperties: false }, '{}'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{ $ref: '#/$defs/name', $defs: { name: { type: 'string' } } }, 'string'],
    [{ $ref: 'https://example.com/x' }, 'unknown'],
    [true as never, 'unknown'],
  ])('writes %j as %s', (schema, type) => {
    expect(typeOf(schema)).toBe(type)
  })

  it('ends where a schema refers to itself', () => {
    expect(typeOf({ type: 'array', items: { $ref: '#' } })).toMatch(/^[(]*unknown\[\]/)
  })

  it('is TypeScript, whatever names and texts a stranger chose', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string(),
        fc.string({ unit: 'binary' }),
        (id, key, said) => {
          const params = {
            type: 'object',
            properties: { [key]: { type: 'string', description: said, enum: [said] } },
          }
          const tool = {
            ...makeTool({ id: 'x', format: 'builtin', params } as never),
            id,
            description: `${said}*/`,
          }
          const file = ts.createSourceFile(
            'a.d.ts',
            typesText([tool], () => false),
            ts.ScriptTarget.ES2022,
          )
          const faults = (file as unknown as { parseDiagnostics: unknown[] }).parseDiagnostics
          expect(faults).toEqual([])
          // An import and one declaration: nothing a stranger wrote stands outside of them.
          expect(file.statements.length).toBe(2)
        },
      ),
    )
  })
})
