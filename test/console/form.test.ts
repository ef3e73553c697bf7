// How the console's form reads a schema, without a browser.
import { describe, expect, it } from 'vitest'
import { checkValue } from '../../console/src/form/check-value.ts'
import { initialValue } from '../../console/src/form/initial-value.ts'
import { type Schema, shapeOf } from '../../console/src/form/schema.ts'
import { everythingSchema } from './everything-schema.ts'

const kind = (schema: Schema) => {
  const shape = shapeOf(schema, schema)
  return [shape.kind, shape.isNullable]
}

describe('the kind of a field', () => {
  it.each<[Schema, string, boolean]>([
    [{ type: 'string' }, 'string', false],
    [{ type: ['string', 'null'] }, 'string', true],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer', true],
    [{ enum: ['a', null] }, 'choice', true],
    [{ oneOf: [{ const: 1 }, { const: 2 }] }, 'choice', false],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, 'union', false],
    [{ type: ['string', 'number'] }, 'union', false],
    [{ type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }, 'object', false],
    [{ properties: {} }, 'object', false],
    [{ items: {} }, 'array', false],
    [{ const: 5 }, 'const', false],
    [{}, 'any', false],
    [{ $ref: '#/$defs/x', $defs: { x: { type: 'boolean' } } }, 'boolean', false],
    [{ $ref: '#' }, 'any', false],
    [{ allOf: [{ type: 'object' }, { properties: { a: {} } }] }, 'object', false],
  ])('of %j is %s', (schema, expected, isNullable) => {
    expect(kind(schema)).toEqual([expected, isNullable])
  })
})

it('begins with defaults, constants and what is required, and leaves the rest out', () => {
  expect(initialValue(everythingSchema, everythingSchema, true)).toEqual({ count: 3, kind: 'demo' })
})

it.each<[unknown, string[]]>([
  [{ name: 'Ada', kind: 'demo', colour: 'red' }, []],
  [{ kind: 'demo', colour: 'red' }, ['/name']],
  [{ name: 'Ada', kind: 'demo', colour: 'pink', count: 10 }, ['/colour', '/count']],
  [{ name: 'Ada', kind: 'demo', colour: 'red', address: {} }, ['/address/city']],
  [{ name: 'Ada', kind: 'demo', colour: 'red', tags: ['a', 'b', 'c', 'd'] }, ['/tags']],
  [{ name: 'Ada', kind: 'demo', colour: 'red', people: [{ first: 'G' }, {}] }, ['/people/1/first']],
  [{ name: 'Ada', kind: 'demo', colour: 'red', contact: { via: 'post' } }, ['/contact/stamp']],
  [{ name: 'Ada', kind: 'demo', colour: 'red', 'a/b~': 1 }, ['/a~1b~0']],
])('points to the faults of %j', (value, pointers) => {
  expect(checkValue(everythingSchema, value, everythingSchema).map((fault) => fault.pointer)).toEqual(
    pointers,
  )
})
