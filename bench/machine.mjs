// What a result was measured on: the machine, the date, and the versions of everything compared.
import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'

const compared = [
  'ajv',
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/server',
  'fastmcp',
  'koa-compose',
  'execa',
  'libsql',
  'pg',
  '@nats-io/jetstream',
  'deno',
]

export function machine() {
  return {
    date: new Date().toISOString(),
    toolcrib: versionAt('../package.json'),
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    /** Other work on the machine when the run began: ratios bear it, times do not. */
    load: Math.round(loadavg()[0] * 100) / 100,
    versions: Object.fromEntries(
      compared.map((name) => [
        name,
        versionAt(`../node_modules/${name}/package.json`) ??
          versionAt(`peers/node_modules/${name}/package.json`) ??
          'not installed',
      ]),
    ),
  }
}

function versionAt(path) {
  try {
    return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version
  } catch {
    return undefined
  }
}
