// Hints of foreign MCP servers and of HTTP services on loopback.
import { execFileSync } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { server, withServer } from '../../helpers/telling-server.ts'
import type { Place, Step, Table } from './place.ts'
import type { Files } from './put.ts'
import { code, rye } from './writers.ts'

const { '.mcp.json': _, ...program } = withServer()
const box = (entry: object, settings = ''): Files => ({
  ...program,
  '.mcp.json': JSON.stringify({ mcpServers: { box: { command: 'node', args: ['server.mjs'], ...entry } } }),
  'toolcrib.yaml': settings,
})
const echo =
  (files: Files): Step =>
  (at) =>
    at.call(files, 'box-echo')
const ports = new Map<string, number>()

async function listening(at: Place, answer: RequestListener, port = 0): Promise<number> {
  const here = createServer(answer)
  await new Promise<void>((done) => here.listen(port, '127.0.0.1', done))
  onTestFinished(() => {
    here.closeAllConnections()
    here.close()
  })
  ports.set(at.root, (here.address() as AddressInfo).port)
  return ports.get(at.root)!
}
/** A rye tool that asks a service on loopback, with the right to. */
const asking = (port: number, grant = `"net.http:127.0.0.1:${port}"`): Files => ({
  '.ai/tools/a.yaml': rye('a', {
    tool_type: 'http',
    executor_id: 'http_client',
    requires: '[net.http]',
    config: `{ method: GET, url: "http://127.0.0.1:${port}/" }`,
  }),
  'toolcrib.yaml': `grants: { tools: { a: [${grant}] } }\n`,
})
const ryeServer = (config: string): Files => ({
  ...program,
  '.ai/tools/a.yaml': rye('a', {
    tool_type: 'mcp',
    executor_id: 'rye/core/runtimes/mcp/stdio',
    requires: '[shell.execute]',
    config,
  }),
  'toolcrib.yaml': 'grants: { tools: { a: [shell.execute, net.call, net.http] } }\n',
})

export const mcpServers: Table = {
  'Install ${}, or correct the command.': [echo(box({ command: 'no-such-server' })), echo(box({}))],
  'Put it into the crib, or give the variables by env.': [
    echo({ ...box({ envFile: '../box.env' }), '../box.env': 'A=1\n' }),
    echo({ ...box({ envFile: 'box.env' }), 'box.env': 'A=1\n' }),
  ],
  'There is no ${}. Correct the entry, or make the file.': [
    (at) => {
      at.put({
        ...box({ args: ['server.mjs', at.path('data.txt')] }),
        'server.mjs': `import { readFileSync as read } from 'node:fs'\nread(process.argv[2])\n${server}`,
      })
      return at.call({}, 'box-echo')
    },
    (at) => at.call({ 'data.txt': 'x' }, 'box-echo'),
  ],
  'Try its command by hand: ${}': [
    echo({ ...box({}, 'grants: { tools: { "box-*": [net.http] } }\n'), 'server.mjs': 'process.exit(3)\n' }),
    async (at) => {
      const refused = await at.call({}, 'box-echo')
      const line = /by hand: ([^.]*\.mjs)/.exec(refused.ok ? '' : refused.error.hint!)![1]!
      try {
        execFileSync('sh', ['-c', line], { cwd: at.root })
        return { isOk: false, said: 'it went well by hand' }
      } catch (error) {
        return { isOk: (error as { status: number }).status === 3, said: '' }
      }
    },
  ],
  'Is it a server? A program that is none becomes a tool of its own: `toolcrib add -- <command>`.': [
    echo({
      ...box({ args: ['plain.cjs'] }),
      'plain.cjs': 'process.stdin.pipe(process.stdout)\n',
    }),
    echo(box({})),
  ],
  'It needs transport, and url or command.': [
    (at) =>
      at.call(
        {
          ...ryeServer('{ server_config_path: .ai/server.yaml, tool_name: echo }'),
          '.ai/server.yaml': '[]\n',
        },
        'a',
      ),
    (at) => at.call({ '.ai/server.yaml': 'transport: stdio\ncommand: node\nargs: [server.mjs]\n' }, 'a'),
  ],
}

export const services: Table = {
  'Check the address, and that the service runs.': [
    (at) => at.call(asking(9), 'a'),
    async (at) => at.call(asking(await listening(at, (_, answer) => answer.end('{}'))), 'a'),
  ],
  'The answer had no text.': [
    async (at) => at.call(asking(await listening(at, (_, answer) => answer.writeHead(500).end())), 'a'),
    async (at) => at.call(asking(await listening(at, (_, answer) => answer.end('{}'))), 'a'),
  ],
  'It says: ${}': [
    async (at) =>
      at.call(asking(await listening(at, (_, answer) => answer.writeHead(500).end('use POST'))), 'a'),
    async (at) => at.call(asking(await listening(at, (_, answer) => answer.end('{}'))), 'a'),
  ],
  'If the tool should reach it, grant net.http:${} in toolcrib.yaml (for a name that leads to a private address, grant the address). `toolcrib grants` shows the change.':
    [
      async (at) => at.call(asking(await listening(at, (_, answer) => answer.end('{}')), 'net.http'), 'a'),
      async (at) => {
        const refused = await at.call({}, 'a')
        const grant = /grant (net\.http:\S+)/.exec(refused.ok ? '' : refused.error.hint!)![1]!
        return at.call({ 'toolcrib.yaml': `grants: { tools: { a: ["${grant}"] } }\n` }, 'a')
      },
    ],
  'Move the file into the crib, or add its folder to skills.paths.': [
    (at) => at.call({ '../other/b.skill.js': code('b') }, '../other/b.skill.js'),
    (at) => at.call({ 'b.skill.js': code('b') }, './b.skill.js'),
  ],
}
