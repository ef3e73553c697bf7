// MCP servers from the console: preview, try, add, reconnect, log.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { echo, server, tell, withServer } from '../../../../test/helpers/telling-server.ts'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { servedCrib } from '../fixtures/served-crib.ts'

const files = { 'server.mjs': server, 'definitions.json': JSON.stringify([echo, tell]) }
const pasted = { text: 'node server.mjs', name: 'box' }

it('shows what .mcp.json would be, and without --edit does no more', async () => {
  verifies('V16', 'V18')
  const { ask, root } = await servedCrib({ files })
  const { status, body } = await ask('POST', '/api/servers/preview', pasted)
  expect(status).toBe(200)
  expect(body).toMatchObject({ servers: ['box'], before: '' })
  expect(JSON.parse(body.after)).toEqual({
    mcpServers: { box: { command: 'node', args: ['server.mjs'] } },
  })
  expect(existsSync(join(root, '.mcp.json'))).toBe(false)
  expect((await ask('POST', '/api/servers/test', pasted)).status).toBe(404)
  expect((await ask('POST', '/api/servers', { ...pasted, digest: body.digest })).status).toBe(404)
})

it('tries a server without writing, then takes in the chosen tools, pinned, as audit records', async () => {
  verifies('V16', 'V18')
  const { ask, root, crib } = await servedCrib({ files, edit: true })
  const { digest } = (await ask('POST', '/api/servers/preview', pasted)).body
  const tried = await ask('POST', '/api/servers/test', pasted)
  expect(tried.status).toBe(200)
  expect(tried.body.servers).toMatchObject([
    {
      name: 'box',
      words: 'node server.mjs',
      capabilities: expect.arrayContaining([expect.stringContaining('fs.read')]),
      tools: [
        { name: 'echo', id: 'box-echo', says: ['reads only'] },
        { name: 'tell', id: 'box-tell', says: [] },
      ],
    },
  ])
  expect(existsSync(join(root, '.mcp.json'))).toBe(false)
  expect(crib.list({ all: true }).some(({ id }) => id.startsWith('box'))).toBe(false)

  const added = await ask('POST', '/api/servers', { ...pasted, digest, chosen: { box: ['echo'] } })
  expect(added).toMatchObject({ status: 200, body: { tools: ['box-echo'] } })
  expect(readFileSync(join(root, '.mcp.json'), 'utf8')).toContain('"includeTools"')
  expect(readFileSync(join(root, 'toolcrib.lock'), 'utf8')).toContain('box-echo')
  expect((await ask('POST', '/api/tools/box-echo/call', { params: {} })).body).toMatchObject({ ok: true })
  expect((await ask('POST', '/api/tools/box-tell/call', { params: {} })).status).toBe(404)
  await crib.crumbs.runs.flush()
  const records = await (await crib.crumbs.store()).runs.list({ limit: 9, kinds: ['allow'] })
  expect(records.map(({ tool, reason }) => [tool, reason])).toEqual([
    ['mcp/box', '.mcp.json changed in the console: MCP servers added'],
    ['mcp/box', 'MCP servers tried from the console'],
  ])
})

it('says why a server does not start, and keeps what is there', async () => {
  verifies('V16')
  const { ask, root } = await servedCrib({ files: withServer(), edit: true })
  const broken = { text: 'node missing.mjs', name: 'gone' }
  const { body } = await ask('POST', '/api/servers/test', broken)
  expect(body.servers[0]).toMatchObject({ tools: [], problem: { message: expect.stringContaining('gone') } })
  const other = await ask('POST', '/api/servers/preview', { text: 'node other.mjs', name: 'box' })
  expect(other).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  const { digest } = (await ask('POST', '/api/servers/preview', broken)).body
  writeFileSync(join(root, '.mcp.json'), '{ "mcpServers": {} }')
  expect((await ask('POST', '/api/servers', { ...broken, digest })).status).toBe(409)
})

it('is for admins', async () => {
  verifies('V18')
  const { ask } = await servedCrib({ files: withServer(), edit: true })
  const { token } = (await ask('POST', '/api/tokens', { name: 'guest' })).body
  for (const path of ['/api/servers', '/api/servers/test', '/api/servers/preview'])
    expect((await ask('POST', path, { ...pasted, digest: '' }, { token })).status).toBe(403)
  expect((await ask('POST', '/api/servers/box/reconnect', undefined, { token })).status).toBe(403)
  expect((await ask('GET', '/api/servers/box/log', undefined, { token })).status).toBe(403)
})

it('reconnects a server and tells what it wrote, without the secrets of its entry', async () => {
  verifies('V9', 'D11')
  const loud = `process.stderr.write('key ' + process.env.KEY + '\\n')\n${server}`
  const { ask, root, crib } = await servedCrib({
    files: {
      ...withServer([echo]),
      'server.mjs': loud,
      '.mcp.json': JSON.stringify({
        mcpServers: { box: { command: 'node', args: ['server.mjs'], env: { KEY: '${secret:BOX_KEY}' } } },
      }),
    },
    edit: true,
  })
  crib.folder.decide(crib.asks, true)
  await crib.reload()
  await ask('POST', '/secrets', { name: 'BOX_KEY', value: 'hush-hush-hush' })
  expect((await ask('POST', '/api/servers/box/reconnect')).body).toEqual({ server: 'box' })
  writeFileSync(join(root, 'definitions.json'), JSON.stringify([echo, tell]))
  expect((await ask('POST', '/api/servers/box/reconnect')).status).toBe(200)
  expect(crib.find('box-tell')).toBeDefined()
  const { lines } = (await ask('GET', '/api/servers/box/log')).body
  const words = lines.map(({ by, text }: { by: string; text: string }) => `${by}: ${text}`)
  expect(words.slice(0, 2).sort()).toEqual(['crib: connected', 'server: key [secret:BOX_KEY]'])
  expect(words.filter((line: string) => line === 'crib: disconnected')).toHaveLength(1)
  expect(JSON.stringify(lines)).not.toContain('hush')
  expect((await ask('POST', '/api/servers/bxo/reconnect')).status).toBe(404)
})
