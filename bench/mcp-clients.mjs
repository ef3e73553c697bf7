// Clients that cost next to nothing, so that what is measured is the server: JSON-RPC lines over pipes, and plain
// HTTP over kept connections.
import { fork, spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/** A stdio server as a child, initialised; `call` gives the result of one tools/call. */
export async function stdioServer(args, { cwd = process.cwd(), env = process.env } = {}) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map()
  let lastId = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    const settle = waiting.get(message.id)
    if (!settle || message.method) return
    waiting.delete(message.id)
    if (message.error) settle.reject(new Error(message.error.message))
    else settle.resolve(message.result)
  })
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return {
    call: async (name, given) => {
      const result = await ask('tools/call', { name, arguments: given })
      if (result.isError) throw new Error(result.content[0].text)
      return result
    },
    close: () =>
      new Promise((resolve) => {
        child.on('exit', resolve)
        child.stdin.end()
        // Executor stays when its input has ended.
        setTimeout(() => child.kill(), 3_000).unref()
      }),
  }
}

/** Posts JSON over kept connections; gives the text of an answer and its headers. */
function poster(url, token, connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port, pathname } = new URL(url)
  const post = (body, headers = {}) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body)
      const sent = request(
        {
          agent,
          hostname,
          port,
          path: pathname,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'content-length': Buffer.byteLength(text),
            ...(token ? { authorization: `Bearer ${token}` } : {}),
            ...headers,
          },
        },
        (response) => {
          let answer = ''
          response.setEncoding('utf8')
          response.on('data', (chunk) => {
            answer += chunk
          })
          response.on('end', () =>
            response.statusCode === 200 || response.statusCode === 202
              ? resolve({ answer, headers: response.headers })
              : reject(new Error(`${response.statusCode} ${answer}`)),
          )
        },
      )
      sent.on('error', reject)
      sent.end(text)
    })
  return { post, close: () => agent.destroy() }
}

/** A session of the 2025 specification with a server that is there, or comes within ten seconds. */
export async function httpSession(url, token) {
  const { post, close } = poster(url, token, 1)
  const about = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  }
  const greet = async (patience) => {
    try {
      return await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: about })
    } catch (error) {
      if (patience === 0) throw error
      await delay(100)
      return greet(patience - 1)
    }
  }
  const { headers } = await greet(100)
  const session = headers['mcp-session-id']
  const more = { 'mcp-protocol-version': '2025-11-25', ...(session ? { 'mcp-session-id': session } : {}) }
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, more)
  let lastId = 0
  return {
    call: async (name, given) => {
      const params = { name, arguments: given }
      const { answer } = await post({ jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params }, more)
      if (!answer.includes('sum')) throw new Error(answer)
    },
    close,
  }
}

/** An HTTP server as a child; `call` sends one tools/call of the 2026 specification. */
export async function httpServer(script, args = [], { connections = 16, execArgv = [] } = {}) {
  const child = fork(script, args, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const { url, token } = await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error(`${script} did not start`)))
  })
  const client = poster(url, token, connections)
  const post = async (body, headers) => (await client.post(body, headers)).answer
  let lastId = 0
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    post,
    /** `expected` stands in the answer of a call that went well. */
    call: async (name, given, expected = 'sum') => {
      const answer = await post(
        {
          jsonrpc: '2.0',
          id: ++lastId,
          method: 'tools/call',
          params: { name, arguments: given, _meta: meta },
        },
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
      )
      if (!answer.includes(expected)) throw new Error(answer)
    },
    tell: (message) =>
      new Promise((resolve) => {
        child.once('message', resolve)
        child.send(message)
      }),
    close: () =>
      new Promise((resolve) => {
        client.close()
        child.on('exit', resolve)
        child.disconnect()
        setTimeout(() => child.kill('SIGKILL'), 3_000).unref()
      }),
  }
}

/** `toolcrib serve --json` as a child, ready. */
export async function serveChild(args, { env = process.env } = {}) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const ready = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)))
    exited.then((code) => reject(new Error(`serve ended with ${code}`)))
  })
  return {
    ...ready,
    pid: child.pid,
    close() {
      child.kill('SIGTERM')
      return exited
    },
  }
}

/** Makes `count` calls, at most `width` at once. */
export async function inFlight(count, width, call) {
  let next = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await call(next++)
    }),
  )
}
