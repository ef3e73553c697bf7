// A schema with every kind of field the console's form knows.
import type { JsonSchema } from '../../src/tool/tool.ts'

export const everythingSchema: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, description: 'At least two letters.' },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    ratio: { type: 'number', exclusiveMinimum: 0 },
    isUrgent: { type: 'boolean' },
    colour: { enum: ['red', 'green', 'blue'] },
    kind: { const: 'demo' },
    size: {
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
    },
    nickname: { type: ['string', 'null'] },
    address: {
      type: 'object',
      properties: { street: { type: 'string' }, city: { $ref: '#/$defs/city' } },
      required: ['city'],
    },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    people: {
      type: 'array',
      items: { type: 'object', properties: { first: { type: 'string' } }, required: ['first'] },
    },
    contact: {
      oneOf: [
        {
          title: 'By phone',
          type: 'object',
          properties: { via: { const: 'phone' }, number: { type: 'string' } },
          required: ['via', 'number'],
        },
        {
          title: 'By post',
          type: 'object',
          properties: { via: { const: 'post' }, stamp: { type: 'integer' } },
          required: ['via', 'stamp'],
        },
      ],
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    anything: {},
  },
  required: ['name', 'kind', 'colour'],
  additionalProperties: false,
  $defs: { city: { type: 'string', minLength: 1 } },
}
