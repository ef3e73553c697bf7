// `toolcrib mcp` and `toolcrib serve` as programs: what becomes of running tools when a client leaves, cancels or
// changes a file, and of one client when another misbehaves.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveProcess } from '../helpers/serve-process.ts'
import { tempFolder, writeFiles } from '../helpers/temp-folder.ts'
import { cli } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const napFiles = {
  'skills/nap/SKILL.md': '---\nname: nap\ndescription: Sleeps\n---\nSleeps.\n',
  'skills/nap/tools.json': JSON.stringify({
    tools: [
      {
        name: 'take_nap',
        description: 'Sleeps for some seconds',
        parameters: { type: 'object', properties: { seconds: { type: 'string' } }, required: ['seconds'] },
      },
    ],
    allowlist: { sleep: [''] },
    execution: [
      { tool: 'take_nap', binary: 'sleep', subcommand: '', args: [{ param: 'seconds', kind: 'positional' }] },
    ],
  }),
}

const greeting = (name: string) =>
  `export const frontmatter = { name: '${name}', description: 'Greets', metadata: { params: { type: 'object' } } }\nexport default () => 'hello from ${name}'\n`

/** A length of sleep nobody else has. */
const uniqueSeconds = () => `${60 + Math.random()}`

/** Processes that sleep for exactly this long. */
function sleepers(seconds: string): number {
  const list = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return list.split('\n').filter((line) => /(^|\/)sleep /.test(line) && line.includes(seconds)).length
}

const asleep = (seconds: string) =>
  expect.poll(() => sleepers(seconds), { timeout: 30_000 }).toBeGreaterThan(0)
const awake = (seconds: string) => expect.poll(() => sleepers(seconds), { timeout: 30_000 }).toBe(0)

/** `toolcrib mcp` with an initialised client that writes lines itself. */
async function mcpProcess(root: string) {
  const child: ChildProcess = spawn(process.execPath, [cli, 'mcp', '-C', root, '-q'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: root },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const lines: { id?: number; method?: string; result?: unknown; error?: { code: number } }[] = []
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(JSON.parse(line)))
  const send = (message: object | string) =>
    child.stdin!.write(
      `${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`,
    )
  const answer = async (id: number) => {
    await expect.poll(() => lines.some((line) => line.id === id), { timeout: 60_000 }).toBe(true)
    return lines.find((line) => line.id === id)!
  }
  send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })
  await answer(0)
  send({ method: 'notifications/initialized' })
  return { child, exited, lines, send, answer }
}

const nap = (id: number, seconds: string) => ({
  id,
  method: 'tools/call',
  params: { name: 'take_nap', arguments: { seconds } },
})

/** A tool that changes a file as soon as it may: once there is a file `go`. */
const patientFiles = {
  '.ai/tools/patient.yaml': `tool_id: patient
version: "1.0.0"
tool_type: script
executor_id: subprocess
category: ""
description: Waits, then writes
requires: [shell.execute, fs.read, fs.write]
parameters: [{ name: mark, type: string, description: What it is known by }]
config: { command: sh, args: [-c, 'until [ -e go ]; do sleep 0.02; done; echo done > "$0.txt"', "{mark}"] }
`,
  'toolcrib.yaml':
    'grants: { tools: { patient: [shell.execute, fs.read, fs.write] } }\neffects: { default: direct }\n',
}

describe('a program that is stopped while it starts', () => {
  const isAlive = (mark: string) =>
    execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      .split('\n')
      .some((line) => line.includes('until [ -e go ]') && line.includes(mark))

  /** Lets the program have its way now that its caller was told that it was stopped, and looks what it did. */
  async function letGo(root: string, mark: string): Promise<void> {
    writeFiles(root, { go: '' })
    await expect.poll(() => isAlive(mark), { timeout: 30_000 }).toBe(false)
    rmSync(join(root, 'go'))
    expect({ mark, hasWritten: existsSync(join(root, `${mark}.txt`)) }).toEqual({ mark, hasWritten: false })
  }

  it('writes, when nobody stops it', { timeout: 120_000 }, async () => {
    const root = tempFolder({ ...patientFiles, go: '' })
    const { ask } = await serveProcess(root)
    const { body } = await ask('POST', '/api/tools/patient/call', { params: { mark: 'free' } })
    expect(body).toMatchObject({ ok: true })
    expect(existsSync(join(root, 'free.txt'))).toBe(true)
  })

  it('does nothing after its caller was told CANCELLED', { timeout: 240_000 }, async () => {
    verifies('T46')
    const root = tempFolder(patientFiles)
    const { ask } = await serveProcess(root)
    for (let n = 0; n < 8; n++) {
      const mark = `cancelled-${n}-${process.pid}`
      const call = ask('POST', '/api/tools/patient/call', { params: { mark } })
      let runId: string | undefined
      while (runId === undefined) {
        const { runs } = (await ask('GET', '/api/runs')).body
        runId = runs.find(({ state }: { state?: string }) => state === 'running')?.runId
      }
      expect((await ask('POST', `/api/runs/${runId}/cancel`)).status).toBe(200)
      expect((await call).body).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
      await letGo(root, mark)
    }
  })

  it('does nothing after its caller was told TIMEOUT', { timeout: 240_000 }, async () => {
    verifies('T46')
    const root = tempFolder(patientFiles)
    const { ask } = await serveProcess(root)
    for (const timeoutMs of [1, 5, 10, 20, 40, 60, 80, 120]) {
      const mark = `late-${timeoutMs}-${process.pid}`
      const { body } = await ask('POST', '/api/tools/patient/call', { params: { mark }, timeoutMs })
      expect(body).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
      await letGo(root, mark)
    }
  })
})

describe('toolcrib mcp', () => {
  it('ends with its input, and leaves no tool behind', { timeout: 120_000 }, async () => {
    const { send, child, exited } = await mcpProcess(tempFolder(napFiles))
    const seconds = uniqueSeconds()
    send(nap(1, seconds))
    await asleep(seconds)
    child.stdin!.end()
    expect(await exited).toBe(0)
    await awake(seconds)
  })

  it('stops the process of a cancelled call, answers it with nothing, and goes on', {
    timeout: 120_000,
  }, async () => {
    const { send, answer, lines } = await mcpProcess(tempFolder(napFiles))
    const [one, two] = [uniqueSeconds(), uniqueSeconds()] as const
    send(nap(1, one))
    send(nap(2, two))
    await asleep(one)
    await asleep(two)
    send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } })
    await awake(one)
    expect(sleepers(two)).toBeGreaterThan(0)
    send({ id: 3, method: 'ping' })
    expect(await answer(3)).toMatchObject({ result: {} })
    expect(lines.some((line) => line.id === 1)).toBe(false)
  })

  it('answers what is no message, an unknown method and wrong arguments, and goes on', {
    timeout: 120_000,
  }, async () => {
    const { send, answer } = await mcpProcess(tempFolder(napFiles))
    send('{"jsonrpc":"2.0","id":')
    send('[]')
    send('"tools/call"')
    send({ id: 1, method: 'no/such' })
    expect((await answer(1)).error).toMatchObject({ code: -32601 })
    send({ id: 2, method: 'tools/call', params: { name: 7 } })
    expect((await answer(2)).error).toMatchObject({ code: expect.any(Number) })
    send({ id: 3, method: 'tools/call', params: { name: 'take_nap', arguments: { seconds: 5 } } })
    expect((await answer(3)).result).toMatchObject({ isError: true })
    // A line far longer than a plain call may be.
    send({
      id: 4,
      method: 'tools/call',
      params: { name: 'take_nap', arguments: { seconds: 'x'.repeat(2_000_000) } },
    })
    expect(await answer(4)).toMatchObject({ id: 4 })
    send(nap(5, '0.01'))
    expect((await answer(5)).result).toMatchObject({ content: expect.any(Array) })
  })

  it.each([
    ['first', (text: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"text":"${text}"}}`],
    ['last', (text: string) => `{"method":"tools/call","params":{"text":"${text}"},"jsonrpc":"2.0","id":1}`],
  ])(
    'answers a giant message whose id comes %s with an error, and goes on',
    {
      timeout: 120_000,
    },
    async (_place, message) => {
      const { send, answer } = await mcpProcess(tempFolder(napFiles))
      send(message('x'.repeat(40_000_000)))
      expect(await answer(1)).toMatchObject({
        error: { code: -32600, message: expect.stringContaining('MiB') },
      })
      send(nap(2, '0.01'))
      expect((await answer(2)).result).toMatchObject({ content: expect.any(Array) })
    },
  )

  it('tells its client when a file changed', { timeout: 120_000 }, async () => {
    const root = tempFolder(napFiles)
    const { lines, send, answer } = await mcpProcess(root)
    send(nap(1, '0.01'))
    await answer(1)
    writeFiles(root, { 'skills/late.skill.js': greeting('late') })
    await expect
      .poll(() => lines.some((line) => line.method === 'notifications/tools/list_changed'), {
        timeout: 30_000,
      })
      .toBe(true)
    send({ id: 2, method: 'tools/call', params: { name: 'late', arguments: {} } })
    expect((await answer(2)).result).toMatchObject({ content: [{ text: 'hello from late' }] })
  })
})

describe('toolcrib serve', () => {
  const open = async (root: string) => {
    const served = await serveProcess(root)
    const url = new URL(`${served.url}/mcp`)
    const options = { requestInit: { headers: { authorization: `Bearer ${served.token}` } } }
    const old = async () => {
      const client = new OldClient({ name: 'test', version: '1' })
      await client.connect(new OldHttp(url, options) as never)
      onTestFinished(() => client.close())
      return client
    }
    const modern = async () => {
      const client = new ModernClient({ name: 'test', version: '1' }, {
        versionNegotiation: { mode: { pin: '2026-07-28' } },
      } as never)
      await client.connect(new ModernHttp(url, options))
      onTestFinished(() => client.close())
      return client
    }
    return { served, old, modern }
  }

  it('keeps clients apart: one that cancels or vanishes stops its own call only', {
    timeout: 120_000,
  }, async () => {
    const { old, modern } = await open(tempFolder(napFiles))
    const [a, b, c] = [await old(), await old(), await modern()]
    const [first, second, third] = [uniqueSeconds(), uniqueSeconds(), uniqueSeconds()]
    const gone = new AbortController()
    const calls = [
      a.callTool({ name: 'take_nap', arguments: { seconds: first } }, undefined, {
        signal: gone.signal,
        timeout: 300_000,
      }),
      b.callTool({ name: 'take_nap', arguments: { seconds: second } }, undefined, { timeout: 300_000 }),
      c.callTool(
        { name: 'take_nap', arguments: { seconds: third } },
        { signal: gone.signal, timeout: 300_000 },
      ),
    ]
    for (const call of calls) call.catch(() => {})
    for (const seconds of [first, second, third]) await asleep(seconds)
    gone.abort('enough')
    await awake(first)
    await awake(third)
    expect(sleepers(second)).toBeGreaterThan(0)
  })

  it('answers clients of both eras that connect the moment it is ready', { timeout: 120_000 }, async () => {
    const { old, modern } = await open(tempFolder(napFiles))
    const clients = await Promise.all([old(), modern(), old(), modern()])
    const call = { name: 'take_nap', arguments: { seconds: '0.01' } }
    for (const result of await Promise.all(clients.map((client) => client.callTool(call))))
      expect(result).toMatchObject({ content: expect.any(Array) })
  })

  it('ends well when it is stopped the moment it is ready', { timeout: 120_000 }, async () => {
    const served = await serveProcess(tempFolder(napFiles))
    expect(await served.end('SIGTERM')).toBe(0)
    expect(served.stderr()).not.toMatch(/Error|Warning/)
  })

  it('stops no call for a client that cancels the id of another', { timeout: 120_000 }, async () => {
    const { served, modern } = await open(tempFolder(napFiles))
    const client = await modern()
    const seconds = uniqueSeconds()
    const gone = new AbortController()
    const napping = client.callTool(
      { name: 'take_nap', arguments: { seconds } },
      { signal: gone.signal, timeout: 300_000 },
    )
    napping.catch(() => {})
    await asleep(seconds)
    // Ids count up from nought, so one of these is that of the call.
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'other', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    for (let requestId = 0; requestId < 10; requestId++) {
      const answer = await fetch(`${served.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${served.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'notifications/cancelled',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId, _meta: meta },
        }),
      })
      expect(answer.status).toBe(202)
    }
    expect(sleepers(seconds)).toBeGreaterThan(0)
    gone.abort()
    await awake(seconds)
  })

  it('tells a client of the newer era that listens when a file changed', { timeout: 120_000 }, async () => {
    const root = tempFolder(napFiles)
    const client = await (await open(root)).modern()
    let isTold = false
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      isTold = true
    })
    const listening = await client.listen({ toolsListChanged: true })
    writeFiles(root, { 'skills/late.skill.js': greeting('late') })
    await expect.poll(() => isTold, { timeout: 30_000 }).toBe(true)
    await listening.close()
  })

  it('answers others while connections stay half open, and gives those up', {
    timeout: 120_000,
  }, async () => {
    const { served } = await open(tempFolder(napFiles))
    const { port, hostname } = new URL(served.url)
    const closed: boolean[] = []
    for (let n = 0; n < 20; n++) {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.resume()
      socket.on('close', () => closed.push(true))
      socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Len')
      onTestFinished(() => void socket.destroy())
    }
    expect((await served.ask('GET', '/api/tools')).status).toBe(200)
    await expect.poll(() => closed.length, { timeout: 60_000 }).toBe(20)
    expect((await served.ask('GET', '/api/tools')).status).toBe(200)
  })
})
