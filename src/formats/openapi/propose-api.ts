// What adding an OpenAPI document to a crib would mean: its hosts, its log-in, its operations by tag, the grant it needs.
import { extname } from 'node:path'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { cleanName } from './api-name.ts'
import { ApiDocument, isNode } from './document.ts'
import { type ApiChoice, readApi } from './read-api.ts'
import { needOf, serverOf } from './read-server.ts'

export interface ApiProposal {
  readonly api: string
  /** Where the document goes, under the crib. */
  readonly path: string
  readonly tools: readonly string[]
  /** Ids of the operations by tag; those without one under an empty text. */
  readonly byTag: ReadonlyMap<string, readonly string[]>
  /** The address of the API, where the document gives it from the place it was fetched from. */
  readonly server?: string | undefined
  /** Capabilities that its operations need. */
  readonly grants: readonly string[]
  /** Names of the secrets that it is logged in to with. */
  readonly secrets: readonly string[]
  readonly problems: readonly string[]
}

/** undefined for a text that is no OpenAPI document. `choice.api` is a name as people give it. */
export function proposeApi(
  { file, text }: { readonly file: string; readonly text: string },
  choice: ApiChoice,
): ApiProposal | undefined {
  const document = new ApiDocument({ file, path: file, text, digest: '' }, () => undefined)
  const { value } = document
  if (!isNode(value) || (value['openapi'] === undefined && value['swagger'] === undefined)) return undefined
  const api = cleanName(choice.api)
  const { tools, problems } = readApi(document, { ...choice, api }, 'project')
  const byTag = new Map<string, string[]>()
  for (const { id, tags } of tools) {
    const own = tags.filter((tag) => tag !== api && tag !== 'deprecated')
    for (const tag of own.length > 0 ? own : ['']) byTag.set(tag, [...(byTag.get(tag) ?? []), id])
  }
  const isWhole = serverOf(document, [document.root], {}) !== undefined
  const secrets = tools.flatMap((tool) => planOf(tool, 'openapi')!.credentials.map(({ secret }) => secret))
  const logins = tools.flatMap((tool) =>
    planOf(tool, 'openapi')!.credentials.flatMap(({ tokenUrl }) => (tokenUrl ? [needOf(tokenUrl)] : [])),
  )
  const needs = tools
    .flatMap(({ requires }) => requires ?? [])
    .filter((need) => need.startsWith('net.http'))
    .concat(logins)
  return {
    api,
    path: `apis/${api}.openapi${extname(file) || '.yaml'}`,
    tools: tools.map(({ id }) => id),
    byTag,
    server: isWhole ? undefined : serverOf(document, [document.root], choice),
    grants: [...new Set(needs)],
    secrets: [...new Set(secrets)],
    problems: [...problems, ...tools.flatMap((tool) => tool.problems)].map(({ message }) => message),
  }
}
