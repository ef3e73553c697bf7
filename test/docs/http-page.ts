// docs/http.md, made from the OpenAPI document.
import { openApiDocument } from '../../src/surfaces/http/open-api.ts'
import { table } from './table.ts'

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
  }[]
  readonly requestBody?: { readonly content?: { readonly [type: string]: unknown } }
  readonly responses?: { readonly [status: string]: { readonly description?: string } }
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
  const document = openApiDocument([]) as unknown as {
    paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  }
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
  )
  const parts = [
    '# HTTP',
    'Made from the OpenAPI document by `npm run docs`. A running crib serves the whole document, with an operation for each of its tools, at `/openapi.json`.',
    example,
    'Every route but health wants a bearer token. The server listens on 127.0.0.1, checks `Host` and `Origin`, and answers errors as `application/problem+json` with a `code` and a `hint`. A call answers with its outcome: 200 when the tool ran, also when it failed; 422 when parameters or result are invalid; 403 when it is denied; 503 when something is missing; 504 when it took too long.',
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
    const words = operation.description ?? operation.summary
    if (words) parts.push(words)
    if (operation.parameters?.length)
      parts.push(
        table(
          ['parameter', 'in', 'meaning'],
          operation.parameters.map((each) => [
            `\`${each.name}\`${each.required ? ' (required)' : ''}`,
            each.in,
            each.description ?? '',
          ]),
        ),
      )
    const answers = Object.entries(operation.responses ?? {}).map(([status, { description }]) => [
      status,
      description ?? '',
    ])
    if (answers.length > 0) parts.push(table(['status', 'answer'], answers))
  }
  return `${parts.join('\n\n')}\n`
}
