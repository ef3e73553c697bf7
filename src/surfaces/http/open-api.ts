// The OpenAPI 3.1 document: the fixed routes, and for every tool its own call operation with its own schemas.
import { version } from '../../config/version.ts'
import type { Json, JsonObject } from '../../tool/json.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import { callSchemas } from './open-api-call-schemas.ts'
import { crumbSchemas } from './open-api-crumb-schemas.ts'
import { crumbPaths } from './open-api-crumbs.ts'
import { jsonAnswer, jsonBody, object, operation, pathParameter, ref, text } from './open-api-parts.ts'
import { trustPaths, trustSchemas } from './open-api-trust.ts'
import { callBody } from './request-schemas.ts'

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description: 'The same key gives the same answer for a day.',
}

export function openApiDocument(tools: readonly Tool[]): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Toolcrib',
      version: version(),
      description: 'One checked catalog of tools, callable over HTTP.',
    },
    security: [{ bearer: [] }],
    paths: {
      ...fixedPaths(),
      ...crumbPaths(),
      ...trustPaths(),
      ...Object.fromEntries(tools.map((tool) => [callPath(tool), { post: callOperation(tool) }])),
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { ...callSchemas, ...crumbSchemas, ...trustSchemas },
    },
  }
}

function fixedPaths(): JsonObject {
  const id = pathParameter('id', 'Id of the tool; may contain slashes.')
  const runId = pathParameter('id', 'Id of the run.')
  return {
    '/healthz': {
      get: {
        ...operation(
          'health',
          'Whether the server lives; with ?ready, whether it takes requests',
          jsonAnswer('Lives', object),
        ),
        security: [],
      },
    },
    '/readyz': { get: operation('ready', 'Whether calls are taken', jsonAnswer('Ready', object)) },
    '/metrics': {
      get: operation('metrics', 'Prometheus metrics', {
        description: 'Metrics',
        content: { 'text/plain': { schema: text } },
      }),
    },
    '/openapi.json': { get: operation('openapi', 'This document', jsonAnswer('OpenAPI 3.1', object)) },
    '/api/tools': {
      get: {
        ...operation(
          'listTools',
          'Tools in the crib',
          jsonAnswer('Tools and problems', {
            type: 'object',
            required: ['tools', 'problems'],
            properties: {
              tools: { type: 'array', items: ref('Tool') },
              problems: { type: 'array', items: object },
            },
          }),
        ),
        parameters: ['query', 'format', 'kind', 'tag', 'all'].map((name) => ({
          name,
          in: 'query',
          required: false,
          schema: text,
        })),
      },
    },
    '/api/tools/{id}': {
      parameters: [id],
      get: operation(
        'showTool',
        'Everything about one tool',
        jsonAnswer('The tool', { type: 'object', properties: { tool: ref('Tool') } }),
      ),
    },
    '/api/tools/{id}/call': {
      parameters: [id],
      post: {
        ...callingOperation('callTool', 'Calls a tool'),
        description: `Calls a tool. With \`Accept: text/event-stream\` the answer is a stream. ${callEvents}`,
        ...calling(ref('CallBody')),
      },
    },
    '/api/runs': {
      get: {
        ...operation(
          'listRuns',
          'Runs, running ones first, then the latest',
          jsonAnswer('Runs', {
            type: 'object',
            required: ['runs'],
            properties: {
              runs: { type: 'array', items: ref('Run') },
              next: { type: 'string', description: 'The cursor of the next page, when there is one.' },
            },
          }),
        ),
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000 } },
          { name: 'tool', in: 'query', schema: text },
          { name: 'ok', in: 'query', schema: { type: 'boolean' } },
          { name: 'surface', in: 'query', schema: text },
          { name: 'since', in: 'query', schema: { type: 'string', format: 'date-time' } },
          { name: 'cursor', in: 'query', schema: text },
        ],
      },
    },
    '/api/runs/{id}': {
      parameters: [runId],
      get: operation('showRun', 'One run', jsonAnswer('The run', ref('RunDetail'))),
    },
    '/api/runs/{id}/cancel': {
      parameters: [runId],
      post: operation('cancelRun', 'Stops a running call', jsonAnswer('Stopped', object)),
    },
    '/api/approvals': {
      get: operation(
        'listApprovals',
        'Calls that wait for a person',
        jsonAnswer('Waiting calls', { type: 'array', items: ref('Approval') }),
      ),
    },
    '/api/approvals/{id}': {
      parameters: [pathParameter('id', 'Id of the approval.')],
      post: {
        ...operation('decideApproval', 'Approves or denies', jsonAnswer('Decided', object)),
        requestBody: jsonBody(ref('DecisionBody'), true),
      },
    },
    '/api/tokens': {
      get: operation(
        'listTokens',
        'Who may use this server and what for',
        jsonAnswer('Names and scopes, never values', {
          type: 'object',
          required: ['tokens', 'issuer'],
          properties: {
            tokens: { type: 'array', items: ref('Token') },
            issuer: { type: ['string', 'null'] },
          },
        }),
      ),
    },
    '/mcp': {
      post: {
        ...operation('mcp', 'MCP Streamable HTTP', jsonAnswer('JSON-RPC', object)),
        requestBody: jsonBody(object, true),
      },
    },
  }
}

/** Slashes of an id stand as they are; everything else a path cannot hold, braces too, is escaped. */
function callPath(tool: Tool): string {
  return `/api/tools/${tool.id.split('/').map(encodeURIComponent).join('/')}/call`
}

function callOperation(tool: Tool): JsonObject {
  const properties = callBody['properties'] as JsonObject
  const params = tool.params ?? { type: 'object', maxProperties: 0 }
  return {
    ...callingOperation(`call_${tool.name}`, tool.title ?? tool.id, tool),
    ...(tool.description ? { description: tool.description } : {}),
    ...(tool.tags.length > 0 ? { tags: tool.tags } : {}),
    ...calling({ ...callBody, properties: { ...properties, params: ownResource(params, tool, 'params') } }),
  }
}

function calling(body: Json): JsonObject {
  return { parameters: [idempotencyKey], requestBody: jsonBody(body, false) }
}

/** References inside a tool's schema are meant from its own root, so it becomes a resource of its own. */
function ownResource(schema: JsonSchema, tool: Tool, part: string): JsonSchema {
  if (!JSON.stringify(schema).includes('"$ref"') || schema['$id'] !== undefined) return schema
  return { $id: `urn:toolcrib:${part}:${tool.name}`, ...schema }
}

const callEvents =
  'Events: `log` (a log line), `progress` (`{done, total?, message?}`), `text` (`{text}`, the next piece of what the model of an agent writes), and last `outcome` (the Outcome, with the whole text where that is the result).'

/** A call that was refused or came to nothing is answered with an outcome too, under the status of its error. */
function callingOperation(operationId: string, summary: string, tool?: Tool): JsonObject {
  const made = operation(operationId, summary, outcomeAnswer(tool))
  const { default: problem, ...responses } = made['responses'] as { [status: string]: JsonObject }
  const content = { 'application/json': { schema: ref('Outcome') }, ...(problem!['content'] as JsonObject) }
  return { ...made, responses: { ...responses, default: { ...problem, content } } }
}

function outcomeAnswer(tool?: Tool): JsonObject {
  const value = tool?.returns
  const outcome: Json = value
    ? { allOf: [ref('Outcome'), { properties: { value: ownResource(value, tool!, 'returns') } }] }
    : ref('Outcome')
  const schema = { anyOf: [outcome, ref('DryRun')] }
  return {
    description: 'The outcome; the tool ran, also when it failed.',
    content: {
      'application/json': { schema },
      'text/event-stream': { schema: { type: 'string', description: callEvents } },
    },
  }
}
