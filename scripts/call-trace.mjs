// Prints which functions of src/ one warm MCP call of a Python tool enters, as JSON: `{ entries, files }`. It runs
// from the sources (`node --import` with the loader for TypeScript), so that files have the names a reader knows.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

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
const served = await crib.serve({ port: 0 })
const client = new Client({ name: 'shape', version: '1.0.0' })
await client.connect(
  new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${served.token}` } },
  }),
)
async function call() {
  const result = await client.callTool({ name: 'hello', arguments: { name: 'Ada' } })
  if (result.isError) throw new Error(JSON.stringify(result.content))
}

for (let n = 0; n < 20; n++) await call()
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await session.post('Profiler.takePreciseCoverage')
await call()
const { result } = await session.post('Profiler.takePreciseCoverage')
let entries = 0
const files = new Set()
const functions = []
for (const { url, functions: entered } of result) {
  if (!url.startsWith(src)) continue
  for (const { functionName, ranges } of entered) {
    const count = ranges[0].count
    // The module's own code has no name and begins with the file.
    if (count === 0 || (functionName === '' && ranges[0].startOffset === 0)) continue
    entries += count
    files.add(url.slice(src.length))
    functions.push({ file: url.slice(src.length), name: functionName, count })
  }
}
console.log(JSON.stringify({ entries, files: files.size, functions }))
await client.close()
await served.close()
await crib.close()
rmSync(root, { recursive: true, force: true })
