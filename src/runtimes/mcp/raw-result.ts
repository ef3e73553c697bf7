// Answers of foreign servers as they came. The SDK's own shapes drop what they do not know and refuse a whole list for
// one odd entry; here only what we go by is looked at, so that everything else passes through (U2).
import {
  type Client,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client'
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import { answersTo } from './answers-to.ts'
import type { Caller } from './ask-caller.ts'
import { resultOfTask, taskIn } from './foreign-task.ts'

const maxRounds = 16

/** Takes every answer that is an object. */
export const anyResult: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'toolcrib',
    validate: (value) =>
      isPlainObject(value) ? { value: value as JsonObject } : { issues: [{ message: 'is no object' }] },
  },
}

/** What a server is asked in one call. */
export interface ForeignRequest {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read'
  readonly params: { readonly [name: string]: unknown }
}

/** The list that an answer must have. */
const listOf = { 'tools/call': 'content', 'prompts/get': 'messages', 'resources/read': 'contents' } as const

/**
 * The answer to a request, all of it as the server sent it. What a server of 2026-07-28 asks meanwhile is answered by
 * the caller, over as many rounds as it takes.
 */
export async function requestRaw(
  client: Client,
  { method, params }: ForeignRequest,
  options: RequestOptions,
  { caller, onStatus }: { readonly caller: Caller; onStatus?(message: string): void },
): Promise<JsonObject> {
  const isModern = client.getProtocolEra() === 'modern'
  let asked: object = params
  for (let round = 0; round < maxRounds; round++) {
    const answer = await client.request({ method, params: { ...asked } }, anyResult, {
      ...options,
      allowInputRequired: isModern,
    })
    const task = method === 'tools/call' ? taskIn(answer) : undefined
    if (task) return checked(method, await resultOfTask(client, task, { options, caller, onStatus }))
    if (!isModern || answer['resultType'] !== 'input_required') return checked(method, answer)
    const inputResponses = await answersTo(answer['inputRequests'], caller, options.signal)
    const { requestState } = answer
    asked = { ...params, inputResponses, ...(typeof requestState === 'string' && { requestState }) }
  }
  throw unusable(`${method} asked for more than ${maxRounds} times`)
}

function checked(method: ForeignRequest['method'], answer: JsonObject): JsonObject {
  const key = listOf[method]
  const list = answer[key] ?? []
  if (!Array.isArray(list) || !list.every((entry) => isPlainObject(entry)))
    throw unusable(`${method} was answered with "${key}" that is no list of objects`)
  return { ...answer, [key]: list as Json[] }
}

export function unusable(message: string): SdkError {
  return new SdkError(SdkErrorCode.InvalidResult, message)
}
