import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { built } from '../the-build.mjs'

const servers = 50
const toolsEach = 20
/** The slowest server takes so long for its list. */
const slowestMs = 3_000

/** One process that is fifty servers: each answers after its own time. */
async function manyServers() {
  const tools = Array.from({ length: toolsEach }, (_, n) => ({
    name: `tool_${n}`,
    inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
  }))
  const answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'many', version: '1' },
    }),
    'tools/list': () => ({ tools }),
  }
  const listener = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, method, params } = text ? JSON.parse(text) : {}
    if (id === undefined) return response.writeHead(text ? 202 : 405).end()
    const number = Number(request.url.split('/').at(-1))
    if (method === 'tools/list')
      await new Promise((resolve) => setTimeout(resolve, (slowestMs * (number + 1)) / servers))
    const answer = answers[method]
    const said = answer
      ? { result: answer(params) }
      : { error: { code: -32_601, message: 'Method not found' } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }))
  })
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return listener
}

/** Seconds until `serve` is ready and until a client sees every tool. */
async function served(listener) {
  const { port } = listener.address()
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
  const entries = Array.from({ length: servers }, (_, n) => [
    `s${n}`,
    { url: `http://127.0.0.1:${port}/${n}`, type: 'http' },
  ])
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers: Object.fromEntries(entries) }))
  const started = performance.now()
  const child = spawn(
    process.execPath,
    [built('cli.js'), ...['serve', '-C', root, '--port', '0', '--json', '--trust-folder']],
    { env: { PATH: process.env.PATH, HOME: root }, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  try {
    const [line] = await new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', (...given) => resolve(given))
      child.once('exit', () => reject(new Error('serve did not start')))
    })
    const ready = (performance.now() - started) / 1000
    const { url, token } = JSON.parse(line)
    for (;;) {
      const answer = await fetch(new URL('/api/tools?format=mcp', url), {
        headers: { authorization: `Bearer ${token}` },
      })
      const { tools } = await answer.json()
      if (tools.filter(({ format }) => format === 'mcp').length >= servers * toolsEach) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return { ready, complete: (performance.now() - started) / 1000 }
  } finally {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
    rmSync(root, { recursive: true, force: true })
  }
}

export const scenario = {
  about: `serve with ${servers} MCP servers of ${toolsEach} tools, the slowest of which takes ${slowestMs / 1000} s (seconds)`,
  unit: 's',
  run: { rounds: 3, warmUp: 0 },
  async setup() {
    const listener = await manyServers()
    let last
    return {
      reference: 'slowest server',
      sides: {
        ready: {
          measure: async () => {
            last = await served(listener)
            return last.ready
          },
        },
        'slowest server': { measure: async () => last.ready + slowestMs / 1000 },
        'list complete': { measure: async () => last.complete },
      },
      async teardown() {
        listener.closeAllConnections()
        listener.close()
      },
    }
  },
}
