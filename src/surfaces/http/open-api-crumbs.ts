// Breadcrumbs, events, secrets, settings and automation in the OpenAPI document.
import type { Json, JsonObject } from '../../tool/json.ts'
import {
  jsonAnswer,
  jsonBody,
  number,
  object,
  operation,
  pathParameter,
  ref,
  text,
} from './open-api-parts.ts'

const integer = { type: 'integer' }
const flag = { type: 'boolean' }
const time = { type: 'string', format: 'date-time' }
const listOf = (items: Json): JsonObject => ({ type: 'array', items })
const textOrNull = { type: ['string', 'null'] }

const problems = { ...listOf(object), description: 'Warnings about a tool that was stored all the same.' }

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

const ifMatch: JsonObject = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: text,
  description: 'A version such as 3 or "3", or *; stale gives 412.',
}

const filters = [
  query('tag', listOf(text), 'Repeatable; all must be there.'),
  query('schema_name', text),
  query('include_context', flag),
]

export function crumbPaths(): JsonObject {
  const id = pathParameter('id', 'Id of the breadcrumb.')
  const written = { type: 'object', properties: { id: text, version: integer, warnings: problems } }
  return {
    '/breadcrumbs': {
      post: {
        ...created('createBreadcrumb', 'Stores a breadcrumb', written),
        parameters: [header('Idempotency-Key', 'The same key and body give the first answer for a day.')],
        requestBody: jsonBody(ref('BreadcrumbDraft'), true),
      },
      get: {
        ...operation(
          'listBreadcrumbs',
          'Breadcrumbs, newest update first; the next page is in the Link header',
          jsonAnswer('Breadcrumbs', listOf(ref('BreadcrumbItem'))),
        ),
        parameters: [
          ...filters,
          query('q', text, 'All words must occur.'),
          query('limit', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
          query('cursor', text),
          query('offset', integer),
        ],
      },
    },
    '/breadcrumbs/search': {
      get: {
        ...operation(
          'searchBreadcrumbs',
          'Full-text search, best first',
          jsonAnswer('Breadcrumbs with score', listOf(ref('BreadcrumbItem'))),
        ),
        parameters: [
          { ...query('q', text, 'Any word may occur.'), required: true },
          query('nn', { type: 'integer', minimum: 1, maximum: 1000, default: 5 }),
          ...filters,
        ],
      },
    },
    '/breadcrumbs/{id}': {
      parameters: [id],
      get: operation(
        'getBreadcrumb',
        'One breadcrumb with its hints applied',
        jsonAnswer('The view', ref('BreadcrumbItem')),
      ),
      patch: {
        ...operation(
          'updateBreadcrumb',
          'Changes a breadcrumb',
          jsonAnswer('Changed', { type: 'object', properties: { ok: flag, id: text, version: integer } }),
        ),
        parameters: [ifMatch],
        requestBody: jsonBody(ref('BreadcrumbChange'), true),
      },
      delete: {
        ...operation('deleteBreadcrumb', 'Deletes a breadcrumb', jsonAnswer('Deleted', object)),
        parameters: [ifMatch],
      },
    },
    '/breadcrumbs/{id}/full': {
      parameters: [id],
      get: operation('getFullBreadcrumb', 'All fields', jsonAnswer('The breadcrumb', ref('Breadcrumb'))),
    },
    '/breadcrumbs/{id}/history': {
      parameters: [id],
      get: operation(
        'breadcrumbHistory',
        'Every version, newest first',
        jsonAnswer('Versions', listOf(object)),
      ),
    },
    '/requests/{id}/retry': {
      parameters: [pathParameter('id', 'Id of a tool.request.v1 breadcrumb.')],
      post: created('retryRequest', 'Runs a request again, as a new one', written),
    },
    '/events/stream': {
      get: {
        ...operation('eventStream', 'Events as they happen', {
          description: 'One event a message: `id:` and one JSON `data:` line.',
          content: { 'text/event-stream': { schema: text } },
        }),
        parameters: [
          header('Last-Event-ID', 'Replays what came after this position.'),
          query('since', text, 'As Last-Event-ID.'),
          query('schema_name', text),
          query('tag', listOf(text), 'Repeatable; all must be there.'),
          query('type', { enum: ['breadcrumb.created', 'breadcrumb.updated', 'breadcrumb.deleted'] }),
          query('compat', { enum: ['rcrt'] }, 'Shows creates as updates.'),
        ],
      },
    },
    '/secrets': {
      post: {
        ...created('createSecret', 'Stores a secret', { type: 'object', properties: { id: text } }),
        requestBody: jsonBody(
          {
            type: 'object',
            required: ['name', 'value'],
            properties: {
              name: text,
              value: text,
              scope_type: { enum: ['owner', 'workspace', 'tool'] },
              scope_id: text,
            },
          },
          true,
        ),
      },
      get: operation('listSecrets', 'Names and scopes', jsonAnswer('Secrets', listOf(ref('Secret')))),
    },
    '/secrets/{id}': {
      parameters: [pathParameter('id', 'Id of the secret.')],
      put: {
        ...operation('replaceSecret', 'Gives a secret a new value', jsonAnswer('Replaced', object)),
        requestBody: jsonBody({ type: 'object', required: ['value'], properties: { value: text } }, true),
      },
      delete: operation('deleteSecret', 'Deletes a secret', jsonAnswer('Deleted', object)),
    },
    '/secrets/{id}/decrypt': {
      parameters: [pathParameter('id', 'Id of the secret.')],
      post: {
        ...operation(
          'decryptSecret',
          'The value, for an admin, on record',
          jsonAnswer('The value', { type: 'object', properties: { value: text } }),
        ),
        requestBody: jsonBody({ type: 'object', required: ['reason'], properties: { reason: text } }, true),
      },
    },
    '/api/automation': {
      get: operation(
        'automation',
        'What started, what is scheduled, who listens',
        jsonAnswer('Automation', ref('Automation')),
      ),
    },
    '/api/crumbs/{id}/causation': {
      parameters: [id],
      get: operation(
        'causation',
        'What set off a breadcrumb and what came of it',
        jsonAnswer('The chain', ref('CausationGraph')),
      ),
    },
    '/api/tools/{id}/config': {
      parameters: [pathParameter('id', 'Id of the tool; may contain slashes.')],
      get: operation(
        'toolSettings',
        'The settings form of a tool and its values',
        jsonAnswer('Settings', ref('ToolSettings')),
      ),
      put: {
        ...operation(
          'saveToolSettings',
          'Saves the settings of a tool',
          jsonAnswer('Saved', { type: 'object', properties: { ok: flag, id: text, version: integer } }),
        ),
        parameters: [ifMatch],
        requestBody: jsonBody({ type: 'object', required: ['config'], properties: { config: object } }, true),
      },
    },
  }
}

function created(operationId: string, summary: string, schema: Json): JsonObject {
  const { responses, ...rest } = operation(operationId, summary, {})
  return {
    ...rest,
    responses: { '201': jsonAnswer('Created', schema), default: (responses as JsonObject)['default']! },
  }
}

function query(name: string, schema: Json, description?: string): JsonObject {
  return { name, in: 'query', required: false, schema, ...(description ? { description } : {}) }
}

function header(name: string, description: string): JsonObject {
  return { name, in: 'header', required: false, schema: text, description }
}
