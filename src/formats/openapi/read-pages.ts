// Whether the answer of an operation comes in pages, so that it gets the parameter `pages` (U12).
import { type ApiDocument, isNode, type Located } from './document.ts'
import type { GivenParam } from './read-parameters.ts'
import { schemaOf, successes } from './read-responses.ts'

const pageNames = new Set([
  ...['page', 'cursor', 'offset', 'after', 'starting_after', 'marker', 'next', 'next_token', 'nexttoken'],
  ...['page_token', 'pagetoken', 'continuation_token', 'continuationtoken', 'skip', 'start'],
])

export const pagesParam = {
  type: 'integer',
  minimum: 1,
  maximum: 100,
  description: 'How many pages to fetch and join; one when it is not given.',
}

/** A GET with a parameter that pages go by, with a Link header, or with a list as its answer. */
export function hasPages(
  document: ApiDocument,
  operation: Located,
  method: string,
  params: readonly GivenParam[],
): boolean {
  if (method !== 'GET') return false
  if (params.some((param) => param.in === 'query' && pageNames.has(param.name.toLowerCase()))) return true
  return successes(document, operation).some((response) => {
    const { headers } = response.value as { headers?: unknown }
    if (isNode(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'link')) return true
    const schema = schemaOf(document, response)
    const value = schema && document.resolve(schema)?.value
    return isNode(value) && value['type'] === 'array'
  })
}
