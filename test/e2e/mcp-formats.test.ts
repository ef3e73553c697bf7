// One crib with a tool of each of the five formats, driven by the official clients of both SDKs over both
// transports of the built program; foreign servers are the SDKs' own.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { has } from '../helpers/system-parts.ts'
import { writeFiles } from '../helpers/temp-folder.ts'
import '../helpers/toolcrib.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const cli = here('../../dist/cli.js')
const info = { name: 'test', version: '1' }

const files = {
  'toolcrib.yaml': JSON.stringify({
    mcp: {
      servers: {
        bare: { command: process.execPath, args: [here('../../bench/servers/sdk-v1-stdio.mjs')] },
      },
    },
    grants: { default: ['fs.read', 'fs.write', 'shell.execute'] },
  }),
  '.ai/tools/text/shout.py': `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "text"
__tool_description__ = "Shouts"

CONFIG_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def execute(params, project_path):
    return {"success": True, "text": params["text"].upper()}
`,
  'skills/say/SKILL.md': '---\nname: say\ndescription: Says things\n---\nSays things.\n',
  'skills/say/tools.json': JSON.stringify({
    tools: [
      {
        name: 'say_it',
        description: 'Says a text',
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ],
    allowlist: { echo: [''] },
    execution: [
      { tool: 'say_it', binary: 'echo', subcommand: '', args: [{ param: 'text', kind: 'positional' }] },
    ],
  }),
  'crumbs/doubler.json': JSON.stringify({
    schema_name: 'tool.code.v1',
    title: 'Doubler',
    tags: ['tool', 'tool:doubler', 'workspace:tools', 'self-contained'],
    context: {
      name: 'doubler',
      description: 'Doubles a number',
      version: '1.0.0',
      code: {
        language: 'typescript',
        source: 'export async function execute(input: { n: number }) { return { twice: input.n * 2 } }',
      },
      input_schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      output_schema: { type: 'object', properties: { twice: { type: 'number' } }, required: ['twice'] },
      required_secrets: [],
      limits: { memory_mb: 64, timeout_ms: 20000, cpu_percent: 100 },
      permissions: {},
      examples: [{ description: 'two', input: { n: 1 }, output: { twice: 2 } }],
    },
  }),
  'skills/greet.skill.js': `export const frontmatter = {
  name: 'greet', description: 'Greets',
  metadata: { params: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
}
export default (ctx, { name }) => 'Hello ' + name
`,
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<{ [key: string]: unknown }>
  close(): Promise<void>
}

let root: string
let http: { readonly mcp: string; readonly token: string; close(): Promise<number | null> }

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'formats-'))
  writeFiles(root, files)
  http = await serveHttp()
}, 120_000)

afterAll(async () => {
  await http?.close()
  rmSync(root, { recursive: true, force: true })
})

const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: root, TOOLCRIB_TRUST_FOLDER: '1' })
const stdio = () => ({
  command: process.execPath,
  args: [cli, 'mcp', '-C', root, '-q'],
  env: env(),
  stderr: 'ignore' as const,
})

/** `toolcrib serve` as a program, ready. */
async function serveHttp() {
  const child = spawn(process.execPath, [cli, 'serve', '-C', root, '--port', '0', '--json'], {
    env: env(),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    void exited.then((code) => reject(new Error(`serve ended with ${code}`)))
  })
  const { mcp, token } = JSON.parse(line) as { mcp: string; token: string }
  const close = () => {
    child.kill('SIGTERM')
    return exited
  }
  return { mcp, token, close }
}

const headers = () => ({ requestInit: { headers: { authorization: `Bearer ${http.token}` } } })
const modern = () => new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } } as never)
const connected = async (client: OldClient | ModernClient, transport: unknown): Promise<AnyClient> => {
  await client.connect(transport as never)
  return client as unknown as AnyClient
}

const clients: [string, () => Promise<AnyClient>][] = [
  ['SDK v1 over stdio', () => connected(new OldClient(info), new OldStdio(stdio()))],
  ['SDK v2 over stdio', () => connected(modern(), new ModernStdio(stdio()))],
  ['SDK v1 over HTTP', () => connected(new OldClient(info), new OldHttp(new URL(http.mcp), headers()))],
  ['SDK v2 over HTTP', () => connected(modern(), new ModernHttp(new URL(http.mcp), headers()))],
]

describe.each(clients)('%s', (_name, connect) => {
  const withClient = async (drive: (client: AnyClient) => Promise<void>) => {
    const client = await connect()
    try {
      await drive(client)
    } finally {
      await client.close()
    }
  }

  // The one format here that is run by a program of the machine.
  it.skipIf(!has('python3'))('drives a rye tool in Python', { timeout: 120_000 }, () =>
    withClient(async (client) => {
      expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('text_shout')
      expect(await client.callTool({ name: 'text_shout', arguments: { text: 'hi' } })).toMatchObject({
        structuredContent: { success: true, text: 'HI' },
      })
    }),
  )

  it('drives a tool of each of the other formats', { timeout: 120_000 }, () =>
    withClient(async (client) => {
      const names = (await client.listTools()).tools.map((tool) => tool.name)
      expect(names).toEqual(expect.arrayContaining(['say_it', 'doubler', 'greet', 'bare-add']))
      const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args })
      const text = async (name: string, args: Record<string, unknown>) =>
        ((await call(name, args))['content'] as { text: string }[])[0]!.text
      expect(await text('say_it', { text: 'hello there' })).toContain('hello there')
      expect(await call('doubler', { n: 21 })).toMatchObject({ structuredContent: { twice: 42 } })
      expect(await text('greet', { name: 'Ada' })).toBe('Hello Ada')
      expect(await text('bare-add', { a: 1, b: 2 })).toContain('3')
      expect(await call('greet', {})).toMatchObject({
        isError: true,
        _meta: { 'toolcrib/error': { code: 'PARAMS_INVALID' } },
      })
    }),
  )
})
