// docs/http.md, made from the OpenAPI document.
import { openApiDocument } from '../../src/surfaces/http/open-api.ts'
import { table } from './table.ts'

type Schema = { readonly [key: string]: unknown }
type Content = { readonly [type: string]: { readonly schema: Schema } }

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly 'x-needs'?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
    readonly description?: string
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: {
    readonly [status: string]: { readonly description: string; readonly content?: Content }
  }
}

interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly schemas: { readonly [name: string]: Schema } }
}

const example = `\`\`\`sh serves
toolcrib serve
\`\`\`

In another terminal:

\`\`\`console
$ token=$(cat .toolcrib/token)
$ curl -s http://127.0.0.1:4747/healthz
{"ok":true,"version":"…"}
$ curl -s -H "Authorization: Bearer $token" http://127.0.0.1:4747/api/tools | head -c 40
{"tools":[{"name":"crumbs_create","descr
$ curl -s -H "Authorization: Bearer $token" -H "Content-Type: application/json" \\
>   -d '{"params":{"path":"."}}' http://127.0.0.1:4747/api/tools/rye/file-system/list/call
{"ok":true,"value":{"success":true,"data":{"path":".","entries":[…
$ curl -s http://127.0.0.1:4747/api/tools
{"type":"about:blank","title":"Not authenticated","status":401,"code":"TOKEN_MISSING",…
\`\`\``

const methods = ['get', 'post', 'put', 'patch', 'delete']

export function httpPage(): string {
  const document = openApiDocument([]) as object as Document
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
  )
  const parts = [
    '# HTTP',
    'Made from the OpenAPI document by `npm run docs`. A running crib serves the whole document, with an operation for each of its tools, at `/openapi.json`.',
    example,
    'Every route wants a bearer token, unless its part here says otherwise. The server listens on 127.0.0.1, checks `Host` and `Origin`, and answers errors as `application/problem+json` with a `code` and a `hint`; those of breadcrumbs also carry `legacyCode`, the code that 0.1.0 gave them, until 0.3. A call answers with its outcome: 200 when the tool ran, also when it failed; 422 when parameters or result are invalid; 403 when it is denied, and to a token with limits also when there is no such tool; 503 when something is missing; 504 when it took too long.',
    '## Routes',
    table(
      ['route', 'does'],
      operations.map(({ path, method, operation }) => [
        `\`${method.toUpperCase()} ${path}\``,
        operation.summary ?? '',
      ]),
    ),
  ]
  for (const { path, method, operation } of operations) {
    parts.push(`### ${method.toUpperCase()} ${path.replaceAll(/[{}]/g, '')}`)
    parts.push(`${sentence(operation.description ?? operation.summary ?? '')} ${needsOf(operation)}`.trim())
    if (operation.parameters?.length)
      parts.push(
        table(
          ['parameter', 'in', 'values', 'meaning'],
          operation.parameters.map((each) => [
            `\`${each.name}\`${each.required ? ' (required)' : ''}`,
            each.in,
            typeOf(each.schema),
            each.description ?? '',
          ]),
        ),
      )
    const body = operation.requestBody?.content['application/json']?.schema
    if (body) parts.push(...fieldsOf('body', body, document))
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      if (status === 'default') continue
      parts.push(`Answer ${status}: ${sentence(description)}`)
      const answer = content?.['application/json']?.schema
      if (answer) parts.push(...fieldsOf('answer', answer, document))
    }
  }
  return `${parts.join('\n\n')}\n`
}

function needsOf(operation: Operation): string {
  const needs = operation['x-needs']
  if (needs === undefined) return 'Needs no token.'
  return needs === 'token'
    ? ''
    : needs === 'admin'
      ? "Needs an admin's token."
      : `Needs the grant \`${needs}\`.`
}

/** The fields of an object, or of the objects of a list. */
function fieldsOf(what: string, schema: Schema, document: Document): string[] {
  const whole = resolved(schema, document)
  const one = whole['items'] ? resolved(whole['items'] as Schema, document) : whole
  const fields = Object.entries((one['properties'] ?? {}) as { readonly [name: string]: Schema })
  if (fields.length === 0) return []
  const required = (one['required'] ?? []) as readonly string[]
  const rows = fields.map(([name, field]) => [
    `\`${name}\`${required.includes(name) ? '' : ' (optional)'}`,
    typeOf(field),
    String(resolved(field, document)['description'] ?? ''),
  ])
  return [table([whole['items'] ? `each of the ${what}` : what, 'values', 'meaning'], rows)]
}

function resolved(schema: Schema, document: Document): Schema {
  const name = nameIn(schema)
  return name === undefined ? schema : document.components.schemas[name]!
}

function nameIn(schema: Schema): string | undefined {
  return typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined
}

function typeOf(schema: Schema): string {
  const name = nameIn(schema)
  if (name !== undefined) return name
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `\`${value}\``).join(', ')
  if ('const' in schema) return `\`${schema['const']}\``
  if (Array.isArray(schema['anyOf']))
    return [...new Set((schema['anyOf'] as Schema[]).map(typeOf))].join(' or ')
  if (schema['type'] === 'array') return `list of ${typeOf(schema['items'] as Schema)}`
  return String(schema['type'] ?? 'anything')
}

function sentence(text: string): string {
  return /[.:]$/.test(text) ? text : `${text}.`
}
