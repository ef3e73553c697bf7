// A crib with tools of every format, one that writes, a foreign server, a subscription and a lock: what a day of work
// touches. What the user and the system keep lies beside the crib, as on a real machine.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeCrib } from '../make-crib.mjs'

const server = fileURLToPath(new URL('../servers/sdk-v1-stdio.mjs', import.meta.url))

/** The tools that are called, with what they are called with. */
export const calls = [
  ['group0/tool_0', { name: 'Ada' }],
  ['group4/tool-4', { name: 'Ada', count: 1 }],
  ['group6/tool_6', { name: 'Ada' }],
  ['group7/tool_7', { name: 'Ada' }],
  ['code_8', { a: 1 }],
  ['far-add', { a: 1, b: 2 }],
  ['soak/write', { text: 'Ada' }],
  ['code_8', { a: 'not a number' }],
]

const writer = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category soak
# @description Writes a file of the project
# @param {string} text - What to write
echo "$PARAM_TEXT $$ $RANDOM" > "out-$((RANDOM % 20)).txt"
printf '{"success": true}\\n'
`

const listener = {
  schema_name: 'tool.code.v1',
  title: 'Listener',
  tags: ['tool', 'tool:soak_listener', 'workspace:tools', 'self-contained'],
  context: {
    name: 'soak_listener',
    description: 'Hears every note',
    version: '1.0.0',
    code: {
      language: 'typescript',
      source:
        'export async function execute(_: unknown, { request }: any) {\n  return { heard: request.trigger_event?.context?.n ?? -1 }\n}\n',
    },
    input_schema: { type: 'object', properties: {} },
    output_schema: { type: 'object', properties: { heard: { type: 'number' } } },
    required_secrets: [],
    limits: { memory_mb: 64, timeout_ms: 5000, cpu_percent: 100 },
    permissions: { network: false, breadcrumbs: { read: ['soak.note.v1'], write: [] } },
    examples: [{ description: 'hears nothing', input: {}, output: { heard: -1 } }],
    subscriptions: [{ schema_name: 'soak.note.v1', description: 'Every note' }],
  },
}

/** `top` gets the folders `crib`, `home` and `tmp`; `keep`: how long runs and events are kept. */
export function makeSoakCrib(top, cli, keep) {
  const root = join(top, 'crib')
  const [home, temp] = [join(top, 'home'), join(top, 'tmp')]
  for (const folder of [root, home, temp]) mkdirSync(folder)
  const files = makeCrib(root, 40)
  mkdirSync(join(root, '.ai/tools/soak'), { recursive: true })
  writeFileSync(join(root, '.ai/tools/soak/write.sh'), writer)
  writeFileSync(join(root, 'crumbs/listener.json'), JSON.stringify(listener))
  writeFileSync(
    join(root, '.mcp.json'),
    JSON.stringify({ mcpServers: { far: { command: process.execPath, args: [server] } } }),
  )
  writeFileSync(
    join(root, 'toolcrib.yaml'),
    `trust: off\ngrants:\n  default: [fs.read, fs.write, shell.execute]\nruns: { keep: ${keep} }\nevents: { keep: ${keep} }\n`,
  )
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: temp, TOOLCRIB_TRUST_FOLDER: '1' }
  execFileSync(process.execPath, [cli, '-C', root, 'lock', '-q'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return { root, files, env, home, temp }
}
