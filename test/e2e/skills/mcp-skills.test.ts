// Skills as a real MCP client sees them, and files that change while the server runs.
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Crib } from '../../../src/crib/crib.ts'
import { streamTransport } from '../../../src/surfaces/mcp/fixtures/stream-transport.ts'
import { serveStdio } from '../../../src/surfaces/mcp/serve-stdio.ts'
import { newKey } from '../../../src/trust/keys.ts'
import { signFile } from '../../../src/trust/sign-file.ts'
import { loadSigningKey } from '../../../src/trust/signing-key.ts'
import { verifies } from '../../helpers/verifies.ts'
import { modelServer } from './model-server.ts'
import { anyParams, code, mw, skillCrib } from './skill-crib.ts'

const patient = { timeout: 20_000, interval: 50 }

async function connect(crib: Crib): Promise<Client> {
  const up = new PassThrough()
  const down = new PassThrough()
  const served = serveStdio(crib, { stdin: up, stdout: down })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(streamTransport(down, up) as never)
  onTestFinished(async () => {
    await client.close()
    await served.close()
  })
  return client
}

const greet = `---
name: greet
description: Greets people
metadata:
  params:
    type: object
    required: [name]
    properties:
      name: {type: string, description: Who is greeted}
      times: {type: integer}
      titles: {type: array, items: {type: string}}
---
Hello :arg[name], :arg[times] times, :arg[titles].
`

describe('prompts', () => {
  it('are the visible markdown skills, with their parameters as arguments', async () => {
    verifies('S88')
    const crib = await skillCrib({
      'greet.skill.md': greet,
      'skills/guide/SKILL.md': '---\nname: guide\ndescription: A guide\n---\nGuide.\n',
      'hidden.skill.md': '---\nname: hidden\nmetadata: {visibility: hidden}\n---\nHidden.\n',
      'around.skill.md': '---\nname: around\nmetadata: {role: middleware}\n---\nAround.\n',
      'job.skill.js': code(anyParams, 'return 1'),
    })
    const client = await connect(crib.crib)
    const { prompts } = await client.listPrompts()
    expect(prompts.map((prompt) => prompt.name)).toEqual(['app', 'greet', 'guide', 'toolcrib'])
    expect(prompts[1]).toMatchObject({
      description: 'Greets people',
      arguments: [
        { name: 'name', description: 'Who is greeted', required: true },
        { name: 'times', required: false },
        { name: 'titles', required: false },
      ],
    })
  })

  it('give one user message with the expanded text, run nothing and need no model', async () => {
    verifies('K55', 'S78', 'S88')
    const crib = await skillCrib({
      'greet.skill.md': greet.replace('metadata:', 'metadata:\n  around: null'),
      'around.skill.js': mw('around'),
    })
    const client = await connect(crib.crib)
    const { messages } = await client.getPrompt({
      name: 'greet',
      arguments: { name: '42', times: '3', titles: 'Dr' },
    })
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Hello 42, 3 times, ["Dr"].\n' } },
    ])
    expect(await crib.log()).toEqual([])
    await expect(client.getPrompt({ name: 'greet' })).rejects.toMatchObject({ code: -32602 })
    await expect(client.getPrompt({ name: 'nobody' })).rejects.toMatchObject({ code: -32602 })
    const called = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })
    expect(called).toMatchObject({
      isError: true,
      _meta: { 'toolcrib/error': { code: 'MODEL_MISSING', message: expect.stringContaining('models') } },
    })
  })
})

describe('resources', () => {
  it('are the texts of the same skills and the files of their folders, nothing beside them', async () => {
    verifies('K59', 'S89', 'U6')
    const crib = await skillCrib({
      'greet.skill.md': greet,
      'skills/guide/SKILL.md': '---\nname: guide\n---\nGuide.\n',
      'skills/guide/data/table.json': '{"a": 1}',
      'skills/x': 'outside',
    })
    symlinkSync(join(crib.root, 'skills/x'), join(crib.root, 'skills/guide/link.txt'))
    const client = await connect(crib.crib)
    const { resources } = await client.listResources()
    expect(resources.map((resource) => resource.uri)).toEqual([
      'skill://app/SKILL.md',
      'skill://greet/SKILL.md',
      'skill://guide/SKILL.md',
      'skill://guide/data/table.json',
      'skill://toolcrib/SKILL.md',
    ])
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0]
    // The whole file, byte for byte.
    for (const uri of ['skill://greet', 'skill://greet/SKILL.md'])
      expect(await read(uri)).toEqual({ uri, mimeType: 'text/markdown', text: greet })
    expect(await read('skill://guide/data/table.json')).toMatchObject({
      mimeType: 'application/json',
      text: '{"a": 1}',
    })
    for (const uri of [
      'skill://greet/../x',
      'skill://guide/../x',
      'skill://guide/%2e%2e/x',
      'skill://guide/link.txt',
      'skill://guide/data',
      'skill://guide/%E0%A4%A',
      'skill://nobody',
      'file:///etc/passwd',
    ])
      await expect(client.readResource({ uri }), uri).rejects.toThrow()
  })
})

describe('tools', () => {
  it('are listed with the schema that the root context holds', async () => {
    verifies('K24', 'S74')
    const schema = { type: 'object' as const, properties: { channel: { type: 'string' } } }
    const crib = await skillCrib(
      {
        'send.skill.js': code({ params: { $resolve: 'nonlocals.gw.in', type: 'object' } }, 'return 1'),
        'plain.skill.js': code({ params: { $resolve: 'nonlocals.none', type: 'object' } }, 'return 1'),
      },
      { skills: { nonlocals: { gw: { in: schema } } } },
    )
    const { tools } = await (await connect(crib.crib)).listTools()
    expect(tools.find((tool) => tool.name === 'send')!.inputSchema).toEqual(schema)
    expect(tools.find((tool) => tool.name === 'plain')!.inputSchema).toEqual({ type: 'object' })
  })

  it('without params are not listed, and can be called by name without arguments', async () => {
    verifies('S87')
    const crib = await skillCrib({ 'bare.skill.js': code({}, 'return { got: args }') })
    const client = await connect(crib.crib)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).not.toContain('bare')
    expect(await client.callTool({ name: 'bare', arguments: {} })).toMatchObject({
      structuredContent: { got: {} },
    })
    expect(await client.callTool({ name: 'bare', arguments: { a: 1 } })).toMatchObject({
      isError: true,
      _meta: { 'toolcrib/error': { code: 'PARAMS_INVALID' } },
    })
  })

  it('include markdown skills only when a model can answer them', async () => {
    verifies('S87')
    const files = {
      'greet.skill.md': greet,
      'quick.skill.md':
        '---\nname: quick\nmetadata: {params: {type: object}, delegate: "inline://code,export default () => 1"}\n---\n',
    }
    const names = async (config: object) => {
      const crib = await skillCrib(files, { skills: { tools: 'never' }, ...config } as never)
      const { tools } = await (await connect(crib.crib)).listTools()
      const shipped = new Set(
        crib.crib
          .list()
          .filter(({ tier }) => tier === 'system')
          .map(({ name }) => name),
      )
      return tools.map((tool) => tool.name).filter((name) => !shipped.has(name))
    }
    expect(await names({})).toEqual(['driver', 'quick'])
    expect(await names({ models: (await modelServer([])).models() })).toEqual(['driver', 'greet', 'quick'])
  })
})

it('a change of skill files is used by the next calls and announced to clients', async () => {
  verifies('K59', 'S43', 'S89')
  const job = (level: string) => code({ ...anyParams, audit: { level } }, 'return 1')
  const crib = await skillCrib({
    'audit.skill.js': code({ role: 'middleware' }, 'ctx.globals.log.push(args.level)'),
    'job.skill.js': job('low'),
  })
  const client = await connect(crib.crib)
  const told = new Set<string>()
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.add('tools'))
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => void told.add('prompts'))
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told.add('resources'))
  await crib.crib.watch()
  await client.callTool({ name: 'job', arguments: {} })
  const levels = async () => {
    const { content } = await client.callTool({ name: 'driver', arguments: { takeLog: true } })
    return JSON.parse((content as { text: string }[])[0]!.text) as string[]
  }
  expect(await levels()).toEqual(['low'])
  crib.write({ 'job.skill.js': job('high') })
  await vi.waitUntil(async () => {
    await client.callTool({ name: 'job', arguments: {} })
    return (await levels()).includes('high')
  }, patient)
  await vi.waitUntil(() => told.size === 3, patient)
})

it('the levels of a tool are worked out once and again after a change', async () => {
  verifies('S43')
  const crib = await skillCrib({ 'job.skill.js': code(anyParams, 'return 1') })
  const tool = crib.crib.find('job')
  const first = crib.crib.kernel.compose(tool)
  await crib.value('job')
  expect(crib.crib.kernel.compose(tool)).toBe(first)
  crib.write({ 'extra.skill.js': code(anyParams, 'return 1') })
  await crib.crib.reload()
  expect(crib.crib.kernel.compose(crib.crib.find('job'))).not.toBe(first)
})

it('inline code of an unsigned file does not run where signatures are required', async () => {
  verifies('K60', 'S72', 'S19')
  const crib = await skillCrib(
    {
      'x.skill.md': `---
name: x
metadata:
  params: {type: object}
  $remove: [trust]
  delegate: "inline://code,import { writeFileSync } from 'node:fs'; export default (ctx, { to }) => { writeFileSync(to, 'ran'); return 'ran' }"
---
`,
    },
    { trust: 'require' },
  )
  const to = join(crib.root, 'ran.txt')
  expect(await crib.code('x', { to })).toBe('TRUST_UNSIGNED')
  expect(existsSync(to)).toBe(false)
  const folder = join(crib.root, 'signing')
  newKey(crib.crib.trust, folder, 'Ada')
  signFile(join(crib.root, 'skills/x.skill.md'), {
    key: loadSigningKey(folder),
    system: crib.crib.spaces.system,
  })
  await crib.crib.reload()
  expect(await crib.value('x', { to })).toBe('ran')
  expect(existsSync(to)).toBe(true)
})
