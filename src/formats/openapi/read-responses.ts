// What an operation answers with when it succeeds.
import type { JsonSchema } from '../../tool/tool.ts'
import { Conversion } from './convert-schema.ts'
import { type ApiDocument, isNode, type Located, type Node } from './document.ts'
import { kindOf } from './read-body.ts'

/** The schema of its result; null where the document does not say one thing. */
export function returnsOf(document: ApiDocument, operation: Located, budget: number): JsonSchema | null {
  const [only, ...others] = successes(document, operation)
  if (!only || others.length > 0) return null
  const schema = schemaOf(document, only)
  const value = schema && document.resolve(schema)?.value
  if (!schema || !isNode(value) || Object.keys(value).length === 0) return null
  const conversion = new Conversion(document, { way: 'response', budget })
  const returns = conversion.finish(conversion.convert(schema))
  return Object.keys(returns).length > 0 ? returns : null
}

/** The media types it may answer with, JSON first, as an Accept header. */
export function acceptOf(document: ApiDocument, operation: Located): string {
  const node = operation.value as Node
  const root = document.value as Node
  const produces = node['produces'] ?? root['produces']
  const types = new Set(Array.isArray(produces) ? produces.map(String) : [])
  for (const response of successes(document, operation))
    for (const type of Object.keys(contentOf(response))) types.add(type)
  const sorted = [...types].sort((a, b) => Number(kindOf(b) === 'json') - Number(kindOf(a) === 'json'))
  const safe = sorted.filter((type) => /^[\w.+*-]+\/[\w.+*-]+$/.test(type))
  return safe.length > 0 ? `${safe.slice(0, 8).join(', ')}, */*;q=0.1` : 'application/json, */*;q=0.1'
}

/** The responses of success, references followed. */
export function successes(document: ApiDocument, operation: Located): Located[] {
  const responses = document.at(operation, 'responses')
  if (!isNode(responses.value)) return []
  return Object.keys(responses.value)
    .filter((code) => /^2(\d\d|XX)$/i.test(code))
    .flatMap((code) => document.resolve(document.at(responses, code)) ?? [])
}

/** The schema of a response's JSON; undefined when it has none. */
export function schemaOf(document: ApiDocument, response: Located): Located | undefined {
  const type = Object.keys(contentOf(response)).find((one) => kindOf(one) === 'json')
  const at =
    type === undefined
      ? document.at(response, 'schema')
      : document.at(document.at(document.at(response, 'content'), type), 'schema')
  return at.value === undefined ? undefined : at
}

function contentOf({ value }: Located): Node {
  return isNode(value) && isNode(value['content']) ? value['content'] : {}
}
