// The crib's tools for an agent loop of one's own: definitions to send, and what answers a model's call in the shape
// the provider's API takes back. A tool's failure is an answer too, so that the model can correct itself.
import { errorForModel } from '../../formats/tools-json/definitions.ts'
import type { Outcome } from '../../tool/outcome.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, type ToolErrorData } from '../../tool/tool-error.ts'
import type { AnthropicTool, OpenAiResponsesTool, OpenAiTool } from './definitions.ts'
import { type ExportedTools, exportTools } from './export-tools.ts'
import type { Provider } from './providers.ts'

/** What of a crib a loop needs. */
export interface CallableCrib {
  list(): Tool[]
  call(ref: Tool, params?: unknown, options?: { readonly signal?: AbortSignal }): Promise<Outcome>
}

export interface LoopOptions {
  /** Which tools; default: all that the crib lists. */
  readonly tools?: readonly Tool[]
  /** Stops running calls. */
  readonly signal?: AbortSignal
}

/** The tools of a crib for one provider's loop. */
export interface ToolLoop<Definition, ToolCall, Answer> {
  readonly definitions: Definition[]
  /** Runs what the model asked for and gives the answer to send back. Never rejects. */
  call(toolCall: ToolCall): Promise<Answer>
}

export interface OpenAiCall {
  id: string
  type?: string
  function?: { name: string; arguments: string }
}

/**
 * Tools for OpenAI's chat completions.
 *
 * @example
 * const tools = toolsForOpenAi(crib)
 * const completion = await openai.chat.completions.create({ model, messages, tools: tools.definitions })
 * for (const toolCall of completion.choices[0].message.tool_calls ?? []) messages.push(await tools.call(toolCall))
 */
export function toolsForOpenAi(
  crib: CallableCrib,
  options: LoopOptions = {},
): ToolLoop<OpenAiTool, OpenAiCall, { role: 'tool'; tool_call_id: string; content: string }> {
  const { definitions, answer } = loop(crib, 'openai', options)
  return {
    definitions,
    call: async ({ id, function: asked }) => {
      const { text } = await answer(asked?.name ?? '', asked?.arguments)
      return { role: 'tool', tool_call_id: id, content: text }
    },
  }
}

/**
 * Tools for OpenAI's responses.
 *
 * @example
 * const tools = toolsForOpenAiResponses(crib)
 * const response = await openai.responses.create({ model, input, tools: tools.definitions })
 * for (const item of response.output) if (item.type === 'function_call') input.push(await tools.call(item))
 */
export function toolsForOpenAiResponses(
  crib: CallableCrib,
  options: LoopOptions = {},
): ToolLoop<
  OpenAiResponsesTool,
  { call_id: string; name: string; arguments: string },
  { type: 'function_call_output'; call_id: string; output: string }
> {
  const { definitions, answer } = loop(crib, 'openai-responses', options)
  return {
    definitions,
    call: async ({ call_id, name, arguments: args }) => {
      const { text } = await answer(name, args)
      return { type: 'function_call_output', call_id, output: text }
    },
  }
}

/**
 * Tools for Anthropic's messages.
 *
 * @example
 * const tools = toolsForAnthropic(crib)
 * const message = await anthropic.messages.create({ model, max_tokens, messages, tools: tools.definitions })
 * const content = []
 * for (const block of message.content) if (block.type === 'tool_use') content.push(await tools.call(block))
 * messages.push({ role: 'user', content })
 */
export function toolsForAnthropic(
  crib: CallableCrib,
  options: LoopOptions = {},
): ToolLoop<
  AnthropicTool,
  { id: string; name: string; input: unknown },
  { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean }
> {
  const { definitions, answer } = loop(crib, 'anthropic', options)
  return {
    definitions,
    call: async ({ id, name, input }) => {
      const { text, isError } = await answer(name, input)
      return { type: 'tool_result', tool_use_id: id, content: text, is_error: isError }
    },
  }
}

/**
 * Tools for LangChain's chat models: `definitions` for `bindTools`, answers as tool messages.
 *
 * @example
 * const tools = toolsForLangChain(crib)
 * const reply = await model.bindTools(tools.definitions).invoke(messages)
 * for (const toolCall of reply.tool_calls ?? []) messages.push(new ToolMessage(await tools.call(toolCall)))
 */
export function toolsForLangChain(
  crib: CallableCrib,
  options: LoopOptions = {},
): ToolLoop<
  OpenAiTool,
  { id?: string; name: string; args: unknown },
  { tool_call_id: string; name: string; content: string; status: 'success' | 'error' }
> {
  const { definitions, answer } = loop(crib, 'openai', options)
  return {
    definitions,
    call: async ({ id = '', name, args }) => {
      const { text, isError } = await answer(name, args)
      return { tool_call_id: id, name, content: text, status: isError ? 'error' : 'success' }
    },
  }
}

function loop<P extends Provider>(crib: CallableCrib, provider: P, { tools, signal }: LoopOptions) {
  const exported = exportTools(tools ?? crib.list(), provider)
  return {
    definitions: exported.definitions,
    async answer(name: string, args: unknown): Promise<{ text: string; isError: boolean }> {
      const outcome = await callExported(crib, exported, { name, args, signal })
      if (!outcome.ok) return { text: textForModel(outcome.error), isError: true }
      const { value } = outcome
      return { text: typeof value === 'string' ? value : JSON.stringify(value ?? null), isError: false }
    },
  }
}

type ErrorForModel = Pick<ToolErrorData, 'code' | 'message' | 'hint'>

/** What a model is told of a failure: what happened, and what to do. */
export function textForModel(error: ErrorForModel): string {
  return error.hint ? `${errorForModel(error)} ${error.hint}` : errorForModel(error)
}

async function callExported(
  crib: CallableCrib,
  { toCall }: ExportedTools<unknown>,
  { name, args, signal }: { name: string; args: unknown; signal?: AbortSignal | undefined },
): Promise<{ ok: true; value: unknown } | { ok: false; error: ErrorForModel }> {
  try {
    const { tool, params } = toCall(name, args)
    return await crib.call(tool, params, signal ? { signal } : {})
  } catch (error) {
    return { ok: false, error: errorData(error) }
  }
}
