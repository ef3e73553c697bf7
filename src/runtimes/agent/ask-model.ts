// One answer of a model: text as it comes, tool calls, what it cost. Tools are not run here; the AI SDK is
// given no functions, so that every call goes through the crib's own guards.
import type { ModelMessage, ToolSet } from 'ai'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'
import type { AgentModel, AiSdk } from './open-model.ts'

/** A tool as the model sees it. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** Why the call cannot be made as it was written. */
  readonly fault?: string
}

export interface Answer {
  readonly text: string
  readonly calls: readonly ModelCall[]
  /** The answer as a message of the conversation. */
  readonly messages: readonly ModelMessage[]
  readonly finishReason: string
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface Question {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly signal: AbortSignal
  onText(text: string): void
}

export interface ModelLink {
  readonly ai: AiSdk
  readonly model: AgentModel
  /** Where it is, for messages. */
  readonly address: string
  readonly isStreaming: boolean
  /** Takes the key out of a text. */
  scrub(text: string): string
}

const maxRetries = 2

export async function askModel(link: ModelLink, question: Question): Promise<Answer> {
  try {
    return link.isStreaming ? await streamed(link, question) : await whole(link, question)
  } catch (error) {
    if (question.signal.aborted) throw question.signal.reason
    throw upstreamError(link, error)
  }
}

function settingsOf({ ai, model }: ModelLink, { system, messages, tools, signal }: Question) {
  const toolSet: ToolSet = {}
  for (const { name, description, inputSchema } of tools)
    toolSet[name] = ai.tool({ description, inputSchema: ai.jsonSchema(inputSchema) })
  return {
    model,
    system,
    messages: [...messages],
    tools: tools.length > 0 ? toolSet : undefined,
    abortSignal: signal,
    maxRetries,
  }
}

async function streamed(link: ModelLink, question: Question): Promise<Answer> {
  const result = link.ai.streamText({ ...settingsOf(link, question), onError: () => {} })
  let text = ''
  const calls: ModelCall[] = []
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') question.signal.throwIfAborted()
    if (part.type === 'text-delta') {
      text += part.text
      if (part.text) question.onText(part.text)
    }
    if (part.type === 'tool-call') calls.push(toCall(part))
  }
  const [response, finishReason, usage] = await Promise.all([
    result.response,
    result.finishReason,
    result.usage,
  ])
  return answerOf({ text, calls, messages: response.messages, finishReason, usage, question })
}

async function whole(link: ModelLink, question: Question): Promise<Answer> {
  const result = await link.ai.generateText(settingsOf(link, question))
  if (result.text) question.onText(result.text)
  return answerOf({
    text: result.text,
    calls: result.toolCalls.map(toCall),
    messages: result.response.messages,
    finishReason: result.finishReason,
    usage: result.usage,
    question,
  })
}

interface SdkCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly invalid?: boolean
  readonly error?: unknown
}

function toCall({ toolCallId, toolName, input, invalid, error }: SdkCall): ModelCall {
  return {
    id: toolCallId,
    name: toolName,
    input,
    fault: invalid ? messageOf(error) : undefined,
  }
}

function answerOf({
  text,
  calls,
  messages,
  finishReason,
  usage,
  question,
}: {
  readonly text: string
  readonly calls: readonly ModelCall[]
  readonly messages: readonly ModelMessage[]
  readonly finishReason: string
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined }
  readonly question: Question
}): Answer {
  return {
    text,
    calls,
    // The SDK answers calls it cannot read itself; the agent answers every call, in its own words.
    messages: messages.filter((message) => message.role === 'assistant'),
    finishReason,
    inputTokens: usage.inputTokens ?? estimate([question.system, ...question.messages, ...question.tools]),
    outputTokens: usage.outputTokens ?? estimate([text, ...calls]),
  }
}

/** Tokens of a service that does not count them: four characters each. */
function estimate(parts: readonly unknown[]): number {
  return Math.ceil(JSON.stringify(parts).length / 4)
}

function upstreamError(link: ModelLink, thrown: unknown): ToolError {
  const error = lastOf(thrown)
  const facts = error as { statusCode?: unknown; isRetryable?: unknown; responseBody?: unknown }
  const status = typeof facts.statusCode === 'number' ? facts.statusCode : undefined
  const message = link.scrub(causeOf(error))
  return new ToolError(
    'UPSTREAM_FAILED',
    `The model ${link.model.modelId} at ${link.address} ${status === undefined ? 'cannot be asked' : `answered ${status}`}: ${message}.`,
    {
      retryable: facts.isRetryable === true,
      hint: hintOf(status, link),
      details: status === undefined ? undefined : ({ status } as JsonObject),
    },
  )
}

/** Behind retries, the error of the last one. */
function lastOf(thrown: unknown): unknown {
  const { lastError } = thrown as { lastError?: unknown }
  return isPlainObject(thrown) || lastError === undefined ? thrown : lastError
}

/** `fetch failed` says nothing; what made it fail does. */
function causeOf(error: unknown): string {
  const text = messageOf(error)
  const cause = (error as { cause?: unknown }).cause
  const deeper = cause instanceof Error && cause.message !== '' ? causeOf(cause) : undefined
  const detail = deeper ?? (cause as { code?: string } | undefined)?.code
  const joined = detail && !text.includes(detail) ? `${text}: ${detail}` : text
  return joined.replace(/[.:\s]+$/, '')
}

function hintOf(status: number | undefined, link: ModelLink): string {
  if (status === 401 || status === 403)
    return 'Check the apiKey of the model in toolcrib.yaml and the variable or secret it names.'
  if (status === 404) return 'Check baseURL and model in toolcrib.yaml.'
  if (status === 429) return 'Its limit is reached; wait, or use another model.'
  return link.model.provider === 'ollama' && status === undefined
    ? 'Is Ollama running? Start it with `ollama serve`.'
    : 'Check baseURL in toolcrib.yaml, and whether the service is up.'
}
