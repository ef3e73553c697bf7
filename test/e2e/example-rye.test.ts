// Every kind of Rye file in examples/rye does its work, through the same pipeline as any call.
import { cpSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { type Crib, type CribOptions, openCrib } from '../../src/crib/open-crib.ts'
import { runExamples } from '../../src/surfaces/examples/run-examples.ts'
import { libraryPrincipal } from '../../src/tool/principal.ts'
import { tempFolder } from '../helpers/temp-folder.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))

async function open(config: CribOptions['config'] = {}): Promise<Crib> {
  const root = tempFolder()
  for (const part of ['rye', 'toolcrib.yaml'])
    cpSync(join(examples, part), join(root, part), { recursive: true })
  const crib = await openCrib({ root, env: { ...process.env, HOME: tempFolder() }, config })
  onTestFinished(() => crib.close())
  return crib
}

const own = (crib: Crib) => crib.list({ format: 'rye', all: true }).filter((tool) => tool.tier === 'project')

it('are found without an error or warning', async () => {
  const crib = await open()
  expect(own(crib)).toHaveLength(23)
  expect(own(crib).filter((tool) => tool.state !== 'available')).toEqual([])
  const { problems } = await crib.check()
  // The settings of the whole crib name tools that this part of it has not.
  const ofPart = problems.filter(({ code }) => !['grant-unmatched', 'offer-unmatched'].includes(code))
  expect(ofPart.filter(({ severity }) => severity !== 'info')).toEqual([])
})

it('each brings examples, and they pass', async () => {
  const crib = await open()
  const tools = own(crib).filter((tool) => tool.kind === 'callable')
  const { results } = await runExamples(crib, tools, { principal: libraryPrincipal })
  for (const { tool, example, skipped } of results)
    if (skipped) console.info(`skipped: ${tool} ${example}: ${skipped}`)
  expect(results.filter((result) => !result.ok)).toEqual([])
  const tried = new Set(results.map((result) => result.tool))
  expect(tools.filter((tool) => !tried.has(tool.id)).map((tool) => tool.id)).toEqual([])
})

it('the HTTP tool makes the call it describes once it may', async () => {
  let heard: unknown
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      heard = JSON.parse(body)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [] } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const crib = await open({ grants: { tools: { 'mcp/mcp_http': [`net.call:127.0.0.1:${port}`] } } })
  const outcome = await crib.call('mcp-http', {
    url: `http://127.0.0.1:${port}/mcp`,
    rpc_method: 'tools/list',
    rpc_params: { cursor: 'a' },
  })
  expect(outcome).toMatchObject({ ok: true, value: { status: 200, data: { result: { tools: [] } } } })
  expect(heard).toEqual({
    jsonrpc: '2.0',
    id: outcome.runId,
    method: 'tools/list',
    params: { cursor: 'a' },
  })
})

it('an action is also a tool of its own, and its cost is on record', async () => {
  const crib = await open()
  const outcome = await crib.call('deploy-service#deploy', { service_name: 'web-shop' })
  expect(outcome).toMatchObject({ ok: true, value: { status: 'pending' }, cost: { currency: 'USD' } })
  expect(outcome.logs).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('INFO: deploy with /etc/kubernetes/config') }),
  )
})

it('the class is listed and says why it cannot be called', async () => {
  const outcome = await (await open()).call('sinks/file_sink', {})
  expect(outcome).toMatchObject({
    error: { code: 'TOOL_NOT_CALLABLE', message: expect.stringContaining('FileSink') },
  })
})

it('a language added with one file shows its chain', async () => {
  const crib = await open()
  expect(crib.find('text/reverse').chain?.map((link) => link.id)).toEqual([
    'text/reverse',
    'runtimes/perl',
    'rye/core/primitives/subprocess',
  ])
})
