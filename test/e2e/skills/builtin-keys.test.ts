// The metadata keys that mean something to the crib itself: model, paths, mcp.
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { verifies } from '../../helpers/verifies.ts'
import { modelServer } from './model-server.ts'
import { anyParams, code, skillCrib } from './skill-crib.ts'

const server = fileURLToPath(new URL('../../../src/runtimes/mcp/fixtures/server.mjs', import.meta.url))

function main(metadata: object): string {
  return `---\n${JSON.stringify({ name: 'app', metadata: { role: 'main', ...metadata } })}\n---\nThe app.\n`
}

it('mcp of a skill brings servers whose tools can be found and called', async () => {
  verifies('S55', 'S54', 'K37')
  const crib = await skillCrib(
    {
      'main.skill.md': main({ mcp: { helper: { command: process.execPath, args: [server] } } }),
      'echo-by-ref.skill.js': code(anyParams, `return await ctx.manager.invoke(args.ref, args.args)`),
    },
    { sandbox: 'off' },
  )
  await crib.crib.discover()
  const tools = crib.crib.list({ format: 'mcp' })
  expect(tools.map((tool) => tool.id)).toContain('helper-echo')
  expect(crib.crib.find('mcp://helper/echo').details).toMatchObject({ uri: 'mcp://helper/echo' })
  expect(await crib.run('echo-by-ref', { ref: 'mcp://helper/echo', args: { text: 'hi' } })).toMatchObject({
    ok: true,
  })
})

it('mcp of the operator comes first, and a broken entry is a problem with its line', async () => {
  verifies('S55')
  const crib = await skillCrib(
    {
      'main.skill.md':
        '---\nname: app\nmetadata:\n  role: main\n  mcp:\n    helper: {command: other}\n    broken: {args: [x]}\n---\n',
    },
    { mcp: { servers: { helper: { command: 'mine' } } } },
  )
  const servers = crib.crib.list({ all: true, kind: 'server' })
  expect(servers.filter((tool) => tool.state === 'available')).toMatchObject([
    { id: 'mcp/helper', description: 'MCP server mine' },
  ])
  expect((await crib.crib.check()).problems).toContainEqual(
    expect.objectContaining({ code: 'mcp-server-invalid', line: 5, toolId: 'app' }),
  )
})

it('mcp of a file that nobody signed starts nothing where signatures are required', async () => {
  verifies('S55', 'S19')
  const crib = await skillCrib(
    { 'main.skill.md': main({ mcp: { helper: { command: process.execPath, args: [server] } } }) },
    { trust: 'require' },
  )
  await crib.crib.discover()
  expect(crib.crib.list({ format: 'mcp' })).toEqual([])
  expect(crib.crib.find('mcp/helper')).toMatchObject({
    state: 'disabled',
    reason: expect.stringMatching(/app.*unsigned/),
  })
})

it('paths of a main are searched first by the tools below it', async () => {
  verifies('S55')
  const crib = await skillCrib({
    'main.skill.md': main({ paths: ['./own'] }),
    'own/dup.skill.js': code(anyParams, `return 'own'`),
    'dup.skill.js': code(anyParams, `return 'shared'`),
    'caller.skill.js': code(anyParams, `return ctx.manager.invoke('dup', {})`),
  })
  expect(await crib.value('dup')).toBe('shared')
  expect(await crib.value('caller')).toBe('own')
})

it('model is inherited like any key, and none of the three runs as middleware', async () => {
  verifies('S55', 'S76')
  const [big, small] = [await modelServer([{ text: 'big' }]), await modelServer([{ text: 'small' }])]
  const entry = (url: string) => ({ provider: 'openai-compatible', baseURL: `${url}/v1`, model: 'x' })
  const crib = await skillCrib(
    {
      'main.skill.md': main({ model: 'small', mcp: {}, paths: [] }),
      'heir.skill.md': '---\nname: heir\n---\nHeir.\n',
      'own.skill.md': '---\nname: own\nmetadata: {model: big}\n---\nOwn.\n',
      'model.skill.js': code({ role: 'middleware' }, `ctx.globals.log.push('model ran')`),
    },
    { models: { default: 'big', big: entry(big.url), small: entry(small.url) } },
  )
  expect(await crib.value('heir')).toBe('small')
  expect(await crib.value('own')).toBe('big')
  expect(await crib.log()).toEqual([])
  expect((await crib.crib.check()).problems).toContainEqual(
    expect.objectContaining({ code: 'SKILL_NAME_RESERVED' }),
  )
})
