// What a foreign server gets of the clients of a crib, and which server is talked to at all.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { answering } from '../helpers/answering.ts'
import { proves } from '../helpers/proves.ts'

/** An MCP server over HTTP that keeps everything it hears; `version`: the protocol it insists on. */
async function listener(version?: string) {
  const heard: string[] = []
  const server = createServer(
    answering(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      heard.push(JSON.stringify([request.url, request.headers, body]))
      if (request.method !== 'POST') {
        response.writeHead(405).end()
        return
      }
      const { id, method, params } = JSON.parse(body)
      const results: { readonly [method: string]: unknown } = {
        initialize: {
          protocolVersion: version ?? params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'l', version: '1' },
        },
        'tools/list': { tools: [{ name: 'echo', description: 'E', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'hello' }] },
      }
      if (id === undefined) {
        response.writeHead(202).end()
        return
      }
      response.setHeader('content-type', 'application/json')
      const answer =
        method in results ? { result: results[method] } : { error: { code: -32601, message: 'no' } }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    }),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const files = { '.mcp.json': JSON.stringify({ mcpServers: { far: { url: `http://${host}/mcp` } } }) }
  const config = { grants: { tools: { 'far-*': [`net.http:${host}`], 'mcp/far': [`net.http:${host}`] } } }
  return { heard, files, config }
}

it('gives no foreign server the token of a client, by any door', async () => {
  proves('no-passthrough')
  const { heard, files, config } = await listener()
  const { crib, ask, token } = await servedCrib({ files, config })
  await crib.discover({ refresh: true })
  const called = await ask('POST', '/api/tools/far-echo/call', { params: {} })
  expect(called).toMatchObject({ status: 200, body: { ok: true } })
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'far-echo', arguments: {} } }
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  await ask('POST', '/mcp', rpc, { headers })
  expect(heard.length).toBeGreaterThan(2)
  expect(heard.join('\n')).not.toContain(token)
  expect(heard.join('\n')).not.toContain('authorization')
})

it('talks to no server that insists on a version of the protocol nobody knows', async () => {
  proves('protocol-floor')
  const { heard, files, config } = await listener('2020-01-01')
  const { crib, ask } = await servedCrib({ files, config })
  await crib.discover({ refresh: true })
  expect(crib.list().map(({ id }) => id)).not.toContain('far-echo')
  expect((await ask('POST', '/api/tools/far-echo/call', { params: {} })).status).toBe(404)
  expect(heard.join('\n')).not.toContain('tools/call')
})
