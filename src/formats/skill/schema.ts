// The JSON Schema of a skill's frontmatter, for editors. Loading does not use it; `toolcrib check` says more,
// because it also follows the cascade.
import type { JsonSchema } from '../../tool/tool.ts'
import { guardNames } from './reserved.ts'

const texts = { type: 'array', items: { type: 'string' } }
const schemaOf = (what: string) => ({
  description: `JSON Schema of ${what}.`,
  type: ['object', 'boolean', 'null'],
})
const guardSettings = Object.fromEntries(
  guardNames
    .filter((name) => name !== 'params' && name !== 'config')
    .map((name) => [
      name,
      { description: `Settings of the guard ${name} for this skill and those below it.` },
    ]),
)

export const skillSchema: JsonSchema = JSON.parse(
  JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://toolcrib.dev/schema/skill.json',
    title: 'Frontmatter of a skill',
    type: 'object',
    required: ['name', 'description'],
    properties: {
      name: {
        type: 'string',
        pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
        maxLength: 64,
        description: 'Lower case, digits, single hyphens; the folder or file is named alike.',
      },
      description: {
        type: 'string',
        minLength: 1,
        maxLength: 1024,
        description: 'What it does and when to use it; models choose by it.',
      },
      license: { type: 'string', description: 'Licence, or the file that holds it.' },
      compatibility: { type: 'string', maxLength: 500, description: 'What it needs to work.' },
      'allowed-tools': {
        description: 'Tools it may use, parted by blanks: names, globs, Name(argument pattern).',
        anyOf: [{ type: 'string' }, texts],
      },
      metadata: {
        type: 'object',
        description: 'Everything Toolcrib knows beyond the shared standard.',
        properties: {
          role: { enum: ['main', 'context', 'middleware'], description: 'What it is to others.' },
          params: schemaOf('its parameters'),
          returns: schemaOf('its result'),
          tags: { description: 'Labels.', anyOf: [{ type: 'string' }, texts] },
          visibility: { type: 'string', description: 'hidden: not listed, still callable by name.' },
          version: { type: 'string', description: 'Version of the skill.' },
          model: { description: 'Which model of toolcrib.yaml runs it.' },
          requires: {
            type: 'object',
            description: 'Gate of a folder with tools.json: programs that must be on PATH.',
            properties: {
              bins: {
                type: 'array',
                description: 'All of them; or a list of lists, of which one must be there.',
                items: { anyOf: [{ type: 'string' }, texts] },
              },
            },
          },
          ...guardSettings,
        },
      },
    },
  }),
)
