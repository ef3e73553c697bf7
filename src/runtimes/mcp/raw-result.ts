// Answers of foreign servers as they came. The SDK's own shapes drop what they do not know and refuse a whole list for
// one odd entry; here only what we go by is looked at, so that everything else passes through (U2).
import {
  type CallToolResult,
  type Client,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client'
import { isPlainObject, isTooDeep, type JsonObject } from '../../tool/json.ts'

const mostPages = 64
const mostEntries = 20_000

/** Takes every answer that is an object. */
const anyResult: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'toolcrib',
    validate: (value) =>
      isPlainObject(value) ? { value: value as JsonObject } : { issues: [{ message: 'is no object' }] },
  },
}

type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'

/** Every entry of a list, over all its pages; what has no name, or no bottom, is left out. */
export async function listAll<Entry>(
  client: Client,
  { method, key }: { readonly method: ListMethod; readonly key: string },
  options: RequestOptions,
): Promise<Entry[]> {
  const entries: Entry[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; ; page++) {
    if (page === mostPages || entries.length > mostEntries) throw unusable(`${method} did not terminate`)
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method, params }, anyResult, options)
    const list = answer[key]
    if (!Array.isArray(list)) throw unusable(`${method} was answered without a list "${key}"`)
    for (const entry of list)
      if (isPlainObject(entry) && typeof entry['name'] === 'string' && !isTooDeep(entry))
        entries.push(entry as Entry)
    const next = answer['nextCursor']
    if (typeof next !== 'string') return entries
    if (seen.has(next)) throw unusable(`${method} did not terminate: it gave a cursor twice`)
    seen.add(next)
    cursor = next
  }
}

/** One call of a tool; the result has content, all of it as the server sent it. */
export async function callRaw(
  client: Client,
  params: { readonly name: string; readonly arguments?: { readonly [name: string]: unknown } },
  options: RequestOptions,
): Promise<CallToolResult> {
  const request = { method: 'tools/call', params: { ...params } } as const
  const { content = [], ...rest } = await client.request(request, anyResult, options)
  if (!Array.isArray(content) || !content.every((block) => isPlainObject(block)))
    throw unusable('tools/call was answered with content that is no list of blocks')
  return { ...rest, content } as CallToolResult
}

function unusable(message: string): SdkError {
  return new SdkError(SdkErrorCode.InvalidResult, message)
}
