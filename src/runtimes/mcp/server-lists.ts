// Everything a foreign server offers. A list besides the tools that it cannot give is empty and hides no tool; what is
// missing is said (U2).
import type {
  Client,
  Tool as McpTool,
  Prompt,
  RequestOptions,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/client'
import { isPlainObject, isTooDeep } from '../../tool/json.ts'
import { errorData } from '../../tool/tool-error.ts'
import { anyResult, unusable } from './raw-result.ts'

/** What a server offers. */
export interface ServerLists {
  readonly tools: readonly McpTool[]
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplateType[]
  /** What it tells clients of how to use it. */
  readonly instructions?: string | undefined
  /** What is missing of its lists, in words. */
  readonly missing?: readonly string[]
}

type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'

const maxPages = 64
const maxEntries = 20_000

export async function listsOf(client: Client, options: RequestOptions): Promise<ServerLists> {
  const has = client.getServerCapabilities() ?? {}
  const missing: string[] = []
  const all = <Entry>(method: ListMethod, key: string) =>
    listAll<Entry>(client, { method, key, missing }, options)
  const more = <Entry>(method: ListMethod, key: string) =>
    all<Entry>(method, key).catch((error: unknown): Entry[] => {
      missing.push(`${method} failed: ${errorData(error).message}`)
      return []
    })
  const [tools, prompts, resources, templates] = await Promise.all([
    has.tools ? all<McpTool>('tools/list', 'tools') : [],
    has.prompts ? more<Prompt>('prompts/list', 'prompts') : [],
    has.resources ? more<Resource>('resources/list', 'resources') : [],
    has.resources ? more<ResourceTemplateType>('resources/templates/list', 'resourceTemplates') : [],
  ])
  return { tools, prompts, resources, templates, instructions: client.getInstructions(), missing }
}

/** Every entry of a list, over all its pages; what has no name, or no bottom, is left out and counted. */
async function listAll<Entry>(
  client: Client,
  { method, key, missing }: { readonly method: ListMethod; readonly key: string; readonly missing: string[] },
  options: RequestOptions,
): Promise<Entry[]> {
  const entries: Entry[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  let odd = 0
  for (let page = 0; ; page++) {
    if (page === maxPages || entries.length > maxEntries) throw unusable(`${method} did not terminate`)
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method, params }, anyResult, options)
    const list = answer[key]
    if (!Array.isArray(list)) throw unusable(`${method} was answered without a list "${key}"`)
    for (const entry of list)
      if (isPlainObject(entry) && typeof entry['name'] === 'string' && !isTooDeep(entry))
        entries.push(entry as Entry)
      else odd++
    const next = answer['nextCursor']
    if (typeof next !== 'string') break
    if (seen.has(next)) throw unusable(`${method} did not terminate: it gave a cursor twice`)
    seen.add(next)
    cursor = next
  }
  if (odd > 0) missing.push(`${odd} of ${method} ${odd === 1 ? 'has' : 'have'} no name or no bottom`)
  return entries
}
