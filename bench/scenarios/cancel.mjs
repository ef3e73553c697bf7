// How long a stopped call lives on: from the client's word to the death of the tool's process. The process holds one
// end of a named pipe and the scenario the other, so its death is seen the moment it happens.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { serveChild, stdioServer } from '../mcp-clients.mjs'
import { tempFolder } from '../temp-crib.mjs'
import { built } from '../the-build.mjs'

const cli = built('cli.js')
const info = { name: 'bench', version: '1' }
const argument = (param) => ({ param, kind: 'positional' })
/** Copies from one pipe nobody writes to, to one we read: it waits until it is killed. */
const tools = {
  tools: [
    {
      name: 'hold',
      description: 'Holds a pipe open',
      parameters: {
        type: 'object',
        properties: { from: { type: 'string' }, to: { type: 'string' } },
        required: ['from', 'to'],
      },
    },
  ],
  allowlist: { dd: [''] },
  execution: [{ tool: 'hold', binary: 'dd', subcommand: '', args: [argument('from'), argument('to')] }],
}

export const scenario = {
  about: 'a call stopped by its client, until its process is dead',
  unit: 'ms',
  run: { rounds: 15, warmUp: 1 },
  async setup() {
    const { root, remove } = tempFolder()
    mkdirSync(join(root, 'skills', 'pipes'), { recursive: true })
    writeFileSync(
      join(root, 'skills', 'pipes', 'SKILL.md'),
      '---\nname: pipes\ndescription: Holds pipes\n---\nHolds pipes.\n',
    )
    writeFileSync(join(root, 'skills', 'pipes', 'tools.json'), JSON.stringify(tools))
    // On a layer the pipes would be others than ours.
    writeFileSync(join(root, 'toolcrib.yaml'), 'effects: { default: direct }\n')
    const env = { PATH: process.env.PATH, HOME: root, TOOLCRIB_TRUST_FOLDER: '1' }
    const args = [cli, 'mcp', '-C', root, '-q']
    const stdio = { command: process.execPath, args, env, stderr: 'ignore' }
    const served = await serveChild([cli, 'serve', '-C', root, '--port', '0', '--json'], { env })
    const http = () => [
      new URL(served.mcp),
      { requestInit: { headers: { authorization: `Bearer ${served.token}` } } },
    ]
    const clients = {
      'stdio, 2025-11-25': await connected(new OldClient(info), new OldStdio(stdio)),
      'stdio, 2026-07-28': await connected(modernClient(), new ModernStdio(stdio)),
      'HTTP, 2025-11-25': await connected(new OldClient(info), new OldHttp(...http())),
      'HTTP, 2026-07-28': await connected(modernClient(), new ModernHttp(...http())),
    }
    const sides = Object.fromEntries(
      Object.entries(clients).map(([name, client]) => [
        name,
        { measure: () => untilDead(root, (given, signal) => callTool(client, given, signal)) },
      ]),
    )
    sides['stdin end to exit'] = {
      measure: async () => {
        const server = await stdioServer(args, { env })
        return untilDead(
          root,
          (given) => server.call('hold', given),
          () => server.close(),
        )
      },
    }
    return {
      sides,
      async teardown() {
        await Promise.all(Object.values(clients).map((client) => client.close()))
        await served.close()
        remove()
      },
    }
  },
}

function modernClient() {
  return new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
}

async function connected(client, transport) {
  await client.connect(transport)
  return client
}

function callTool(client, given, signal) {
  const options = { signal, timeout: 300_000 }
  const params = { name: 'hold', arguments: given }
  return client instanceof OldClient
    ? client.callTool(params, undefined, options)
    : client.callTool(params, options)
}

let lastPipe = 0

/** Starts a call, waits until its process runs, stops it, and gives the ms until both `stop` and the process are done. */
async function untilDead(root, call, stop) {
  const [from, to] = ['from', 'to'].map((name) => join(root, `${name}-${++lastPipe}`))
  execFileSync('mkfifo', [from, to])
  // Both ends of this one are ours, so that the tool can open it and has nothing to read.
  const quiet = await open(from, 'r+')
  const gone = new AbortController()
  const answer = call({ from: `if=${from}`, to: `of=${to}` }, gone.signal)
  const failed = answer.then(
    (result) => Promise.reject(new Error(`The call ended by itself: ${JSON.stringify(result)}`)),
    (error) => Promise.reject(error),
  )
  // Opening waits for the process to open the other end.
  const pipe = await Promise.race([open(to, 'r'), failed])
  const dead = pipe.read(Buffer.alloc(1), 0, 1)
  failed.catch(() => {})
  const started = performance.now()
  gone.abort('enough')
  await Promise.all([dead, stop?.()])
  const ms = performance.now() - started
  await Promise.all([pipe.close(), quiet.close()])
  return ms
}
