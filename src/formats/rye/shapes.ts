// A rye tool written as YAML, JSON or TOML, declared once: the names of its fields and the schema editors complete from
// come from here. `toolcrib check` says more, because it follows executor chains and compares the parts.
import { schemaOf, t } from '../../tool/shape.ts'
import type { JsonSchema } from '../../tool/tool.ts'

const text = (description: string) => t.optional(t.text({ description }))
const texts = (description: string) => t.optional(t.list(t.text(), { description }))
const map = (description: string, options: object = {}) =>
  t.optional(t.anyObject({ description, ...options }))
const any = (description: string, options: object = {}) => t.optional(t.any({ description, ...options }))

const parameterShape = t.object({
  name: t.text({ minLength: 1, description: 'Name of the parameter.' }),
  type: t.any({
    description: 'string, integer, number, boolean, array or object.',
    type: ['string', 'array'],
  }),
  required: t.optional(t.boolean({ default: false, description: 'Calls without it are refused.' })),
  description: text('What a model and a person are told about it.'),
  default: any('Filled in when it is not given.'),
  enum: any('The values it may have.', { type: 'array' }),
  min: t.optional(t.number({ description: 'Smallest number.' })),
  max: t.optional(t.number({ description: 'Largest number.' })),
  pattern: t.optional(t.text({ format: 'regex', description: 'What a text must match.' })),
})

const toolFields = {
  tool_id: text('Short name; an alias of the id, which is the path under tools/.'),
  category: t.text({ description: 'Folder under tools/ the file lies in.' }),
  tool_type: t.text({
    minLength: 1,
    description: 'What it is: script, http, python, javascript, mcp, docker, runtime, primitive …',
  }),
  version: t.text({ description: 'Semantic version, in quotes.', examples: ['1.0.0'] }),
  description: t.text({ description: 'What the tool does, in one sentence; models choose by it.' }),
  executor_id: t.any({
    type: ['string', 'null'],
    description:
      'What runs it: subprocess, http_client, docker, filesystem, a runtime, or null for a primitive.',
  }),
  requires: texts(
    'Capabilities it needs: fs.read, fs.write, net.http, shell.execute …; none without a grant.',
  ),
  parameters: t.optional(t.list(parameterShape, { description: 'Parameters, one entry each.' })),
  input_schema: map('Parameters as a JSON Schema, instead of `parameters`.'),
  config_schema: map('Parameters as a JSON Schema, instead of `parameters`.'),
  output_schema: map('JSON Schema of the result.'),
  outputs: any('Result: a JSON Schema, or words about it.'),
  actions: any('Several actions in one tool, each with parameters of its own; called as id#action.', {
    anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object', required: ['name'] } }],
  }),
  tags: texts('Labels; grants and approvals may name them as #tag.'),
  config: map('Settings of the executor, such as command, args, url; {name} is a parameter.'),
  timeout: t.optional(t.number({ exclusiveMinimum: 0, description: 'Seconds a call may take.' })),
  retry_policy: map('max_attempts, backoff_type, backoff_multiplier, delays.'),
  cost: map('What a call costs.'),
  documentation: map('Words and examples.', {
    properties: { examples: { type: 'array', items: { type: 'object', required: ['params'] } } },
  }),
  metadata: map('Free facts.'),
  config_resolve: any('Configuration files to merge into the parameters.'),
  env_config: map('Runtimes: which interpreter, which variables.'),
  anchor: map('Runtimes: files that mark the root of a project.'),
  verify_deps: map('Runtimes: which imported files are verified too.'),
  extensions: texts('Runtimes: endings of the files they run.'),
}

export type FieldName = keyof typeof toolFields

/** In the order in which they are shown. */
export const fieldNames = Object.keys(toolFields) as readonly FieldName[]

export const ryeSchema: JsonSchema = schemaOf(
  t.object(
    { $schema: t.optional(t.text({ description: 'For editors.' })), ...toolFields },
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://toolcrib.dev/schema/rye.json',
      title: 'A rye tool as data',
    },
  ),
)
