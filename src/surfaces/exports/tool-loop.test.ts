// Loops over the official client libraries, against a model on loopback that asks for a tool and then says what it got.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, stepCountIs } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answering } from '../../../test/helpers/answering.ts'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { openCrib } from '../../index.ts'
import { toolsForAnthropic, toolsForLangChain, toolsForOpenAi, toolsForOpenAiResponses } from './tool-loop.ts'
import { toolsForAiSdk } from './tools-for-ai-sdk.ts'

interface Body {
  messages?: { role: string; content: unknown }[]
  input?: { type?: string; output?: string }[]
}

/** A model that calls `add` with the given arguments, and repeats the tool's answer. */
async function modelOf(args: string): Promise<string> {
  const server = createServer(
    answering(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Body
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer(request.url ?? '', body, args)))
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function answer(url: string, { messages, input }: Body, args: string): object {
  const last = (messages ?? input)?.at(-1)
  if (url.endsWith('/chat/completions')) {
    const isTool = last && 'role' in last && last.role === 'tool'
    const message = isTool
      ? { role: 'assistant', content: last.content }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: args } }],
        }
    return {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: isTool ? 'stop' : 'tool_calls' }],
    }
  }
  if (url.endsWith('/responses')) {
    const output = last && 'output' in last ? last.output : undefined
    const item =
      output === undefined
        ? { type: 'function_call', id: 'i', call_id: 'c1', name: 'add', arguments: args }
        : {
            type: 'message',
            id: 'i',
            role: 'assistant',
            content: [{ type: 'output_text', text: output, annotations: [] }],
          }
    return { id: 'x', object: 'response', model: 'm', output: [item] }
  }
  const [block] = last && 'content' in last && Array.isArray(last.content) ? last.content : []
  const content =
    block?.type === 'tool_result'
      ? [{ type: 'text', text: block.content }]
      : [{ type: 'tool_use', id: 'c1', name: 'add', input: JSON.parse(args) }]
  return {
    id: 'x',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }
}

async function adding() {
  const crib = await openCrib({ root: tempFolder() })
  onTestFinished(() => crib.close())
  const number = { type: 'number' } as const
  crib.addTool({
    id: 'add',
    params: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
    fn: ({ a, b }) => a + b,
  })
  return { crib, tools: [crib.find('add')] }
}

describe.each([
  ['a result', '{"a":2,"b":3}', '5'],
  ['a fault that the model can correct', '{"a":2}', 'error: PARAMS_INVALID'],
])('%s reaches the model', (_, args, expected) => {
  verifies('D14')

  it('through the AI SDK', async () => {
    const { crib, tools } = await adding()
    const model = createOpenAICompatible({ name: 'loopback', baseURL: await modelOf(args) })('m')
    const { text } = await generateText({
      model,
      prompt: 'add',
      tools: toolsForAiSdk(crib, { tools }),
      stopWhen: stepCountIs(3),
    })
    expect(text).toContain(expected)
  })

  it("through OpenAI's chat completions", async () => {
    const { crib, tools } = await adding()
    const openai = new OpenAI({ apiKey: 'none', baseURL: await modelOf(args) })
    const loop = toolsForOpenAi(crib, { tools })
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'add' }]
    const asked = await openai.chat.completions.create({ model: 'm', messages, tools: loop.definitions })
    for (const toolCall of asked.choices[0]!.message.tool_calls ?? [])
      messages.push(await loop.call(toolCall))
    const said = await openai.chat.completions.create({ model: 'm', messages, tools: loop.definitions })
    expect(said.choices[0]!.message.content).toContain(expected)
  })

  it("through OpenAI's responses", async () => {
    const { crib, tools } = await adding()
    const openai = new OpenAI({ apiKey: 'none', baseURL: await modelOf(args) })
    const loop = toolsForOpenAiResponses(crib, { tools })
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'add' }]
    const asked = await openai.responses.create({ model: 'm', input, tools: loop.definitions })
    for (const item of asked.output) if (item.type === 'function_call') input.push(await loop.call(item))
    const said = await openai.responses.create({ model: 'm', input, tools: loop.definitions })
    expect(said.output_text).toContain(expected)
  })

  it("through Anthropic's messages", async () => {
    const { crib, tools } = await adding()
    const anthropic = new Anthropic({ apiKey: 'none', baseURL: await modelOf(args) })
    const loop = toolsForAnthropic(crib, { tools })
    const request = { model: 'm', max_tokens: 9, tools: loop.definitions }
    const asked = await anthropic.messages.create({
      ...request,
      messages: [{ role: 'user', content: 'add' }],
    })
    const content: Anthropic.ToolResultBlockParam[] = []
    for (const block of asked.content) if (block.type === 'tool_use') content.push(await loop.call(block))
    expect(content[0]?.is_error).toBe(expected !== '5')
    const said = await anthropic.messages.create({ ...request, messages: [{ role: 'user', content }] })
    expect(said.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining(expected) })
  })

  it("as a tool message of LangChain's", async () => {
    const { crib, tools } = await adding()
    const answer = await toolsForLangChain(crib, { tools }).call({
      id: 'c1',
      name: 'add',
      args: JSON.parse(args),
    })
    expect(answer).toMatchObject({
      tool_call_id: 'c1',
      name: 'add',
      content: expect.stringContaining(expected),
    })
    expect(answer.status).toBe(expected === '5' ? 'success' : 'error')
  })
})

it('answers a call of a tool that is not there with near names', async () => {
  const { crib, tools } = await adding()
  const answer = await toolsForOpenAi(crib, { tools }).call({
    id: 'c1',
    function: { name: 'ad', arguments: '{}' },
  })
  expect(answer.content).toBe(
    'error: TOOL_NOT_FOUND: No tool was exported under the name "ad". Did you mean "add"?',
  )
})
