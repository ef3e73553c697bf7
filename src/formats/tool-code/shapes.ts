// A tool.code.v1 document, declared once: types, known fields, bounds and defaults of the checks come from it, and so
// does the schema editors complete from. The checks go further (sources, examples, permissions).
import type { JsonObject } from '../../tool/json.ts'
import { type Static, schemaOf, type TSchema, t } from '../../tool/shape.ts'
import type { JsonSchema } from '../../tool/tool.ts'

const texts = (description?: string) => t.optional(t.list(t.text(), { description }))
const text = (description?: string) => t.optional(t.text({ description }))
const anObject = (description?: string) => t.optional(t.anyObject<JsonObject>({ description }))
const schemaNames = () =>
  texts('Schema names, "prefix.*" or "*". Schemas that steer the crib need their exact name for writing.')

const network = {
  description: 'true: any public address; or a list of hosts. Takes effect where net.http is granted.',
  anyOf: [
    { type: 'boolean' },
    { type: 'array', items: { type: 'string' }, examples: [['api.example.com', 'localhost:8080']] },
  ],
}

/** Rights that this format never grants. */
export const neverGranted = ['read', 'write', 'env', 'run', 'ffi', 'sys', 'hrtime'] as const
const off = t.optional(t.any({ enum: [false, []], description: 'Never granted in this format.' }))

export const permissionsShape = t.object(
  {
    network: t.optional(t.any(network)),
    net: t.optional(t.any({ ...network, deprecated: true })),
    breadcrumbs: t.optional(
      t.object(
        { read: schemaNames(), write: schemaNames() },
        { description: 'Which breadcrumbs context.api may read and write.' },
      ),
    ),
    tools: texts('Tools that context.api.callTool may call: names or "prefix.*".'),
    imports: texts('Prefixes of remote modules: "jsr:@std/", "npm:zod@3", "https://esm.sh/".'),
    ...(Object.fromEntries(neverGranted.map((key) => [key, off])) as {
      [key in (typeof neverGranted)[number]]: typeof off
    }),
  },
  { description: 'What the tool may reach; nothing is granted by default.' },
)

const positive = (fallback: number, options: object = {}) =>
  t.number({ exclusiveMinimum: 0, default: fallback, ...options })

export const limitsShape = t.object({
  memory_mb: positive(128),
  timeout_ms: positive(30_000, { maximum: 2_147_483_647 }),
  cpu_percent: positive(100, { description: '100 is one core.' }),
})

export interface ToolCodeLimits extends Static<typeof limitsShape> {}

const matchOperators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'contains_any', 'exists'] as const
const contextMatchShape = t.object({
  path: t.text(),
  op: t.oneOf(matchOperators),
  value: t.optional(t.any()),
})

export interface ContextMatch extends Static<typeof contextMatchShape> {}

export function isMatchOperator(given: unknown): given is ContextMatch['op'] {
  return (matchOperators as readonly unknown[]).includes(given)
}
isMatchOperator.words = matchOperators.join(', ')

const subscriptionShape = t.object({
  schema_name: t.text({ description: 'Breadcrumbs of this schema run the tool when created or updated.' }),
  tag: text(),
  context_match: t.optional(t.list(contextMatchShape)),
  description: text(),
  input: anObject(),
  allowSelf: t.optional(t.boolean({ default: false })),
  coalesce_ms: t.optional(t.number({ minimum: 0 })),
})

export interface Subscription extends Static<typeof subscriptionShape> {}

const bootstrapShape = t.object({
  enabled: t.boolean({ default: false }),
  mode: t.oneOf(['once', 'continuous', 'disabled'], { default: 'disabled' }),
  priority: t.number({ minimum: 0, maximum: 100, default: 50, description: 'Higher starts first.' }),
  wait_for: t.list(t.text(), {
    default: [],
    description: 'Tools that must have started or succeeded before.',
  }),
  input: t.anyObject<JsonObject>({ default: {} }),
})

/** With every default filled in. */
export interface Bootstrap extends Static<typeof bootstrapShape> {}

const configFieldShape = t.object({
  key: t.text(),
  label: t.text(),
  type: t.oneOf(['string', 'number', 'boolean', 'secret', 'json']),
  ui_type: t.optional(
    t.oneOf([
      'text',
      'textarea',
      'number',
      'slider',
      'boolean',
      'checkbox',
      'select',
      'secret-select',
      'json',
    ]),
  ),
  description: text(),
  default_value: t.optional(t.any()),
  required: t.optional(t.boolean()),
  placeholder: text(),
  help_text: text(),
  secret_name: text(),
  validation: t.optional(
    t.object({
      min: t.optional(t.number()),
      max: t.optional(t.number()),
      step: t.optional(t.number()),
      pattern: text(),
    }),
  ),
  options: t.optional(t.list(t.object({ value: t.any(), label: text() }))),
  options_source: t.optional(
    t.any<{ readonly type: 'breadcrumb-search' | 'api'; readonly [key: string]: unknown }>({
      type: 'object',
      properties: { type: { enum: ['breadcrumb-search', 'api'] } },
    }),
  ),
})

export interface UiConfigField extends Static<typeof configFieldShape> {}

/** The values that a field of a settings form may have for what it is, and for how it is shown. */
export const fieldTypes = valuesOf(configFieldShape.properties.type)
export const fieldWidgets = valuesOf(configFieldShape.properties.ui_type)

const uiSchemaShape = t.object({
  configurable: t.boolean(),
  config_fields: t.optional(t.list(configFieldShape)),
  description: text(),
})

export interface UiSchema extends Static<typeof uiSchemaShape> {
  readonly config_fields: readonly UiConfigField[]
}

const exampleShape = t.object({
  input: anObject(),
  output: t.optional(
    t.any({ description: 'What execute returns; without it only the output schema is checked.' }),
  ),
  description: text(),
  explanation: text(),
  match: t.optional(t.oneOf(['exact', 'schema'], { default: 'exact' })),
})

export const contextShape = t.object({
  name: t.text({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$' }),
  description: t.optional(t.text({ minLength: 1 })),
  version: text('A semantic version; of two files with one name the higher is active.'),
  code: t.object({
    language: t.oneOf(['typescript', 'javascript'], { description: 'Types are stripped, never checked.' }),
    source: t.text({ minLength: 1, description: 'A module that exports execute(input, context).' }),
  }),
  input_schema: anObject('JSON Schema 2020-12, or draft-07 where $schema says so.'),
  output_schema: anObject(),
  required_secrets: t.optional(t.list(t.text(), { uniqueItems: true })),
  limits: t.optional(leniently(limitsShape)),
  permissions: t.optional(permissionsShape),
  examples: t.optional(t.list(exampleShape)),
  ui_schema: t.optional(uiSchemaShape),
  subscriptions: t.optional(t.list(subscriptionShape)),
  bootstrap: t.optional(leniently(bootstrapShape)),
  isolation: t.optional(t.oneOf(['worker', 'call'], { default: 'worker' })),
})

export const documentShape = t.object(
  {
    schema_name: t.only('tool.code.v1'),
    title: t.text({ minLength: 1, maxLength: 500 }),
    tags: t.list(t.text(), {
      description: 'tool, tool:{name}, workspace:tools and self-contained, and any of your own.',
    }),
    description: text('Read when context.description is absent.'),
    semantic_version: text('Read when context.version is absent.'),
    llm_hints: anObject(),
    visibility: t.optional(t.oneOf(['public', 'team', 'private'])),
    sensitivity: t.optional(t.oneOf(['low', 'pii', 'secret'])),
    ttl: t.optional(t.time()),
    context: contextShape,
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://toolcrib.dev/schema/tool-code.json',
    title: 'tool.code.v1',
  },
)

export const toolCodeDocumentSchema: JsonSchema = schemaOf(documentShape)

/** The value a field has when a document leaves it out. */
export function defaultOf<T extends TSchema>(shape: T): Static<T> {
  return shape['default']
}

/** What a document may leave out where the tool then has the defaults. */
function leniently<T extends TSchema>(shape: T): T {
  return { ...shape, required: [] }
}

function valuesOf<T extends TSchema>(shape: T): readonly Exclude<Static<T>, undefined>[] {
  return shape['enum']
}
