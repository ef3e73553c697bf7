// The routes of breadcrumbs, events, secrets, settings and automation in the OpenAPI document.
import type { Json, JsonObject } from '../../tool/json.ts'
import { flag, integer, listOf } from './open-api-crumb-schemas.ts'
import { jsonAnswer, jsonBody, object, operation, pathParameter, ref, text } from './open-api-parts.ts'

const problems = { ...listOf(object), description: 'Warnings about a tool that was stored all the same.' }

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
