// The published JSON Schema of a tool.code.v1 document: editors complete from it. The loader's own checks go
// further (sources, examples, permissions); what this schema accepts may still have problems there.
import type { JsonSchema } from '../../tool/tool.ts'
import { matchOperators } from './check-behaviour.ts'
import { fieldTypes, fieldWidgets } from './check-ui-schema.ts'

const texts = { type: 'array', items: { type: 'string' } }
const schemaNames = {
  ...texts,
  description:
    'Schema names, "prefix.*" or "*". Schemas that steer the crib need their exact name for writing.',
}
const off = { enum: [false, []], description: 'Never granted in this format.' }

const network = {
  description: 'true: any public address; or a list of hosts. Takes effect where net.http is granted.',
  anyOf: [{ type: 'boolean' }, { ...texts, examples: [['api.example.com', 'localhost:8080']] }],
}

const permissions = {
  type: 'object',
  description: 'What the tool may reach; nothing is granted by default.',
  properties: {
    network,
    net: { ...network, deprecated: true },
    breadcrumbs: {
      type: 'object',
      description: 'Which breadcrumbs context.api may read and write.',
      properties: { read: schemaNames, write: schemaNames },
    },
    tools: { ...texts, description: 'Tools that context.api.callTool may call: names or "prefix.*".' },
    imports: {
      ...texts,
      description: 'Prefixes of remote modules: "jsr:@std/", "npm:zod@3", "https://esm.sh/".',
    },
    ...Object.fromEntries(['read', 'write', 'env', 'run', 'ffi', 'sys', 'hrtime'].map((key) => [key, off])),
  },
}

const code = {
  type: 'object',
  required: ['language', 'source'],
  properties: {
    language: { enum: ['typescript', 'javascript'], description: 'Types are stripped, never checked.' },
    source: { type: 'string', minLength: 1, description: 'A module that exports execute(input, context).' },
  },
}

const limits = {
  type: 'object',
  properties: {
    memory_mb: { type: 'number', exclusiveMinimum: 0, default: 128 },
    timeout_ms: { type: 'number', exclusiveMinimum: 0, maximum: 2_147_483_647, default: 30_000 },
    cpu_percent: { type: 'number', exclusiveMinimum: 0, default: 100, description: '100 is one core.' },
  },
}

const example = {
  type: 'object',
  properties: {
    input: { type: 'object' },
    output: { description: 'What execute returns; without it only the output schema is checked.' },
    description: { type: 'string' },
    explanation: { type: 'string' },
    match: { enum: ['exact', 'schema'], default: 'exact' },
  },
}

const subscription = {
  type: 'object',
  required: ['schema_name'],
  properties: {
    schema_name: {
      type: 'string',
      description: 'Breadcrumbs of this schema run the tool when created or updated.',
    },
    tag: { type: 'string' },
    context_match: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'op'],
        properties: { path: { type: 'string' }, op: { enum: [...matchOperators] }, value: {} },
      },
    },
    description: { type: 'string' },
    input: { type: 'object' },
    allowSelf: { type: 'boolean', default: false },
    coalesce_ms: { type: 'number', minimum: 0 },
  },
}

const bootstrap = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean', default: false },
    mode: { enum: ['once', 'continuous', 'disabled'], default: 'disabled' },
    priority: { type: 'number', minimum: 0, maximum: 100, default: 50, description: 'Higher starts first.' },
    wait_for: { ...texts, description: 'Tools that must have started or succeeded before.' },
    input: { type: 'object' },
  },
}

const configField = {
  type: 'object',
  required: ['key', 'label', 'type'],
  properties: {
    key: { type: 'string' },
    label: { type: 'string' },
    type: { enum: [...fieldTypes] },
    ui_type: { enum: [...fieldWidgets] },
    description: { type: 'string' },
    default_value: {},
    required: { type: 'boolean' },
    placeholder: { type: 'string' },
    help_text: { type: 'string' },
    secret_name: { type: 'string' },
    validation: {
      type: 'object',
      properties: {
        min: { type: 'number' },
        max: { type: 'number' },
        step: { type: 'number' },
        pattern: { type: 'string' },
      },
    },
    options: {
      type: 'array',
      items: { type: 'object', required: ['value'], properties: { value: {}, label: { type: 'string' } } },
    },
    options_source: { type: 'object', properties: { type: { enum: ['breadcrumb-search', 'api'] } } },
  },
}

export const toolCodeDocumentSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://toolcrib.dev/schema/tool-code.json',
  title: 'tool.code.v1',
  type: 'object',
  required: ['schema_name', 'title', 'tags', 'context'],
  properties: {
    schema_name: { const: 'tool.code.v1' },
    title: { type: 'string', minLength: 1, maxLength: 500 },
    tags: {
      ...texts,
      description: 'tool, tool:{name}, workspace:tools and self-contained, and any of your own.',
    },
    description: { type: 'string', description: 'Read when context.description is absent.' },
    semantic_version: { type: 'string', description: 'Read when context.version is absent.' },
    llm_hints: { type: 'object' },
    visibility: { enum: ['public', 'team', 'private'] },
    sensitivity: { enum: ['low', 'pii', 'secret'] },
    ttl: { type: 'string', format: 'date-time' },
    context: {
      type: 'object',
      required: ['name', 'code'],
      properties: {
        name: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$' },
        description: { type: 'string', minLength: 1 },
        version: {
          type: 'string',
          description: 'A semantic version; of two files with one name the higher is active.',
        },
        code,
        input_schema: {
          type: 'object',
          description: 'JSON Schema 2020-12, or draft-07 where $schema says so.',
        },
        output_schema: { type: 'object' },
        required_secrets: { ...texts, uniqueItems: true },
        limits,
        permissions,
        examples: { type: 'array', items: example },
        ui_schema: {
          type: 'object',
          required: ['configurable'],
          properties: {
            configurable: { type: 'boolean' },
            config_fields: { type: 'array', items: configField },
            description: { type: 'string' },
          },
        },
        subscriptions: { type: 'array', items: subscription },
        bootstrap,
        isolation: { enum: ['worker', 'call'], default: 'worker' },
      },
    },
  },
}
