// The OpenAPI 3.1 document: every declared route, and for every tool its own call operation with its own schemas.
import { version } from '../../config/version.ts'
import { defined } from '../../tool/defined.ts'
import type { Json, JsonObject } from '../../tool/json.ts'
import { named, nameOf, schemaOf, type TSchema, t } from '../../tool/shape.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import { isRequired } from './query.ts'
import type { Answer, Route } from './route.ts'
import { callRoute } from './routes/call.ts'
import { routes } from './routes.ts'

const problem = named(
  'Problem',
  t.object(
    {
      type: t.text(),
      title: t.text(),
      status: t.integer(),
      code: t.text(),
      detail: t.text(),
      hint: t.text({ description: 'What to do next.' }),
      details: t.optional(t.any()),
    },
    { description: 'RFC 9457 problem document.' },
  ),
)

/** The schemas that have a name, as they are met. */
type Components = Record<string, Json>

export function openApiDocument(tools: readonly Tool[]): JsonObject {
  const components: Components = {}
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    const path = pathOf(route)
    paths[path] = { ...paths[path], [route.method]: operationOf(route, components) }
  }
  for (const tool of tools) paths[callPath(tool)] = { post: callOperation(tool, components) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Toolcrib',
      version: version(),
      description: 'One checked catalog of tools, callable over HTTP.',
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: components,
    },
  }
}

/** Hono's `:id{.+}` and `*` in the words of OpenAPI. */
function pathOf({ path }: Route): string {
  return path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')
}

function operationOf(route: Route, components: Components): JsonObject {
  const { id, summary, description, access, body, answers } = route
  const parameters = parametersOf(route)
  return defined({
    operationId: id,
    summary,
    description,
    ...(access.needs === 'nothing' ? { security: [] } : { 'x-needs': access.needs }),
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: body ? bodyOf(body.shape, body.isRequired, components) : undefined,
    responses: responsesOf(answers, components),
  })
}

function parametersOf({ path, params, query, headers }: Route): JsonObject[] {
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) =>
      parameter('path', name!, { type: 'string' }, params?.[name!]),
    ),
    ...Object.entries(headers ?? {}).map(([name, description]) =>
      parameter('header', name, { type: 'string' }, description),
    ),
    ...Object.entries(query?.properties ?? {}).map(([name, { description, ...shape }]) => ({
      ...parameter('query', name, shape as JsonObject, description),
      required: isRequired(query!, name) && shape.default === undefined,
    })),
  ]
}

function parameter(
  place: string,
  name: string,
  schema: JsonObject,
  description: string | undefined,
): JsonObject {
  return defined({
    name,
    in: place,
    required: place === 'path',
    schema,
    description: description || undefined,
  })
}

function bodyOf(schema: TSchema, required: boolean, components: Components): JsonObject {
  return { required, content: { 'application/json': { schema: reference(schema, components) } } }
}

function responsesOf(answers: Route['answers'], components: Components): JsonObject {
  const { default: failure, ...good } = answers
  const refused = {
    description: 'A problem, or an outcome that failed',
    content: { ...failure?.content, 'application/problem+json': problem },
  }
  return Object.fromEntries(
    Object.entries({ ...good, default: refused }).map(([status, answer]) => [
      status,
      answerOf(answer as Answer, components),
    ]),
  )
}

function answerOf({ description, content }: Answer, components: Components): JsonObject {
  const schemas = Object.entries(content).map(([type, shape]) => [
    type,
    { schema: reference(shape, components) },
  ])
  return defined({ description, content: schemas.length === 0 ? undefined : Object.fromEntries(schemas) })
}

/** A shape as the document writes it: one that has a name stands under it once. */
function reference(shape: unknown, components: Components): Json {
  if (Array.isArray(shape)) return shape.map((item) => reference(item, components))
  if (typeof shape !== 'object' || shape === null) return shape as Json
  const name = nameOf(shape)
  const fields = (): Json =>
    Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, reference(value, components)]))
  if (name === undefined) return fields()
  if (!(name in components)) {
    // Its place in the order is taken before what it refers to.
    components[name] = null
    components[name] = fields()
  }
  return { $ref: `#/components/schemas/${name}` }
}

/** Slashes of an id stand as they are; everything else a path cannot hold, braces too, is escaped. */
function callPath(tool: Tool): string {
  return `/api/tools/${tool.id.split('/').map(encodeURIComponent).join('/')}/call`
}

/** The declared call, with the parameters and the result of one tool. */
function callOperation(tool: Tool, components: Components): JsonObject {
  const { description: _, responses, ...general } = operationOf(callRoute, components)
  const body = schemaOf(callRoute.body!.shape)
  const params = ownResource(tool.params ?? { type: 'object', maxProperties: 0 }, tool, 'params')
  const properties = { ...(body['properties'] as JsonObject), params }
  return defined({
    ...general,
    operationId: `call_${tool.name}`,
    summary: tool.title ?? tool.id,
    description: tool.description || general['description'],
    tags: tool.tags.length > 0 ? tool.tags : general['tags'],
    parameters: (general['parameters'] as JsonObject[]).filter((each) => each['in'] !== 'path'),
    requestBody: { required: false, content: { 'application/json': { schema: { ...body, properties } } } },
    responses: tool.returns ? withValue(responses as JsonObject, tool) : responses!,
  })
}

function withValue(responses: JsonObject, tool: Tool): JsonObject {
  const good = responses['200'] as JsonObject
  const content = good['content'] as { readonly [type: string]: JsonObject }
  const { anyOf: [outcome, dryRun] = [] } = content['application/json']!['schema'] as { anyOf?: Json[] }
  const value = ownResource(tool.returns!, tool, 'returns')
  const schema = { anyOf: [{ allOf: [outcome!, { properties: { value } }] }, dryRun!] }
  return { ...responses, '200': { ...good, content: { ...content, 'application/json': { schema } } } }
}

/** References inside a tool's schema are meant from its own root, so it becomes a resource of its own. */
function ownResource(schema: JsonSchema, tool: Tool, part: string): JsonSchema {
  if (!JSON.stringify(schema).includes('"$ref"') || schema['$id'] !== undefined) return schema
  return { $id: `urn:toolcrib:${part}:${tool.name}`, ...schema }
}
