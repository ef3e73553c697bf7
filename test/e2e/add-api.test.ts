// `toolcrib add` of an OpenAPI document: what it shows, what it writes, and that the tools are there afterwards.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const document = `openapi: 3.0.3
info: { title: Pets, version: 1.0.0 }
servers: [{ url: https://pets.example.com/v1 }]
security: [{ token: [] }]
paths:
  /pets:
    get: { operationId: list, tags: [animals], responses: { "200": { description: all } } }
    post: { operationId: make, responses: { "201": { description: made } } }
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
`

it('shows hosts, log-in and operations by tag, and writes document and grant', async () => {
  verifies('D12', 'U14')
  const root = tempFolder({ 'pets.yaml': document, 'toolcrib.yaml': '# mine\ntrust: warn\n' })
  const looked = await toolcrib(['add', 'pets.yaml', '--dry-run'], { cwd: root })
  expect(looked.stderr).toContain('2 operations (animals 1, without a tag 1)')
  expect(looked.stderr).toContain('Hosts: pets.example.com')
  expect(looked.stderr).toContain('toolcrib secrets set PETS_TOKEN')
  expect(existsSync(join(root, 'apis'))).toBe(false)
  const { json } = await toolcrib(['add', 'pets.yaml', '--yes', '--json'], { cwd: root })
  expect(json).toMatchObject({
    files: [join(root, 'apis/pets.openapi.yaml'), join(root, 'toolcrib.yaml')],
    tools: ['pets/list', 'pets/make'],
  })
  expect(readFileSync(join(root, 'toolcrib.yaml'), 'utf8')).toMatch(
    /^# mine\n.*net\.http:pets\.example\.com/s,
  )
  const dry = await toolcrib(['why', 'pets/list'], { cwd: root })
  expect(dry.stdout).toContain('PETS_TOKEN')
  writeFileSync(join(root, 'pets.yaml'), document.replace('Pets', 'Other pets'))
  const again = await toolcrib(['add', 'pets.yaml', '--yes'], { cwd: root })
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already') })
}, 60_000)

/** A host that serves API documents and answers their requests with what was asked. */
async function apiHost(documents: { readonly [path: string]: object }): Promise<string> {
  const server = createServer((request, response) => {
    const found = documents[request.url!]
    const key = request.headers['x-key']
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(found ?? { asked: request.url, key }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const paths = {
  '/a': {
    get: { operationId: 'getA', tags: ['x'], responses: { 200: { description: 'ok' } } },
    delete: { operationId: 'deleteA', tags: ['y'], responses: { 200: { description: 'ok' } } },
  },
}
const info = { title: 'T', version: '1' }
const key = { type: 'apiKey', in: 'header', name: 'x-key' }

it.each([
  [
    'OpenAPI 3.0',
    {
      openapi: '3.0.3',
      info,
      servers: [{ url: '/v1' }],
      paths,
      security: [{ key: [] }],
      components: { securitySchemes: { key } },
    },
  ],
  [
    'OpenAPI 3.1',
    {
      openapi: '3.1.0',
      info,
      servers: [{ url: '../v1' }],
      paths,
      security: [{ key: [] }],
      components: { securitySchemes: { key } },
    },
  ],
  [
    'Swagger 2.0',
    {
      swagger: '2.0',
      info,
      basePath: '/v1',
      schemes: ['http'],
      paths,
      security: [{ key: [] }],
      securityDefinitions: { key },
    },
  ],
])(
  'takes %s in by its address, in a folder nobody accepted before, and the tool answers',
  async (_, api) => {
    verifies('D12', 'U14')
    const host = await apiHost({ '/docs/openapi.json': api })
    const cwd = tempFolder()
    const env = { TOOLCRIB_TRUST_FOLDER: '0' }
    const { json, code } = await toolcrib(
      ['add', `${host}/docs/openapi.json`, '--id', 'shop', '--include', 'GET /**', '--yes', '--json'],
      { cwd, env },
    )
    expect({ code, tools: json.tools }).toEqual({ code: 0, tools: ['shop/getA'] })
    expect(readFileSync(join(cwd, 'toolcrib.yaml'), 'utf8')).toContain(`server: ${host}/v1`)
    await toolcrib(['secrets', 'set', 'SHOP_KEY'], { cwd, env, input: 'sesame' })
    const ran = await toolcrib(['run', 'shop/getA', '--json'], { cwd, env })
    expect(ran.json).toMatchObject({ ok: true, value: { asked: '/v1/a', key: '[secret:SHOP_KEY]' } })
    const other = await toolcrib(['run', 'shop/deleteA', '--json'], { cwd, env })
    expect(other.json.error.code).toBe('TOOL_NOT_FOUND')
  },
  60_000,
)

it('an address with no document behind it writes nothing', async () => {
  verifies('D12')
  const host = await apiHost({ '/openapi.json': { hello: 1 } })
  const cwd = tempFolder()
  const { json } = await toolcrib(['add', `${host}/openapi.json`, '--yes', '--json'], { cwd })
  expect(json.error).toMatchObject({
    code: 'TOOL_INVALID',
    message: expect.stringContaining('no OpenAPI document'),
  })
  const gone = await toolcrib(['add', 'http://127.0.0.1:9/openapi.json', '--yes', '--json'], { cwd })
  expect(gone.json.error).toMatchObject({ code: 'UPSTREAM_FAILED' })
  expect(existsSync(join(cwd, 'apis'))).toBe(false)
}, 60_000)
