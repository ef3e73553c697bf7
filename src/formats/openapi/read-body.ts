// The body of an operation: always the one parameter `body`, in the media type that fits best.
import { defined } from '../../tool/defined.ts'
import type { JsonObject } from '../../tool/json.ts'
import type { ApiBody } from '../../tool/plans/openapi-plan.ts'
import { type ApiDocument, isNode, type Located, type Node } from './document.ts'
import { swaggerStyle } from './read-parameters.ts'

export interface GivenBody {
  readonly plan: ApiBody
  readonly schema: Located
  readonly isRequired: boolean
  readonly description?: string
  /** Values that the document shows. */
  readonly examples: readonly unknown[]
}

/** How deep parts of a form may lie in `allOf`. */
const maxParts = 8

const kinds: readonly (readonly [RegExp, ApiBody['kind']])[] = [
  [/^application\/json\b|\+json\b/i, 'json'],
  [/^multipart\//i, 'multipart'],
  [/^application\/x-www-form-urlencoded\b/i, 'form'],
  [/^text\/|xml\b|yaml\b|javascript\b/i, 'text'],
  [/./, 'binary'],
]

export function kindOf(mediaType: string): ApiBody['kind'] {
  return mediaType === '*/*' ? 'json' : kinds.find(([pattern]) => pattern.test(mediaType))![1]
}

/** The body of OpenAPI 3; undefined when the operation has none. */
export function requestBody(document: ApiDocument, operation: Located): GivenBody | undefined {
  const at = document.resolve(document.at(operation, 'requestBody'))
  if (!at || !isNode(at.value) || !isNode(at.value['content'])) return undefined
  const types = Object.keys(at.value['content'])
  const order = kinds.map(([, kind]) => kind)
  const [best] = types.sort((a, b) => order.indexOf(kindOf(a)) - order.indexOf(kindOf(b)))
  if (best === undefined) return undefined
  const media = document.at(document.at(at, 'content'), best)
  const node = isNode(media.value) ? media.value : {}
  const schema = document.at(media, 'schema')
  const { description } = at.value
  return defined({
    plan: bodyPlan(document, best, schema, isNode(node['encoding']) ? node['encoding'] : {}),
    schema,
    isRequired: at.value['required'] === true,
    description: typeof description === 'string' ? description : undefined,
    examples: examplesOf(node),
  })
}

/** The body of Swagger 2.0: a parameter `in: body`, or all those `in: formData`. */
export function swaggerBody(
  document: ApiDocument,
  lists: readonly Located[],
  consumes: readonly string[],
): GivenBody | undefined {
  const params = lists.flatMap((list) =>
    Array.isArray(list.value)
      ? [...list.value.keys()].flatMap((index) => document.resolve(document.at(list, String(index))) ?? [])
      : [],
  )
  const nodes = params.flatMap((at) => (isNode(at.value) ? [{ at, node: at.value }] : []))
  const body = nodes.find(({ node }) => node['in'] === 'body')
  if (body) {
    const type = consumes.find((one) => kindOf(one) === 'json') ?? consumes[0] ?? 'application/json'
    const schema = document.at(body.at, 'schema')
    return {
      plan: bodyPlan(document, type, schema, {}),
      schema,
      isRequired: body.node['required'] === true,
      examples: [],
    }
  }
  // The operation's own come first, and stand in place of those of its path.
  const form = nodes.filter(
    ({ node: { in: place, name } }, index) =>
      place === 'formData' &&
      typeof name === 'string' &&
      nodes.findIndex(({ node }) => node['in'] === place && node['name'] === name) === index,
  )
  if (form.length === 0) return undefined
  const hasFile = form.some(({ node }) => node['type'] === 'file')
  const type =
    (hasFile ? undefined : consumes.find((one) => kindOf(one) === 'form')) ??
    consumes.find((one) => kindOf(one) === 'multipart') ??
    (hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded')
  const required = form.flatMap(({ node }) => (node['required'] === true ? [node['name']] : []))
  const properties = Object.fromEntries(
    form.map(({ node: { name, in: _in, required: _r, collectionFormat: _c, ...schema } }) => [
      String(name),
      schema,
    ]),
  )
  const encoding = Object.fromEntries(
    form.flatMap(({ node }) => (node['type'] === 'array' ? [[node['name'], swaggerStyle(node)]] : [])),
  )
  const schema = { ...form[0]!.at, value: { type: 'object', properties, required } }
  const plan = bodyPlan(document, type, schema, encoding)
  return { plan, schema, isRequired: required.length > 0, examples: [] }
}

function bodyPlan(document: ApiDocument, mediaType: string, schema: Located, encoding: Node): ApiBody {
  const kind = kindOf(mediaType)
  const files = kind === 'multipart' ? fileProperties(document, schema) : []
  return defined({
    mediaType: mediaType === '*/*' ? 'application/json' : mediaType,
    kind,
    files: files.length > 0 ? files : undefined,
    encoding: Object.keys(encoding).length > 0 ? (encoding as { [name: string]: JsonObject }) : undefined,
  })
}

/** Properties whose values are files. */
function fileProperties(document: ApiDocument, schema: Located, depth = 0): string[] {
  const at = document.resolve(schema)
  if (!at || !isNode(at.value) || depth > maxParts) return []
  const parts = document.at(at, 'allOf')
  const ofParts = Array.isArray(parts.value)
    ? [...parts.value.keys()].flatMap((index) =>
        fileProperties(document, document.at(parts, String(index)), depth + 1),
      )
    : []
  const properties = document.at(at, 'properties')
  const own = Object.keys(isNode(properties.value) ? properties.value : {}).filter((name) => {
    const property = document.resolve(document.at(properties, name))
    if (!property || !isNode(property.value)) return false
    const items = document.resolve(document.at(property, 'items'))?.value
    return isFile(property.value) || (isNode(items) && isFile(items))
  })
  return [...ofParts, ...own]
}

function isFile(node: Node): boolean {
  return (
    node['format'] === 'binary' || node['type'] === 'file' || typeof node['contentMediaType'] === 'string'
  )
}

/** `example` and `examples` of a media type. */
function examplesOf(node: Node): unknown[] {
  if (node['example'] !== undefined) return [node['example']]
  if (!isNode(node['examples'])) return []
  return Object.values(node['examples']).flatMap((one) =>
    isNode(one) && one['value'] !== undefined ? [one['value']] : [],
  )
}
