// A secret goes to the tool that names it and to nobody else, and its value comes out nowhere.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Crib } from '../../src/crib/crib.ts'
import { libraryPrincipal } from '../../src/tool/principal.ts'
import { hasFence, realPython } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { cribOf, nodeTool, pythonTool } from './crib-of.ts'

const canary = `sk-canary-"quoted"/${Math.random().toString(36).slice(2)}`
const hasPython = realPython() !== undefined

async function setSecret(crib: Crib, name: string, value: string): Promise<void> {
  await (await crib.crumbs.open()).secrets.set(name, value, libraryPrincipal)
}

/** Every byte the crib keeps: database, log files, caches. */
function keptBytes(root: string): string {
  const state = join(root, '.toolcrib')
  return readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('')
}

const spellings = [canary, JSON.stringify(canary).slice(1, -1), encodeURIComponent(canary)]
const hits = (text: string) => spellings.filter((spelling) => text.includes(spelling)).length

describe.skipIf(!hasPython)('the canary', () => {
  const leaky = pythonTool(
    `value = os.environ.get("API_KEY", "")
print("printed " + value)
sys.stderr.write("warned " + value + "\\n")
print("::progress 1/2 " + value)
if params.get("fail"): raise RuntimeError("failed with " + value)
return {"success": True, "data": {"got": value, value: [value, {"deep": "x" + value + "x"}], "length": len(value)}}`,
  )
  const nosy = pythonTool(
    'return {"success": True, "data": {"env": dict(os.environ), "argv": [open(p, "rb").read().decode("latin1") for p in __import__("glob").glob("/proc/[0-9]*/cmdline")]}}',
  )

  it.each(['shape', 'full'] as const)(
    'is in no outcome, log, progress, error, record, argv, file or other environment (audit: %s)',
    async (params) => {
      proves('secret-scrubbed', 'secret-per-tool', 'secret-at-rest')
      const { crib, root } = await cribOf(
        {
          '.ai/tools/leaky.py': leaky,
          '.ai/tools/nosy.py': nosy,
          '.ai/tools/leaky_node.js': nodeTool(
            'console.log(process.env.API_KEY); return { success: true, data: { got: process.env.API_KEY } }',
          ),
        },
        {
          audit: { params },
          tools: { leaky: { secrets: ['API_KEY'] }, leaky_node: { secrets: ['API_KEY'] } },
        },
      )
      await setSecret(crib, 'API_KEY', canary)
      let seen = ''
      const options = {
        onLog: (line: object) => {
          seen += JSON.stringify(line)
        },
        onProgress: (progress: object) => {
          seen += JSON.stringify(progress)
        },
      }
      const good = await crib.call('leaky', { echo: canary }, options)
      expect(good).toMatchObject({
        ok: true,
        value: { data: { length: canary.length, got: '[secret:API_KEY]' } },
      })
      const argv = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      const node = await crib.call('leaky_node', {}, options)
      expect(node).toMatchObject({ value: { data: { got: '[secret:API_KEY]' } } })
      const bad = await crib.call('leaky', { fail: true }, options)
      const other = await crib.call('nosy', {}, options)
      expect(other).toMatchObject({ ok: true })
      await crib.crumbs.runs.flush()
      const { runs } = await crib.crumbs.runs.list({ limit: 100 })
      const records = await Promise.all(runs.map(({ runId }) => crib.crumbs.runs.find(runId)))
      const places = { seen, good, node, bad, other, argv, records, kept: keptBytes(root) }
      const found = Object.entries(places).filter(
        ([, place]) => hits(typeof place === 'string' ? place : JSON.stringify(place)) > 0,
      )
      console.info(
        `secret canary (${params}): ${Object.keys(places).length} places searched, ${found.length} hits`,
      )
      expect(found.map(([name]) => name)).toEqual([])
    },
    60_000,
  )

  it('passed on to another tool is scrubbed there too', async () => {
    proves('secret-scrubbed')
    const { crib } = await cribOf(
      {
        '.ai/tools/outer.py': pythonTool(
          'import toolcrib\nreturn toolcrib.execute("inner", {"key": os.environ["API_KEY"]})',
        ).replace('CONFIG_SCHEMA', '__requires__ = ["rye.execute.tool.inner"]\nCONFIG_SCHEMA'),
        '.ai/tools/inner.py': pythonTool('print(params["key"])\nreturn {"success": True, "data": params}'),
      },
      {
        audit: { params: 'full' },
        grants: { default: ['rye.execute'] },
        tools: { outer: { secrets: ['API_KEY'] } },
      },
    )
    await setSecret(crib, 'API_KEY', canary)
    const outcome = await crib.call('outer', {})
    expect(outcome).toMatchObject({ ok: true })
    await crib.crumbs.runs.flush()
    const { runs } = await crib.crumbs.runs.list({ limit: 10 })
    expect(runs.map((run) => run.tool).sort()).toEqual(['inner', 'outer'])
    const records = await Promise.all(runs.map(({ runId }) => crib.crumbs.runs.find(runId)))
    expect(hits(JSON.stringify([outcome, records]))).toBe(0)
  })

  it('is refused to a tool whose secret is not there', async () => {
    proves('secret-per-tool')
    const { crib } = await cribOf(
      { '.ai/tools/leaky.py': leaky },
      { tools: { leaky: { secrets: ['API_KEY'] } } },
    )
    expect(await crib.call('leaky', {})).toMatchObject({
      ok: false,
      error: { code: 'SECRET_MISSING', details: { missing: ['API_KEY'] } },
    })
  })
})

describe('a placeholder', () => {
  let server: Server
  let port: number
  let received: IncomingHttpHeaders[]

  beforeEach(async () => {
    received = []
    server = createServer((request, response) => {
      received.push(request.headers)
      response.end(JSON.stringify({ echoed: request.headers['x-key'] ?? null }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterEach(() => void server.close())

  it.skipIf(!hasPython || !hasFence)(
    'is all a tool holds; the listed host gets the value, the tool never sees it',
    async () => {
      proves('secret-placeholder')
      const { crib } = await cribOf(
        {
          '.ai/tools/client.py': pythonTool(
            `import urllib.request
held = os.environ["API_KEY"]
request = urllib.request.Request(params["url"], headers={"X-Key": held})
return {"success": True, "data": {"held": held, "answer": json.load(urllib.request.urlopen(request))}}`,
          ),
        },
        {
          grants: { default: [], tools: { client: [`net.http:127.0.0.1:${port}`] } },
          tools: { client: { placeholders: ['API_KEY:X-Key'] } },
        },
      )
      await setSecret(crib, 'API_KEY', canary)
      const outcome = await crib.call('client', { url: `http://127.0.0.1:${port}/` })
      expect(received[0]?.['x-key']).toBe(canary)
      expect(outcome).toMatchObject({
        ok: true,
        value: { data: { held: '{{secret:API_KEY}}', answer: { echoed: '[secret:API_KEY]' } } },
      })
    },
  )

  it('in an HTTP tool becomes the value towards a listed host alone', async () => {
    proves('secret-placeholder')
    const request = `tool_id: request
tool_type: http
version: "1.0.0"
category: ""
description: asks
executor_id: rye/core/primitives/http_client
config:
  method: GET
  url: "http://127.0.0.1:{port}/"
  headers: { X-Key: "{{secret:API_KEY}}" }
config_schema: { type: object, properties: { port: { type: integer } }, required: [port] }
`
    for (const [scope, expected] of [
      [`net.http:127.0.0.1:${port}`, canary],
      // Without a port only TLS carries it.
      ['net.http:127.0.0.0/8', '{{secret:API_KEY}}'],
    ] as const) {
      const { crib } = await cribOf(
        { '.ai/tools/request.yaml': request },
        {
          grants: { default: [], tools: { request: [scope] } },
          tools: { request: { placeholders: ['API_KEY'] } },
        },
      )
      await setSecret(crib, 'API_KEY', canary)
      const outcome = await crib.call('request', { port })
      expect(received.at(-1)?.['x-key']).toBe(expected)
      expect(hits(JSON.stringify(outcome))).toBe(0)
    }
  })
})
