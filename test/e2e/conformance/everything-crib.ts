// A crib with the tools, prompts and resources that the conformance suite asks a server for, made of what any
// program can make with the library. The suite sends no token, so a door on loopback adds it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Crib, type FunctionTool, openCrib } from '../../../src/index.ts'
import type { McpExtras } from '../../../src/surfaces/mcp/extras.ts'
import type { JsonSchema } from '../../../src/tool/tool.ts'
import { ToolError } from '../../../src/tool/tool-error.ts'
import { addAskingTools, askingPrompt } from './asking-tools.ts'
import { addTaskTools, taskSettings } from './task-tools.ts'

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const sound = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='
const image = { type: 'image', data: picture, mimeType: 'image/png' } as const

const texts = (name: string): JsonSchema => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
})

const defaultsQuestion = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
}

const titled = (word: string) => ['1', '2', '3'].map((n) => ({ const: `value${n}`, title: `${word} ${n}` }))
const options = ['option1', 'option2', 'option3']
const enumsQuestion = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
}

function addTools(crib: Crib): void {
  const add = (id: string, fn: FunctionTool['fn'], params?: JsonSchema) =>
    crib.addTool({ id, description: `For the conformance suite: ${id}`, fn, ...(params ? { params } : {}) })
  const asking = (id: string, properties: object) =>
    add(id, async (_params, attempt) => {
      const answer = await attempt.elicit!({
        message: 'Please answer',
        requestedSchema: { type: 'object', properties } as never,
      })
      return `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`
    })

  add('test_simple_text', () => 'This is a simple text response for testing.')
  add('test_image_content', () => ({ content: [image] }))
  add('test_audio_content', () => ({ content: [{ type: 'audio', data: sound, mimeType: 'audio/wav' }] }))
  const resource = {
    uri: 'test://embedded-resource',
    mimeType: 'text/plain',
    text: 'This is an embedded resource.',
  }
  add('test_embedded_resource', () => ({ content: [{ type: 'resource', resource }] }))
  add('test_multiple_content_types', () => ({
    content: [{ type: 'text', text: 'Multiple content types test:' }, image, { type: 'resource', resource }],
  }))
  add('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  add('test_tool_with_logging', async (_params, attempt) => {
    for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      attempt.log('info', message)
      await delay(50)
    }
    return 'done'
  })
  add('test_tool_with_progress', async (_params, attempt) => {
    for (const done of [0, 50, 100]) {
      attempt.progress({ done, total: 100 })
      await delay(50)
    }
    return 'done'
  })
  add(
    'test_sampling',
    async (params, attempt) => {
      const text = (params as { prompt: string }).prompt
      const answer = await attempt.sample!({
        messages: [{ role: 'user', content: { type: 'text', text } }],
        maxTokens: 100,
      })
      return `LLM response: ${(answer.content as { text?: string }).text}`
    },
    texts('prompt'),
  )
  add(
    'test_elicitation',
    async (params, attempt) => {
      const { message } = params as { message: string }
      const answer = await attempt.elicit!({
        message,
        requestedSchema: {
          type: 'object',
          properties: { username: { type: 'string' }, email: { type: 'string' } },
          required: ['username', 'email'],
        },
      })
      return `User response: action: ${answer.action}, content: ${JSON.stringify(answer.content)}`
    },
    texts('message'),
  )
  asking('test_elicitation_sep1034_defaults', defaultsQuestion)
  asking('test_elicitation_sep1330_enums', enumsQuestion)
  add('test_reconnection', () => 'Reconnection test completed')
  add('json_schema_2020_12_tool', (params) => params, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  })
  add('test_headers', (params) => params, {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    required: ['region'],
  })
}

/** Tools by which the suite looks at requests of 2026-07-28 as such. */
function addStatelessTools(crib: Crib): void {
  const add = (id: string, fn: FunctionTool['fn']) =>
    crib.addTool({ id, description: `For the conformance suite: ${id}`, fn })
  add('test_missing_capability', (_params, { sample }) => {
    if (sample) return 'There is a model.'
    throw new ToolError('TOOL_FAILED', 'There is no model to ask.', {
      details: {
        code: -32_021,
        message: 'This tool asks the model of its client.',
        data: { requiredCapabilities: { sampling: {} } },
      },
    })
  })
  add('test_streaming_elicitation', (_params, attempt) => {
    attempt.progress({ done: 50, total: 100 })
    return 'Streaming complete'
  })
  add('test_logging_tool', (_params, attempt) => {
    attempt.log('info', 'A line')
    return 'Logging evaluated'
  })
  let changes = 0
  const change = () => {
    crib.addTool({ id: `changed_${++changes}`, description: 'A new tool.', fn: () => 'new' })
    return 'Changed'
  }
  add('test_trigger_tool_change', change)
  add('test_trigger_prompt_change', change)
}

const said = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })
const file = (uri: string, mimeType: string, text: string) => ({ contents: [{ uri, mimeType, text }] })

const extras: McpExtras = {
  prompts: [
    askingPrompt,
    {
      name: 'test_simple_prompt',
      description: 'A simple prompt',
      get: () => ({ messages: [said('This is a simple prompt for testing.')] }),
    },
    {
      name: 'test_prompt_with_arguments',
      description: 'A prompt with two arguments',
      arguments: ['arg1', 'arg2'].map((name) => ({ name, description: name, required: true })),
      get: ({ arg1, arg2 }) => ({
        messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
      }),
    },
    {
      name: 'test_prompt_with_embedded_resource',
      description: 'A prompt that carries a resource',
      arguments: [{ name: 'resourceUri', description: 'What to embed', required: true }],
      get: ({ resourceUri }) => ({
        messages: [
          {
            role: 'user',
            content: {
              type: 'resource',
              resource: {
                uri: resourceUri!,
                mimeType: 'text/plain',
                text: 'Embedded resource content for testing.',
              },
            },
          },
          said('Please process the embedded resource above.'),
        ],
      }),
    },
    {
      name: 'test_prompt_with_image',
      description: 'A prompt that carries a picture',
      get: () => ({ messages: [{ role: 'user', content: image }, said('Please analyze the image above.')] }),
    },
  ],
  resources: [
    {
      uri: 'test://static-text',
      name: 'static-text',
      description: 'A static text',
      mimeType: 'text/plain',
      read: () =>
        file('test://static-text', 'text/plain', 'This is the content of the static text resource.'),
    },
    {
      uri: 'test://static-binary',
      name: 'static-binary',
      description: 'A static picture',
      mimeType: 'image/png',
      read: () => ({ contents: [{ uri: 'test://static-binary', mimeType: 'image/png', blob: picture }] }),
    },
  ],
  templates: [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template',
      description: 'Data of an id',
      mimeType: 'application/json',
      read: (uri, { id }) =>
        file(uri, 'application/json', JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })),
    },
  ],
}

/** Serves the crib; `url` takes requests without a token. */
export async function openEverythingCrib(): Promise<{ url: string; close(): Promise<void> }> {
  const root = mkdtempSync(join(tmpdir(), 'everything-'))
  writeFileSync(join(root, 'toolcrib.yaml'), taskSettings)
  const crib = await openCrib({ root, env: { HOME: root } })
  addTools(crib)
  addStatelessTools(crib)
  addAskingTools(crib)
  addTaskTools(crib)
  const served = await crib.serve({ port: 0, watch: false, extras })
  const door = createServer((incoming, answer) => {
    const { url: path = '/', method = 'GET', headers } = incoming
    const onward = request(
      {
        port: served.port,
        host: '127.0.0.1',
        path,
        method,
        headers: { ...headers, authorization: `Bearer ${served.token}` },
      },
      (response) => {
        answer.writeHead(response.statusCode!, response.headers)
        response.pipe(answer)
      },
    )
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`,
    async close() {
      door.closeAllConnections()
      door.close()
      await crib.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
