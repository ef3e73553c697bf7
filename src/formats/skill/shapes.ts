// The frontmatter of a skill, declared with the builders of shapes, for editors. `toolcrib check` says more, because it
// also follows the cascade.
import { schemaOf, t } from '../../tool/shape.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { guardNames } from './reserved.ts'

const text = (description: string) => t.optional(t.text({ description }))
const any = (description: string, options: object = {}) => t.optional(t.any({ description, ...options }))
const textOrTexts = (description: string) =>
  t.optional(t.either([t.text(), t.list(t.text())], { description }))
const schema = (what: string) => any(`JSON Schema of ${what}.`, { type: ['object', 'boolean', 'null'] })

const guardSettings = Object.fromEntries(
  guardNames
    .filter((name) => name !== 'params' && name !== 'config')
    .map((name) => [name, any(`Settings of the guard ${name} for this skill and those below it.`)]),
)

const metadataShape = t.object(
  {
    role: t.optional(t.oneOf(['main', 'context', 'middleware'], { description: 'What it is to others.' })),
    params: schema('its parameters'),
    returns: schema('its result'),
    tags: textOrTexts('Labels.'),
    visibility: text('hidden: not listed, still callable by name.'),
    version: text('Version of the skill.'),
    model: any('Which model of toolcrib.yaml runs it.'),
    requires: t.optional(
      t.object(
        {
          bins: t.optional(
            t.list(t.either([t.text(), t.list(t.text())]), {
              description: 'All of them; or a list of lists, of which one must be there.',
            }),
          ),
        },
        { description: 'Gate of a folder with tools.json: programs that must be on PATH.' },
      ),
    ),
    ...guardSettings,
  },
  { description: 'Everything Toolcrib knows beyond the shared standard.' },
)

export const skillSchema: JsonSchema = schemaOf(
  t.object(
    {
      name: t.text({
        pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
        maxLength: 64,
        description: 'Lower case, digits, single hyphens; the folder or file is named alike.',
      }),
      description: t.text({
        minLength: 1,
        maxLength: 1024,
        description: 'What it does and when to use it; models choose by it.',
      }),
      license: text('Licence, or the file that holds it.'),
      compatibility: t.optional(t.text({ maxLength: 500, description: 'What it needs to work.' })),
      'allowed-tools': textOrTexts(
        'Tools it may use, parted by blanks: names, globs, Name(argument pattern).',
      ),
      metadata: t.optional(metadataShape),
    },
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://toolcrib.dev/schema/skill.json',
      title: 'Frontmatter of a skill',
    },
  ),
)
