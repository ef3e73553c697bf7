// One operation of an API as a tool.
import { defined } from '../../tool/defined.ts'
import type { Json, JsonObject } from '../../tool/json.ts'
import type { OpenApiPlan } from '../../tool/plans/openapi-plan.ts'
import type { Problem } from '../../tool/problem.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import { withoutFaults } from '../../tool/schema/without-faults.ts'
import { type Example, type JsonSchema, makeTool, type Tool } from '../../tool/tool.ts'
import { Conversion } from './convert-schema.ts'
import { type ApiDocument, isNode, type Located, type Node } from './document.ts'
import { type GivenBody, requestBody, swaggerBody } from './read-body.ts'
import { hasPages, pagesParam } from './read-pages.ts'
import { type GivenParam, givenParams, namedParams, paramPlan, paramSchema } from './read-parameters.ts'
import { acceptOf, returnsOf } from './read-responses.ts'
import { securityOf } from './read-security.ts'
import { needOf, serverOf } from './read-server.ts'

export interface ApiSettings {
  readonly api: string
  readonly server?: string | undefined
  readonly auth?: string | undefined
  /** Where the document was fetched from. */
  readonly origin?: string | undefined
}

/** Parts of schemas that one operation may have: the more operations, the fewer, so that a large document stays quick. */
export interface SchemaBudget {
  readonly params: number
  readonly returns: number
}

export interface Operation {
  readonly document: ApiDocument
  readonly settings: ApiSettings
  readonly budget: SchemaBudget
  readonly id: string
  readonly method: string
  readonly path: string
  readonly at: Located
  /** The path's own entry, whose parameters and servers count for all its methods. */
  readonly pathAt: Located
}

const maxKept = { description: 4_000, examples: 3 }

export function readOperation(operation: Operation, base: Pick<Tool, 'tier' | 'source'>): Tool {
  const { document, settings, budget, id, method, path, at, pathAt } = operation
  const problems: Problem[] = []
  const leaveOutHint = `Correct the document, or leave the operation out: \`exclude: ["${method} ${path}"]\` at its entry of \`apis\`.`
  const report = (severity: Problem['severity'], where: Located, message: string, hint = leaveOutHint) =>
    problems.push({
      code: 'openapi-operation',
      severity,
      message: `${method} ${path}: ${message}.`,
      hint,
      ...document.placeOf(where),
      toolId: id,
    })
  const node = at.value as Node
  const lists = [document.at(at, 'parameters'), document.at(pathAt, 'parameters')]
  const given = givenParams(document, lists, (where, message) => report('error', where, message))
  const isSwagger = isNode(document.value) && typeof document.value['swagger'] === 'string'
  const body = isSwagger ? swaggerBody(document, lists, consumes(document, node)) : requestBody(document, at)
  const params = withPathParams(given, path, at)
  const server = serverOf(document, [at, pathAt, document.root], settings)
  if (server === undefined)
    report(
      'error',
      at,
      'the document names no whole server address',
      `Say in toolcrib.yaml where the API is: apis: { ${settings.api}: { spec: ‥, server: https://‥ } }`,
    )
  const security = securityOf(document, at, settings)
  if (security.unsupported) report('warning', at, `it cannot be logged in to (${security.unsupported})`)
  const isPaged = hasPages(document, at, method, params)
  const conversion = new Conversion(document, { way: 'request', budget: budget.params })
  const shape = paramsShape(conversion, document, { params, body, isPaged })
  const [closed] = conversion.opened
  if (closed)
    report(
      'warning',
      closed,
      'a part of `allOf` is closed (`additionalProperties: false`) to the properties of the others, so no body fits; it is taken as open',
    )
  const plan: OpenApiPlan = defined({
    api: settings.api,
    method,
    server: server ?? '',
    path,
    params: params.map((param) => paramPlan(param, shape.names.get(param)!)),
    body: body?.plan,
    credentials: security.credentials,
    accept: acceptOf(document, at),
    pages: shape.pages || undefined,
  })
  const needsFiles = body?.plan.files !== undefined || body?.plan.kind === 'binary'
  return makeTool(
    defined({
      ...base,
      id,
      format: 'openapi',
      title: text(node['summary']) || undefined,
      description: descriptionOf(node, method, path),
      version: versionOf(document),
      params: sound(shape.schema, 'parameters'),
      returns: soundOrNull(returnsOf(document, at, budget.returns)),
      requires: [...(server === undefined ? [] : [needOf(server)]), ...(needsFiles ? ['fs.read'] : [])],
      tags: [
        ...new Set([
          settings.api,
          ...texts(node['tags']),
          ...(node['deprecated'] === true ? ['deprecated'] : []),
        ]),
      ],
      examples: examplesOf(params, shape.names, body),
      secrets: security.credentials.length > 0 ? security.credentials.map(({ secret }) => secret) : undefined,
      runtime: { name: 'openapi' as const, plan },
      problems,
      details: {
        annotations: annotationsOf(method),
        skipExamples: 'its examples would call the API',
        openapi: defined({ method, path, server }),
      },
    }),
  )

  function sound(schema: JsonSchema, what: string): JsonSchema {
    const [finding] = lintSchema(schema)
    if (!finding) return schema
    report(
      'warning',
      at,
      `its ${what} are not valid at ${finding.pointer || 'the root'}: ${finding.message}; this part is not checked`,
    )
    return withoutFaults(schema)
  }

  function soundOrNull(schema: JsonSchema | null): JsonSchema | null {
    return schema === null || lintSchema(schema).length === 0 ? schema : null
  }
}

/** Parts of the path that nobody describes are texts. */
function withPathParams(given: readonly GivenParam[], path: string, at: Located): GivenParam[] {
  const known = new Set(given.flatMap((param) => (param.in === 'path' ? [param.name] : [])))
  const missing = [...path.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name]) => (known.has(name!) ? [] : [name!]))
  const inPath = given.filter((param) => param.in !== 'path' || path.includes(`{${param.name}}`))
  return [
    ...inPath,
    ...[...new Set(missing)].map((name) => ({
      at,
      node: { name, in: 'path', required: true, schema: { type: 'string' } },
      name,
      in: 'path' as const,
    })),
  ]
}

interface Shape {
  readonly schema: JsonSchema
  readonly names: ReadonlyMap<GivenParam, string>
  readonly pages?: string
}

interface ShapeParts {
  readonly params: readonly GivenParam[]
  readonly body: GivenBody | undefined
  readonly isPaged: boolean
}

function paramsShape(
  conversion: Conversion,
  document: ApiDocument,
  { params, body, isPaged }: ShapeParts,
): Shape {
  const names = namedParams(params, new Set(body ? ['body'] : []))
  const properties: { [name: string]: unknown } = {}
  const required: string[] = []
  for (const param of params) {
    const as = names.get(param)!
    properties[as] = described(conversion.convert(schemaAt(document, param)), param.node)
    if (param.node['required'] === true || param.in === 'path') required.push(as)
  }
  if (body) {
    const note = { description: body.description ?? bodyWords(body) }
    properties['body'] =
      body.plan.kind === 'binary' || isWrittenText(document, body)
        ? { type: 'string', ...note }
        : described(conversion.convert(body.schema), note)
    if (body.isRequired) required.push('body')
  }
  const pages = isPaged && !Object.hasOwn(properties, 'pages') ? 'pages' : undefined
  if (pages) properties[pages] = pagesParam
  const schema = defined({
    type: 'object',
    properties,
    required: required.length > 0 ? required : undefined,
    additionalProperties: false,
  })
  return defined({ schema: conversion.finish(schema), names, pages: pages || undefined })
}

/** A body that is text of some other kind than JSON or YAML is written by whoever calls, whatever its schema tells. */
function isWrittenText(document: ApiDocument, { plan, schema }: GivenBody): boolean {
  const value = document.resolve(schema)?.value
  return plan.kind === 'text' && !/yaml/i.test(plan.mediaType) && isNode(value) && value['type'] !== 'string'
}

function schemaAt(document: ApiDocument, param: GivenParam): Located {
  const at = paramSchema(document, param)
  return at.value === undefined ? { ...at, value: { type: 'string' } } : at
}

function bodyWords({ plan }: GivenBody): string {
  if (plan.kind === 'binary') return `Path of the file in the crib that is sent as ${plan.mediaType}.`
  const files = plan.files ? `; ${plan.files.join(', ')}: paths of files in the crib` : ''
  return `The body of the request, sent as ${plan.mediaType}${files}.`
}

/** A schema with what its parameter says about it. */
function described(schema: Node | boolean, node: Node): unknown {
  const own = typeof schema === 'boolean' ? {} : schema
  const description = text(own['description']) ? undefined : text(node['description'])
  const example = own['examples'] === undefined && own['$ref'] === undefined ? node['example'] : undefined
  return {
    ...own,
    ...defined({
      description: description ? description.slice(0, maxKept.description) : undefined,
      examples: example === undefined ? undefined : [example],
      deprecated: node['deprecated'] === true ? true : undefined,
    }),
  }
}

function descriptionOf(node: Node, method: string, path: string): string {
  const words = [text(node['summary']), text(node['description'])].filter((one) => one !== undefined)
  const said = [...new Set(words)].join('\n\n').slice(0, maxKept.description)
  const note = node['deprecated'] === true ? 'Deprecated. ' : ''
  return `${note}${said}${said ? '\n\n' : ''}${method} ${path}`
}

/** Examples that a call could be made of: every required parameter has a value. */
function examplesOf(
  params: readonly GivenParam[],
  names: ReadonlyMap<GivenParam, string>,
  body: GivenBody | undefined,
): Example[] {
  const shown: { [name: string]: unknown } = {}
  for (const param of params) {
    const { schema } = param.node
    const value = param.node['example'] ?? (isNode(schema) ? schema['example'] : undefined)
    if (value !== undefined) shown[names.get(param)!] = value
    else if (param.node['required'] === true || param.in === 'path') return []
  }
  if (body?.isRequired && body.examples.length === 0) return []
  const bodies = body && body.examples.length > 0 ? body.examples.map((one) => ({ body: one })) : [{}]
  const isEmpty = Object.keys(shown).length === 0 && bodies.every((one) => Object.keys(one).length === 0)
  return isEmpty
    ? []
    : bodies.slice(0, maxKept.examples).map((one) => ({ params: { ...shown, ...one } as Json }))
}

function annotationsOf(method: string): JsonObject {
  const isReadOnly = ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)
  return defined({
    readOnlyHint: isReadOnly,
    destructiveHint: isReadOnly ? undefined : method !== 'POST',
    idempotentHint: isReadOnly || method === 'PUT' || method === 'DELETE' ? true : undefined,
    openWorldHint: true,
  })
}

function consumes(document: ApiDocument, node: Node): string[] {
  const root = document.value as Node
  return texts(node['consumes'] ?? root['consumes'])
}

function versionOf(document: ApiDocument): string {
  const { info } = document.value as Node
  const version = isNode(info) ? info['version'] : undefined
  return version === undefined ? '0.0.0' : String(version)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
