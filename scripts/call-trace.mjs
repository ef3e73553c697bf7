// Prints which functions of src/ one warm MCP call (stdio) of a Python tool enters, as JSON: `{ entries, files }`. It runs
// from the sources (`node --import` with the loader for TypeScript), so that files have the names a reader knows.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'

const src = new URL('../src/', import.meta.url).href
const { openCrib } = await import('../src/index.ts')

const root = mkdtempSync(join(tmpdir(), 'toolcrib-shape-'))
mkdirSync(join(root, '.ai/tools'), { recursive: true })
writeFileSync(
  join(root, '.ai/tools/hello.py'),
  `"""Says hello."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Says hello"
CONFIG_SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}

def execute(params, project_path):
    return {"hello": params.get("name")}
`,
)

const crib = await openCrib({ root, env: { HOME: root, PATH: process.env.PATH } })
const stdin = new PassThrough()
const stdout = new PassThrough()
const served = await crib.serveStdio({ stdin, stdout })
const client = new Client({ name: 'shape', version: '1.0.0' })
const answers = createInterface({ input: stdout })
await client.connect({
  async start() {
    answers.on('line', (line) => this.onmessage(JSON.parse(line)))
  },
  async send(message) {
    stdin.write(`${JSON.stringify(message)}\n`)
  },
  async close() {
    stdin.end()
  },
})
async function call() {
  const result = await client.callTool({ name: 'hello', arguments: { name: 'Ada' } })
  if (result.isError) throw new Error(JSON.stringify(result.content))
}

for (let n = 0; n < 20; n++) await call()
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** What one call enters. Work in the background (writing records, watching files) may fall into the same moment. */
async function trace() {
  // The records of the calls before are on disk; nobody waits for this one's.
  await crib.crumbs.runs.flush()
  await session.post('Profiler.takePreciseCoverage')
  await call()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const functions = []
  for (const { url, functions: entered } of result) {
    if (!url.startsWith(src)) continue
    for (const { functionName: name, ranges } of entered) {
      const { count, startOffset } = ranges[0]
      // The module's own code has no name and begins with the file.
      if (count > 0 && !(name === '' && startOffset === 0))
        functions.push({ file: url.slice(src.length), name, count })
    }
  }
  return {
    entries: functions.reduce((sum, { count }) => sum + count, 0),
    files: new Set(functions.map(({ file }) => file)).size,
    functions,
  }
}

let least = await trace()
for (let n = 0; n < 15; n++) {
  const other = await trace()
  if (other.entries < least.entries) least = other
}
console.log(JSON.stringify(least))
await client.close()
await served.close()
await crib.close()
rmSync(root, { recursive: true, force: true })
