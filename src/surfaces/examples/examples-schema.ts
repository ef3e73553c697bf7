// The JSON Schema of a sidecar file `<tool>.examples.yaml`, for editors.
import type { JsonSchema } from '../../tool/tool.ts'

export const examplesSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://toolcrib.dev/schema/examples.json',
  title: 'Examples of tools',
  description: 'A list of examples, or a map from tool id to such a list.',
  anyOf: [
    { $ref: '#/$defs/examples' },
    { type: 'object', additionalProperties: { $ref: '#/$defs/examples' } },
  ],
  $defs: {
    examples: { type: 'array', items: { $ref: '#/$defs/example' } },
    example: {
      type: 'object',
      additionalProperties: false,
      properties: {
        title: { type: 'string', description: 'What it shows.' },
        params: { description: 'Parameters of the call.', default: {} },
        expect: { description: 'The result; without it only the result schema is checked.' },
        expectError: { type: 'string', description: 'The error code the call must end with.' },
        match: {
          enum: ['exact', 'partial', 'schema'],
          description: 'exact: equal; partial: at least these members; schema: the result schema alone.',
        },
      },
    },
  },
}
