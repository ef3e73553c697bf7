// `toolcrib add` of an OpenAPI document: what it shows, what it writes, and that the tools are there afterwards.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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
  verifies('U14')
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
  const again = await toolcrib(['add', 'pets.yaml', '--yes'], { cwd: root })
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already') })
}, 60_000)
