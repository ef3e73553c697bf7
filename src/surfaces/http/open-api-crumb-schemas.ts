// The shapes of breadcrumbs, secrets, settings and automation in the OpenAPI document.
import type { Json, JsonObject } from '../../tool/json.ts'
import { number, object, text } from './open-api-parts.ts'

export const integer = { type: 'integer' }
export const flag = { type: 'boolean' }
const time = { type: 'string', format: 'date-time' }
export const listOf = (items: Json): JsonObject => ({ type: 'array', items })
const textOrNull = { type: ['string', 'null'] }

const draftFields: JsonObject = {
  title: { type: 'string', minLength: 1, maxLength: 500 },
  description: text,
  semantic_version: text,
  context: {},
  tags: { type: 'array', maxItems: 64, items: { type: 'string', maxLength: 200 } },
  schema_name: text,
  llm_hints: object,
  visibility: { enum: ['public', 'team', 'private'] },
  sensitivity: { enum: ['low', 'pii', 'secret'] },
  ttl: time,
  ttl_seconds: { type: 'number', exclusiveMinimum: 0 },
}

const itemFields: JsonObject = {
  id: text,
  title: text,
  description: text,
  semantic_version: text,
  tags: listOf(text),
  schema_name: text,
  version: integer,
  updated_at: time,
  context: {},
}

const startedTool: JsonObject = {
  type: 'object',
  properties: {
    name: text,
    version: text,
    mode: { enum: ['once', 'continuous'] },
    priority: integer,
    wait_for: listOf(text),
    status: { enum: ['succeeded', 'failed', 'started', 'completed', 'skipped'] },
    code: text,
    reason: text,
    duration_ms: number,
    restarts: integer,
  },
}

const schedule: JsonObject = {
  type: 'object',
  properties: {
    id: text,
    title: text,
    interval: {},
    labels: listOf(text),
    enabled: flag,
    catchUp: { enum: ['skip', 'once'] },
    nextAt: { ...textOrNull, description: 'When it fires next; null when it never does.' },
    lastDueAt: textOrNull,
    problem: text,
  },
}

const subscription: JsonObject = {
  type: 'object',
  properties: {
    tool: text,
    on: listOf(object),
    cursor: { ...integer, description: 'Position in the feed up to which everything is done.' },
    lag: { ...integer, description: 'Matching events that are not done yet.' },
    lagMs: { ...number, description: 'How long the oldest of them has waited.' },
    isRunning: flag,
    attempts: integer,
    skipped: integer,
    isHere: { ...flag, description: 'False: another server of this crib does the work.' },
  },
}

export const crumbSchemas: JsonObject = {
  BreadcrumbDraft: { type: 'object', required: ['title'], properties: draftFields },
  BreadcrumbChange: {
    description: 'Given fields replace wholly; null clears an optional one.',
    type: 'object',
    properties: draftFields,
  },
  BreadcrumbItem: {
    type: 'object',
    required: ['id', 'title', 'tags', 'version', 'updated_at'],
    properties: { ...itemFields, score: number },
  },
  Breadcrumb: {
    description: 'All fields, context untouched.',
    type: 'object',
    properties: {
      ...draftFields,
      ...itemFields,
      owner_id: text,
      checksum: text,
      size_bytes: integer,
      created_at: time,
      created_by: text,
      updated_by: text,
    },
  },
  Secret: {
    description: 'A secret without its value.',
    type: 'object',
    properties: {
      id: text,
      name: text,
      scope_type: { enum: ['owner', 'workspace', 'tool'] },
      scope_id: textOrNull,
      created_at: time,
      updated_at: time,
    },
  },
  Automation: {
    type: 'object',
    properties: {
      isRunning: flag,
      bootstrap: {
        type: 'object',
        properties: {
          isEnabled: flag,
          report: {
            type: ['object', 'null'],
            properties: {
              kind: { const: 'startup-report' },
              node: text,
              started_at: time,
              finished_at: textOrNull,
              order: listOf(text),
              tools: listOf(startedTool),
              cycles: listOf(listOf(text)),
            },
          },
        },
      },
      services: listOf(startedTool),
      schedules: {
        type: 'object',
        properties: { engine: { enum: ['builtin', 'off'] }, items: listOf(schedule) },
      },
      subscriptions: listOf(subscription),
      requests: { type: 'object', properties: { waiting: integer, claimed: integer, done: integer } },
      feed: { type: 'object', properties: { last: integer, horizon: integer } },
    },
  },
  CausationGraph: {
    type: 'object',
    properties: {
      root: { type: 'string', description: 'Position in the feed of the event that began it.' },
      nodes: listOf({
        type: 'object',
        required: ['id', 'kind'],
        properties: {
          id: { type: 'string', description: '`crumb:<id>` or `run:<id>`.' },
          kind: { enum: ['crumb', 'run'] },
          crumb: text,
          title: text,
          schema_name: textOrNull,
          events: listOf(object),
          runId: text,
          tool: text,
          ok: { ...flag, description: 'Absent while it runs.' },
          errorCode: text,
          startedAt: time,
          ms: number,
        },
      }),
      edges: listOf({
        type: 'object',
        required: ['from', 'to', 'kind'],
        properties: { from: text, to: text, kind: { enum: ['triggered', 'wrote', 'called'] }, event: text },
      }),
      isCut: flag,
    },
  },
  ToolSettings: {
    type: 'object',
    properties: {
      tool: text,
      configurable: flag,
      message: { ...textOrNull, description: 'What to show instead of a form.' },
      description: text,
      fields: listOf({
        type: 'object',
        required: ['key', 'label', 'type'],
        properties: {
          key: text,
          label: text,
          type: { enum: ['string', 'number', 'boolean', 'secret', 'json'] },
          ui_type: text,
          description: text,
          default_value: {},
          required: flag,
          placeholder: text,
          help_text: text,
          secret_name: text,
          validation: object,
          min: number,
          max: number,
          step: number,
          choices: listOf({ type: 'object', properties: { value: {}, label: text } }),
          choices_error: text,
        },
      }),
      values: { ...object, description: 'Defaults, overlaid by what was saved.' },
      saved: { type: ['object', 'null'] },
      id: textOrNull,
      version: { type: ['integer', 'null'] },
      last_updated: textOrNull,
    },
  },
}
