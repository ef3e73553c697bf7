// The library as a TypeScript program meets it: the published declarations, compiled by TypeScript itself.
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { tempFolder, writeFiles } from '../../helpers/temp-folder.ts'
import { toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'

const repo = fileURLToPath(new URL('../../../', import.meta.url))

/** What TypeScript with its defaults says of a program that has the library and its peers installed. */
function faultsOf(files: { readonly [path: string]: string }): string[] {
  const root = tempFolder({ 'package.json': '{ "type": "module" }', ...files })
  writeFiles(root, { 'node_modules/.keep': '' })
  symlinkSync(repo, join(root, 'node_modules/toolcrib'))
  for (const name of ['ai', 'zod', 'valibot', 'arktype', 'openai', '@anthropic-ai', '@types'])
    symlinkSync(join(repo, 'node_modules', name), join(root, 'node_modules', name))
  const program = ts.createProgram(
    Object.keys(files).map((file) => join(root, file)),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    },
  )
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

const head = "import { openCrib } from 'toolcrib'\nconst crib = await openCrib({ root: '.' })\n"

describe('the typed library', () => {
  verifies('D14')

  it('types the parameters of a tool by a literal JSON Schema, defaults included', () => {
    const program = `${head}
crib.addTool({
  id: 'greet',
  params: {
    type: 'object',
    properties: { name: { type: 'string' }, times: { type: 'integer', default: 2 }, mood: { enum: ['glad', 'sad'] } },
    required: ['name'],
  },
  fn: ({ name, times, mood }) => {
    const said: string = name
    const count: number = times
    const how: 'glad' | 'sad' | undefined = mood
    return said.repeat(count) + how
  },
})`
    expect(faultsOf({ 'app.ts': program })).toEqual([])
    expect(
      faultsOf({ 'app.ts': program.replace('({ name, times, mood })', '({ nmae: name, times, mood })') }),
    ).toEqual([expect.stringContaining("Property 'nmae' does not exist")])
  })

  it('types them by a schema of Zod, Valibot and ArkType', () => {
    const program = `${head}
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
crib.addTool({ id: 'z', params: z.object({ name: z.string(), n: z.number().default(3) }), fn: ({ name, n }) => name.repeat(n) })
crib.addTool({ id: 'v', params: v.object({ name: v.string() }), fn: ({ name }) => name.toUpperCase() })
crib.addTool({ id: 'a', params: type({ name: 'string' }), fn: ({ name }) => name.toUpperCase() })`
    expect(faultsOf({ 'app.ts': program })).toEqual([])
  })

  it('types settings key by key', () => {
    expect(faultsOf({ 'app.ts': head.replace("'.'", "'.', config: { trsut: 'warn' }") })).toEqual([
      expect.stringContaining("Did you mean to write 'trust'?"),
    ])
  })

  it('gives definitions that the official libraries take as they are', () => {
    const program = `${head}
import Anthropic from '@anthropic-ai/sdk'
import { generateText, type LanguageModel } from 'ai'
import OpenAI from 'openai'
import { exportTools, toolsForAiSdk, toolsForAnthropic, toolsForOpenAi, toolsForOpenAiResponses } from 'toolcrib/exports'
declare const model: LanguageModel
await generateText({ model, prompt: 'hello', tools: toolsForAiSdk(crib) })
const openai = new OpenAI()
const chat = toolsForOpenAi(crib)
const messages: OpenAI.ChatCompletionMessageParam[] = []
const completion = await openai.chat.completions.create({ model: 'm', messages, tools: chat.definitions })
for (const toolCall of completion.choices[0]?.message.tool_calls ?? []) messages.push(await chat.call(toolCall))
const responses = toolsForOpenAiResponses(crib)
const input: OpenAI.Responses.ResponseInput = []
const response = await openai.responses.create({ model: 'm', input, tools: responses.definitions })
for (const item of response.output) if (item.type === 'function_call') input.push(await responses.call(item))
const claude = toolsForAnthropic(crib)
const message = await new Anthropic().messages.create({ model: 'm', max_tokens: 9, messages: [], tools: claude.definitions })
const content: Anthropic.ToolResultBlockParam[] = []
for (const block of message.content) if (block.type === 'tool_use') content.push(await claude.call(block))
await openai.chat.completions.create({ model: 'm', messages, tools: exportTools(crib.list(), 'openai').definitions })
await new Anthropic().messages.create({ model: 'm', max_tokens: 9, messages: [], tools: exportTools(crib.list(), 'anthropic').definitions })`
    expect(faultsOf({ 'app.ts': program })).toEqual([])
  })

  it('shows an embedder what is drawn and nothing else', () => {
    verifies('D15')
    expect(faultsOf({ 'app.ts': `${head}crib.kernel` })).toEqual([
      "Property 'kernel' does not exist on type 'Crib'.",
    ])
  })
})

describe('toolcrib types', () => {
  verifies('D14')

  const crib = {
    '.ai/tools/text/count.py':
      '__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "rye/core/runtimes/python/function"\n__category__ = "text"\n__tool_description__ = "Count words. */ alert(1) //"\nCONFIG_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}, "kind": {"enum": ["a", "b"]}}, "required": ["text"]}\ndef execute(params, project_path):\n    return {}\n',
  }

  it('writes a file by which calls are checked and completed', async () => {
    const root = tempFolder(crib)
    const { code, stdout } = await toolcrib(['types', '--out', '-'], { cwd: root })
    expect(code).toBe(0)
    expect(stdout).toContain(
      '"text/count": { params: { "text": string; "kind"?: "a" | "b" }; result: unknown }',
    )
    const app = `${head}
await crib.call('text/count', { text: 'one two' })
await crib.call('another', { anything: 1 })
const outcome = await crib.call<{ words: number }>('another')
if (outcome.ok) outcome.value.words.toFixed()`
    expect(faultsOf({ 'app.ts': app, 'toolcrib.d.ts': stdout })).toEqual([])
    expect(faultsOf({ 'app.ts': app.replace('text:', 'txt:'), 'toolcrib.d.ts': stdout })).toEqual([
      expect.stringContaining("Did you mean to write 'text'?"),
    ])
  })

  it('never writes through a link', async () => {
    const root = tempFolder({ ...crib, 'loot.txt': 'mine' })
    symlinkSync(join(root, 'loot.txt'), join(root, 'toolcrib.d.ts'))
    const { code, json } = await toolcrib(['types', '--json'], { cwd: root })
    expect(code).toBe(0)
    expect(json).toMatchObject({ file: join(root, 'toolcrib.d.ts'), root })
    expect(readFileSync(join(root, 'loot.txt'), 'utf8')).toBe('mine')
  })
})
