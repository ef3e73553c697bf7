// A crib with tools of every format, a foreign server, a subscription and a lock: what a day of work touches.
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
  ['code_8', { a: 'not a number' }],
]

export function makeSoakCrib(root) {
  const files = makeCrib(root, 40)
  mkdirSync(join(root, '.tmp'))
  writeFileSync(
    join(root, '.mcp.json'),
    JSON.stringify({ mcpServers: { far: { command: process.execPath, args: [server] } } }),
  )
  writeFileSync(
    join(root, 'toolcrib.yaml'),
    'trust: off\ngrants:\n  default: [fs.read, fs.write, shell.execute]\nruns: { keep: 10m }\nevents: { keep: 10m }\n',
  )
  return files
}
