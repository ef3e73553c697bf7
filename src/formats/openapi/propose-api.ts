// What adding an OpenAPI document to a crib would mean: its hosts, its log-in, its operations by tag, the grant it needs.
import { extname } from 'node:path'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { cleanName } from './api-name.ts'
import { ApiDocument, isNode } from './document.ts'
import { readApi } from './read-api.ts'

export interface ApiProposal {
  readonly api: string
  /** Where the document goes, under the crib. */
  readonly path: string
  readonly tools: readonly string[]
  /** Number of operations by tag; those without one under an empty text. */
  readonly byTag: ReadonlyMap<string, number>
  /** Capabilities that its operations need. */
  readonly grants: readonly string[]
  /** Names of the secrets that it is logged in to with. */
  readonly secrets: readonly string[]
  readonly problems: readonly string[]
}

/** undefined for a text that is no OpenAPI document. */
export function proposeApi(file: string, text: string, name: string): ApiProposal | undefined {
  const main = { file, path: file, text, digest: '' }
  const document = new ApiDocument(main, () => undefined)
  const { value } = document
  if (!isNode(value) || (value['openapi'] === undefined && value['swagger'] === undefined)) return undefined
  const api = cleanName(name)
  const { tools, problems } = readApi(document, { api }, 'project')
  const byTag = new Map<string, number>()
  for (const { tags } of tools) {
    const own = tags.filter((tag) => tag !== api && tag !== 'deprecated')
    for (const tag of own.length > 0 ? own : ['']) byTag.set(tag, (byTag.get(tag) ?? 0) + 1)
  }
  const secrets = tools.flatMap((tool) => planOf(tool, 'openapi')!.credentials.map(({ secret }) => secret))
  const needs = tools.flatMap(({ requires }) => requires ?? []).filter((need) => need.startsWith('net.http'))
  return {
    api,
    path: `apis/${api}.openapi${extname(file) || '.yaml'}`,
    tools: tools.map(({ id }) => id),
    byTag,
    grants: [...new Set(needs)],
    secrets: [...new Set(secrets)],
    problems: [...problems, ...tools.flatMap((tool) => tool.problems)].map(({ message }) => message),
  }
}
