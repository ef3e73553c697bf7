// A model on loopback that answers from a script and keeps what it was asked. It speaks the wire formats of
// OpenAI-compatible services, Ollama and Anthropic, streamed and whole.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { answering } from '../../helpers/answering.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of three wire formats, looked at by tests only
type Wire = any

export interface Scripted {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[]
  /** The arguments of the calls as text, also where that is no JSON. */
  readonly rawArgs?: string
  readonly input?: number
  readonly output?: number
  /** An HTTP error in place of an answer. */
  readonly status?: number
  readonly error?: string
  readonly finish?: 'length' | 'content_filter'
  /** Streams half of the text, then waits for this. */
  readonly hold?: Promise<void>
}

export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Wire
  readonly isStreamed: boolean
  readonly system: string
  /** Names of the offered tools, in their order. */
  readonly tools: readonly string[]
  schemaOf(tool: string): Wire
  /** Roles and texts of the conversation, the system prompt left out. */
  readonly messages: readonly { readonly role: string; readonly text: string }[]
}

export type Provider = 'openai-compatible' | 'ollama' | 'anthropic'

export interface ModelServer {
  readonly url: string
  readonly asked: Asked[]
  /** A `models` setting that leads here. */
  models(provider?: Provider, more?: object): { readonly [id: string]: unknown }
}

/** Closed when the test ends. Past its end the script repeats its last answer. */
export async function modelServer(
  script: readonly Scripted[] | ((asked: Asked, turn: number) => Scripted),
): Promise<ModelServer> {
  const asked: Asked[] = []
  const server = createServer(
    answering(async (request, response) => {
      const body = JSON.parse(await textOf(request))
      const one = readRequest(request, body)
      asked.push(one)
      const turn = asked.length - 1
      const answer = typeof script === 'function' ? script(one, turn) : (script[turn] ?? script.at(-1) ?? {})
      await send(one, answer, response)
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    models: (provider = 'openai-compatible', more = {}) => ({
      default: 'scripted',
      scripted: { provider, baseURL: provider === 'ollama' ? url : `${url}/v1`, model: 'stub', ...more },
    }),
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function readRequest(request: IncomingMessage, body: Wire): Asked {
  const path = request.url!
  const isAnthropic = path.endsWith('/messages')
  const tools: Wire[] = body.tools ?? []
  const nameOf = (tool: Wire) => (isAnthropic ? tool.name : tool.function.name)
  const flat = (content: Wire): string => {
    if (typeof content === 'string') return content
    if (!Array.isArray(content))
      return content === undefined || content === null ? '' : JSON.stringify(content)
    return content.map((part: Wire) => part.text ?? flat(part.content ?? part.input)).join('')
  }
  const system = isAnthropic
    ? flat(body.system)
    : flat(body.messages.filter((message: Wire) => message.role === 'system')[0]?.content)
  return {
    path,
    headers: request.headers,
    body,
    isStreamed: body.stream === true,
    system,
    tools: tools.map(nameOf),
    schemaOf: (name) => {
      const tool = tools.find((item) => nameOf(item) === name)
      return isAnthropic ? tool?.input_schema : tool?.function.parameters
    },
    messages: body.messages
      .filter((message: Wire) => message.role !== 'system')
      .map((message: Wire) => ({ role: message.role, text: flat(message.content) })),
  }
}

async function send(asked: Asked, answer: Scripted, response: ServerResponse): Promise<void> {
  if (answer.status !== undefined) {
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    const message = answer.error ?? 'no'
    const body = asked.path.startsWith('/api/')
      ? { error: message }
      : { type: 'error', error: { type: 'api_error', message } }
    response.end(JSON.stringify(body))
    return
  }
  const speak = asked.path.endsWith('/chat/completions')
    ? openAi
    : asked.path === '/api/chat'
      ? ollama
      : asked.path.endsWith('/messages')
        ? anthropic
        : undefined
  if (!speak) {
    response.writeHead(404).end('{}')
    return
  }
  await speak(answer, asked.isStreamed, response)
}

function halves({ text = '' }: Scripted): [string, string] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

function argsOf(answer: Scripted, args: unknown): string {
  return answer.rawArgs ?? JSON.stringify(args)
}

async function openAi(answer: Scripted, isStreamed: boolean, response: ServerResponse): Promise<void> {
  const base = { id: 'chatcmpl-1', created: 1, model: 'stub' }
  const calls = (answer.calls ?? []).map(({ name, args }, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: argsOf(answer, args) },
  }))
  const finish = answer.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  const usage = {
    prompt_tokens: answer.input ?? 10,
    completion_tokens: answer.output ?? 5,
    total_tokens: (answer.input ?? 10) + (answer.output ?? 5),
  }
  if (!isStreamed) {
    const message = {
      role: 'assistant',
      content: answer.text ?? null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      }),
    )
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (delta: object, reason: string | null = null, more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }], ...more })}\n\n`,
    )
  const [first, second] = halves(answer)
  chunk({ role: 'assistant', content: first })
  await answer.hold
  if (second) chunk({ content: second })
  for (const call of calls) {
    const text = call.function.arguments
    chunk({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: '' } }] })
    chunk({ tool_calls: [{ index: call.index, function: { arguments: text.slice(0, 3) } }] })
    chunk({ tool_calls: [{ index: call.index, function: { arguments: text.slice(3) } }] })
  }
  chunk({}, finish)
  response.write(
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}\n\n`,
  )
  response.end('data: [DONE]\n\n')
}

async function ollama(answer: Scripted, isStreamed: boolean, response: ServerResponse): Promise<void> {
  const base = { model: 'stub', created_at: '2026-01-01T00:00:00Z' }
  const calls = (answer.calls ?? []).map(({ name, args }) => ({ function: { name, arguments: args } }))
  const end = {
    done: true,
    done_reason: answer.finish ?? 'stop',
    total_duration: 1,
    prompt_eval_count: answer.input ?? 10,
    eval_count: answer.output ?? 5,
  }
  const message = (content: string, more: object = {}) => ({ role: 'assistant', content, ...more })
  if (!isStreamed) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        ...base,
        message: message(answer.text ?? '', calls.length > 0 ? { tool_calls: calls } : {}),
        ...end,
      }),
    )
    return
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  const line = (value: object) => response.write(`${JSON.stringify({ ...base, ...value })}\n`)
  const [first, second] = halves(answer)
  line({ message: message(first), done: false })
  await answer.hold
  if (second) line({ message: message(second), done: false })
  if (calls.length > 0) line({ message: message('', { tool_calls: calls }), done: false })
  line({ message: message(''), ...end })
  response.end()
}

async function anthropic(answer: Scripted, isStreamed: boolean, response: ServerResponse): Promise<void> {
  const calls = (answer.calls ?? []).map(({ name, args }, index) => ({
    type: 'tool_use',
    id: `toolu_${index}`,
    name,
    input: args,
  }))
  const stop = answer.finish === 'length' ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn'
  const base = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stub' }
  const usage = { input_tokens: answer.input ?? 10, output_tokens: answer.output ?? 5 }
  if (!isStreamed) {
    const content = [...(answer.text ? [{ type: 'text', text: answer.text }] : []), ...calls]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...base, content, stop_reason: stop, stop_sequence: null, usage }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const event = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  event('message_start', {
    message: {
      ...base,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
  })
  let index = 0
  if (answer.text) {
    const [first, second] = halves(answer)
    event('content_block_start', { index, content_block: { type: 'text', text: '' } })
    event('content_block_delta', { index, delta: { type: 'text_delta', text: first } })
    await answer.hold
    event('content_block_delta', { index, delta: { type: 'text_delta', text: second } })
    event('content_block_stop', { index: index++ })
  } else await answer.hold
  for (const { input, ...call } of calls) {
    event('content_block_start', { index, content_block: { ...call, input: {} } })
    event('content_block_delta', {
      index,
      delta: { type: 'input_json_delta', partial_json: argsOf(answer, input) },
    })
    event('content_block_stop', { index: index++ })
  }
  event('message_delta', {
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  })
  event('message_stop', {})
  response.end()
}
