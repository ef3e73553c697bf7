// A tool that lacks a capability is told one line of toolcrib.yaml, and that one is enough.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Crib } from '../../../src/crib/crib.ts'
import { openCrib } from '../../../src/crib/open-crib.ts'
import { grantProposals } from '../../../src/surfaces/grants/grant-proposals.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { verifies } from '../../helpers/verifies.ts'

const server = createServer((_, answer) => {
  answer.setHeader('content-type', 'application/json')
  answer.end('{"answer":42}')
})
let host: string

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  host = `localhost:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const toolCode = (source: string, permissions: object) =>
  JSON.stringify({
    schema_name: 'tool.code.v1',
    title: 'Ask',
    tags: ['tool', 'tool:ask', 'workspace:tools', 'self-contained'],
    context: {
      name: 'ask',
      description: 'Asks a service',
      version: '1.0.0',
      code: { language: 'typescript', source },
      input_schema: { type: 'object' },
      output_schema: { type: 'object' },
      required_secrets: [],
      permissions,
    },
  })

const rye = (lines: readonly string[]) =>
  ['version: "1.0.0"', 'category: web', 'description: Asks a service', ...lines].join('\n')

/** Each tool lacks something that the crib grants nobody by itself. */
const cases: [what: string, ref: string, file: string, text: () => string][] = [
  [
    'a tool.code tool that lists a private host',
    'ask',
    'ask.json',
    () =>
      toolCode(`export const execute = async () => (await fetch('http://${host}/')).json()`, {
        network: [host],
      }),
  ],
  [
    'a rye tool with a private address',
    'web/ask',
    '.ai/tools/web/ask.yaml',
    () =>
      rye([
        'tool_type: http',
        'executor_id: http_client',
        'requires: [net.http]',
        `config: { method: GET, url: "http://${host}/" }`,
      ]),
  ],
  [
    'a rye tool that needs two capabilities',
    'web/say',
    '.ai/tools/web/say.yaml',
    () =>
      rye([
        'tool_type: script',
        'executor_id: subprocess',
        'requires: [shell.execute, net.http]',
        'config: { command: echo, args: [hello] }',
      ]),
  ],
]

async function withCrib<T>(root: string, use: (crib: Crib) => Promise<T>): Promise<T> {
  const crib = await openCrib({
    root,
    env: { ...process.env, HOME: root, XDG_CONFIG_HOME: join(root, '.config') },
  })
  try {
    return await use(crib)
  } finally {
    await crib.close()
  }
}

it.each(cases)('the first hint is enough for %s', async (_, ref, file, text) => {
  const root = tempFolder()
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text())
  const refused = await withCrib(root, (crib) => crib.call(ref))
  expect(refused).toMatchObject({ ok: false, error: { code: 'CAPABILITY_DENIED' } })
  const line = /grants: \{.*\}/.exec(refused.ok ? '' : (refused.error.hint ?? ''))?.[0]
  expect(line).toBeDefined()
  writeFileSync(join(root, 'toolcrib.yaml'), `${line}\n`)
  expect(await withCrib(root, (crib) => crib.call(ref))).toMatchObject({ ok: true })
})

const python = (body: string) =>
  `__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "rye/core/runtimes/python/function"\n__category__ = "web"\n__tool_description__ = "Asks"\n__requires__ = ["net.http"]\nimport requests\ndef execute(params, project_path):\n    ${body}\n    return {"success": True}\n`

it.each([
  ['the host that the code names', 'requests.get("https://a.example/x")', ['net.http:a.example:443']],
  [
    'each with its port',
    'requests.get("http://b.example"); requests.get("https://a.example:8443")',
    ['net.http:a.example:8443', 'net.http:b.example:80'],
  ],
  ['any host where one comes from a parameter', 'requests.get("https://" + params["at"])', ['net.http']],
  ['no host that hands out keys', 'requests.get("http://169.254.169.254/latest")', ['net.http']],
])('the hint, `why` and `grants` propose %s', async (_, body, proposed) => {
  verifies('L8')
  const root = tempFolder({ '.ai/tools/web/ask.py': python(body) })
  await withCrib(root, async (crib) => {
    const outcome = await crib.call('web/ask')
    const error = outcome.ok ? undefined : outcome.error
    expect(error).toMatchObject({ code: 'CAPABILITY_DENIED', details: { grants: proposed } })
    for (const grant of proposed) expect(error!.hint).toContain(grant)
    const [refusal] = await crib.refusals('web/ask', {})
    expect(refusal).toMatchObject({ details: { grants: proposed } })
    expect(await grantProposals(crib)).toMatchObject([{ tool: 'web/ask', grants: proposed }])
  })
})
