// Ollama's own chat API (/api/chat) as a model of the AI SDK: messages and tools there, text and tool calls back.
import { randomUUID } from 'node:crypto'
import { type ChatRequest, type ChatResponse, type Message, Ollama } from 'ollama'
import type { AgentModel, AiSdk } from './open-model.ts'

type CallOptions = Parameters<AgentModel['doStream']>[0]
type StreamPart =
  Awaited<ReturnType<AgentModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
type Generated = Awaited<ReturnType<AgentModel['doGenerate']>>
type Usage = Generated['usage']
type FinishReason = Generated['finishReason']

export function ollamaModel(
  modelId: string,
  baseURL: string | undefined,
  apiKey: string | undefined,
  ai: AiSdk,
): AgentModel {
  const clientFor = (signal: AbortSignal | undefined) =>
    new Ollama({
      host: baseURL,
      fetch: checkedFetch(signal, apiKey, ai),
    })
  const requestOf = (options: CallOptions): ChatRequest => ({
    model: modelId,
    messages: options.prompt.flatMap(toMessages),
    tools: options.tools?.length ? options.tools.flatMap(toTool) : undefined,
    options: options.maxOutputTokens === undefined ? undefined : { num_predict: options.maxOutputTokens },
  })
  return {
    specificationVersion: 'v3',
    provider: 'ollama',
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      const answer = await clientFor(options.abortSignal).chat({ ...requestOf(options), stream: false })
      const { content, thinking, tool_calls: calls = [] } = answer.message
      return {
        content: [
          ...(thinking ? [{ type: 'reasoning' as const, text: thinking }] : []),
          ...(content ? [{ type: 'text' as const, text: content }] : []),
          ...calls.map(toToolCall),
        ],
        finishReason: finishOf(answer, calls.length > 0),
        usage: usageOf(answer),
        warnings: [],
      }
    },
    async doStream(options) {
      const parts = await clientFor(options.abortSignal).chat({ ...requestOf(options), stream: true })
      return { stream: ReadableStream.from(streamParts(parts)) as ReadableStream<StreamPart> }
    },
  }
}

async function* streamParts(answers: AsyncIterable<ChatResponse>): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  const id = randomUUID()
  let open: 'text' | 'reasoning' | undefined
  let hasCalls = false
  let last: ChatResponse | undefined
  for await (const answer of answers) {
    last = answer
    for (const [kind, delta] of [
      ['reasoning', answer.message.thinking],
      ['text', answer.message.content],
    ] as const) {
      if (!delta) continue
      if (open !== kind) {
        if (open) yield { type: `${open}-end`, id: `${open}-${id}` }
        yield { type: `${kind}-start`, id: `${kind}-${id}` }
        open = kind
      }
      yield { type: `${kind}-delta`, id: `${kind}-${id}`, delta }
    }
    for (const call of answer.message.tool_calls ?? []) {
      hasCalls = true
      yield toToolCall(call)
    }
  }
  if (open) yield { type: `${open}-end`, id: `${open}-${id}` }
  yield { type: 'finish', finishReason: finishOf(last, hasCalls), usage: usageOf(last) }
}

/** One message of the AI SDK as Ollama's; every tool result is a message of its own. */
function toMessages(message: CallOptions['prompt'][number]): Message[] {
  if (message.role === 'system') return [{ role: 'system', content: message.content }]
  if (message.role === 'tool')
    return message.content.flatMap((part) =>
      part.type === 'tool-result'
        ? [{ role: 'tool', tool_name: part.toolName, content: outputText(part.output) }]
        : [],
    )
  const texts: string[] = []
  const calls: NonNullable<Message['tool_calls']> = []
  for (const part of message.content) {
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'tool-call')
      calls.push({ function: { name: part.toolName, arguments: part.input as { [key: string]: unknown } } })
  }
  return [{ role: message.role, content: texts.join(''), tool_calls: calls.length > 0 ? calls : undefined }]
}

function outputText(output: { readonly type: string; readonly value?: unknown }): string {
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value ?? null)
}

function toTool(tool: NonNullable<CallOptions['tools']>[number]): NonNullable<ChatRequest['tools']> {
  if (tool.type !== 'function') return []
  return [
    {
      type: 'function',
      function: {
        name: tool.name,
        description: tool.description ?? '',
        parameters: tool.inputSchema as NonNullable<
          NonNullable<ChatRequest['tools']>[number]['function']['parameters']
        >,
      },
    },
  ]
}

/** Ollama gives its calls no ids. */
function toToolCall(call: NonNullable<Message['tool_calls']>[number]) {
  return {
    type: 'tool-call' as const,
    toolCallId: `call_${randomUUID()}`,
    toolName: call.function.name,
    input: JSON.stringify(call.function.arguments ?? {}),
  }
}

function finishOf(answer: ChatResponse | undefined, hasCalls: boolean): FinishReason {
  const raw = answer?.done_reason
  return { unified: hasCalls ? 'tool-calls' : raw === 'length' ? 'length' : 'stop', raw }
}

function usageOf(answer: ChatResponse | undefined): Usage {
  const input = answer?.prompt_eval_count
  const output = answer?.eval_count
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  }
}

/**
 * A fetch that stops with the signal and turns refusals into the AI SDK's errors itself: the client would print
 * to stdout, which belongs to the result, and take a key from the environment that no setting named.
 */
function checkedFetch(signal: AbortSignal | undefined, apiKey: string | undefined, ai: AiSdk): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    const response = await fetch(input, { ...init, headers, ...(signal ? { signal } : {}) })
    if (response.ok) return response
    const text = await response.text()
    throw new ai.APICallError({
      message: errorText(text) ?? `${response.status} ${response.statusText}`,
      url: String(input),
      requestBodyValues: {},
      statusCode: response.status,
      responseBody: text,
    })
  }
}

function errorText(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    return body.trim().slice(0, 500) || undefined
  }
}
