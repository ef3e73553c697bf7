// The JSON Schema of a rye tool written as YAML, JSON or TOML, for editors. Loading does not use it; `toolcrib check`
// says more, because it also follows executor chains and compares the parts with each other.
import type { JsonSchema } from '../../tool/tool.ts'
import type { FieldName } from './field-names.ts'

const texts = { type: 'array', items: { type: 'string' } }
const map = { type: 'object' }
const parameter = {
  type: 'object',
  required: ['name', 'type'],
  properties: {
    name: { type: 'string', minLength: 1, description: 'Name of the parameter.' },
    type: { description: 'string, integer, number, boolean, array or object.', type: ['string', 'array'] },
    required: { type: 'boolean', default: false, description: 'Calls without it are refused.' },
    description: { type: 'string', description: 'What a model and a person are told about it.' },
    default: { description: 'Filled in when it is not given.' },
    enum: { type: 'array', description: 'The values it may have.' },
    min: { type: 'number', description: 'Smallest number.' },
    max: { type: 'number', description: 'Largest number.' },
    pattern: { type: 'string', format: 'regex', description: 'What a text must match.' },
  },
}

const fields: { readonly [field in FieldName]: object } = {
  tool_id: { type: 'string', description: 'Short name; an alias of the id, which is the path under tools/.' },
  category: { type: 'string', description: 'Folder under tools/ the file lies in.' },
  tool_type: {
    type: 'string',
    minLength: 1,
    description: 'What it is: script, http, python, javascript, mcp, docker, runtime, primitive …',
  },
  version: { type: 'string', description: 'Semantic version, in quotes.', examples: ['1.0.0'] },
  description: { type: 'string', description: 'What the tool does, in one sentence; models choose by it.' },
  executor_id: {
    type: ['string', 'null'],
    description:
      'What runs it: subprocess, http_client, docker, filesystem, a runtime, or null for a primitive.',
  },
  requires: {
    ...texts,
    description: 'Capabilities it needs: fs.read, fs.write, net.http, shell.execute …; none without a grant.',
  },
  parameters: { type: 'array', items: parameter, description: 'Parameters, one entry each.' },
  input_schema: { ...map, description: 'Parameters as a JSON Schema, instead of `parameters`.' },
  config_schema: { ...map, description: 'Parameters as a JSON Schema, instead of `parameters`.' },
  output_schema: { ...map, description: 'JSON Schema of the result.' },
  outputs: { description: 'Result: a JSON Schema, or words about it.' },
  actions: {
    description: 'Several actions in one tool, each with parameters of its own; called as id#action.',
    anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object', required: ['name'] } }],
  },
  tags: { ...texts, description: 'Labels; grants and approvals may name them as #tag.' },
  config: {
    ...map,
    description: 'Settings of the executor, such as command, args, url; {name} is a parameter.',
  },
  timeout: { type: 'number', exclusiveMinimum: 0, description: 'Seconds a call may take.' },
  retry_policy: { ...map, description: 'max_attempts, backoff_type, backoff_multiplier, delays.' },
  cost: { ...map, description: 'What a call costs.' },
  documentation: {
    ...map,
    description: 'Words and examples.',
    properties: { examples: { type: 'array', items: { type: 'object', required: ['params'] } } },
  },
  metadata: { ...map, description: 'Free facts.' },
  config_resolve: { description: 'Configuration files to merge into the parameters.' },
  env_config: { ...map, description: 'Runtimes: which interpreter, which variables.' },
  anchor: { ...map, description: 'Runtimes: files that mark the root of a project.' },
  verify_deps: { ...map, description: 'Runtimes: which imported files are verified too.' },
  extensions: { ...texts, description: 'Runtimes: endings of the files they run.' },
}

export const ryeSchema: JsonSchema = JSON.parse(
  JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://toolcrib.dev/schema/rye.json',
    title: 'A rye tool as data',
    type: 'object',
    required: ['tool_type', 'version', 'category', 'description', 'executor_id'],
    properties: { $schema: { type: 'string', description: 'For editors.' }, ...fields },
  }),
)
