import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { toolDocument } from '../../../formats/tool-code/fixture.ts'
import { servedCrib } from '../fixtures/served-crib.ts'

const source =
  'export const execute = (_input, context) => ({ sum: context.config.size, config: context.config })'

function configurable(fields: object[], more: Record<string, unknown> = {}): string {
  return JSON.stringify(
    toolDocument({
      code: { language: 'javascript', source },
      output_schema: {},
      examples: [],
      ui_schema: { configurable: true, description: 'How to add.', config_fields: fields },
      ...more,
    }),
  )
}

const size = {
  key: 'size',
  label: 'Size',
  type: 'number',
  ui_type: 'number',
  default_value: 3,
  validation: { min: 1, max: 10 },
}

it('the form shows fields, defaults and saved values; saving is one breadcrumb that is replaced', async () => {
  verifies('C100', 'C103')
  const crib = await servedCrib({
    files: { 'crumbs/adder.json': configurable([size, { key: 'note', label: 'Note', type: 'string' }]) },
  })
  const path = '/api/tools/adder/config'
  const empty = await crib.ask('GET', path)
  expect(empty).toMatchObject({
    status: 200,
    body: {
      tool: 'adder',
      configurable: true,
      message: null,
      description: 'How to add.',
      fields: [{ key: 'size', min: 1, max: 10 }, { key: 'note' }],
      values: { size: 3 },
      saved: null,
      id: null,
      version: null,
    },
  })
  const saved = await crib.ask('PUT', path, { config: { size: 7 } })
  expect(saved).toMatchObject({ status: 200, body: { ok: true, version: 1 } })
  const again = await crib.ask('PUT', path, { config: { size: 8 } }, { headers: { 'if-match': '"1"' } })
  expect(again).toMatchObject({ status: 200, body: { id: saved.body.id, version: 2 } })
  const stale = await crib.ask('PUT', path, { config: { size: 9 } }, { headers: { 'if-match': '1' } })
  expect(stale).toMatchObject({ status: 412, body: { code: 'VERSION_MISMATCH', current_version: 2 } })
  expect(await crib.ask('GET', `/breadcrumbs/${saved.body.id}/full`)).toMatchObject({
    body: {
      title: 'adder Configuration',
      schema_name: 'tool.config.v1',
      tags: ['tool:config', 'tool:adder', 'tool:config:adder', 'workspace:tools'],
      context: { tool_name: 'adder', config: { size: 8 }, last_updated: expect.any(String) },
    },
  })
  const shown = await crib.ask('GET', path)
  expect(shown.body).toMatchObject({ values: { size: 8 }, saved: { size: 8 }, version: 2 })
  expect(shown.headers.get('etag')).toBe('"2"')
  const called = await crib.ask('POST', '/api/tools/adder/call', { params: { a: 1 } })
  expect(called.body).toMatchObject({ ok: true, value: { sum: 8 } })
})

it('settings saved under the older tags are found too', async () => {
  verifies('C103')
  const crib = await servedCrib({ files: { 'crumbs/adder.json': configurable([size]) } })
  await crib.ask('POST', '/breadcrumbs', {
    title: 'old',
    schema_name: 'tool.config.v1',
    tags: ['tool:config', 'tool:adder'],
    context: { tool_name: 'adder', config: { size: 2 } },
  })
  expect((await crib.ask('GET', '/api/tools/adder/config')).body).toMatchObject({
    values: { size: 2 },
    version: 1,
  })
})

it('wrong values are refused with one message a field, by the form and by the store', async () => {
  verifies('C102', 'C103', 'C-case-61')
  const fields = [
    size,
    { key: 'name', label: 'Name', type: 'string', required: true },
    { key: 'word', label: 'Word', type: 'string', validation: { pattern: '^[a-z]+$' } },
    { key: 'mode', label: 'Mode', type: 'string', required: true, default_value: 'fast' },
  ]
  const crib = await servedCrib({ files: { 'crumbs/adder.json': configurable(fields) } })
  const wrong = { config: { size: 11, word: 'A1' } }
  const refused = await crib.ask('PUT', '/api/tools/adder/config', wrong)
  expect(refused.status).toBe(422)
  expect(refused.body.errors).toEqual([
    { pointer: '/context/config/size', message: 'Size must be at most 10' },
    { pointer: '/context/config/name', message: 'Name is required' },
    { pointer: '/context/config/word', message: 'Word format is invalid' },
  ])
  const low = await crib.ask('PUT', '/api/tools/adder/config', { config: { size: 0, name: 'x' } })
  expect(low.body.errors).toEqual([{ pointer: '/context/config/size', message: 'Size must be at least 1' }])
  const direct = await crib.ask('POST', '/breadcrumbs', {
    title: 'direct',
    schema_name: 'tool.config.v1',
    tags: ['tool:config', 'tool:adder'],
    context: { tool_name: 'adder', ...wrong },
  })
  expect(direct).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('Size must be at most 10') },
  })
  expect((await crib.ask('GET', '/breadcrumbs?schema_name=tool.config.v1')).body).toEqual([])
  for (const body of [{}, [], { config: [] }])
    expect((await crib.ask('PUT', '/api/tools/adder/config', body)).status).toBeGreaterThanOrEqual(400)
})

it('a tool without settings says so', async () => {
  verifies('C102')
  const crib = await servedCrib({
    files: {
      'crumbs/none.json': JSON.stringify(toolDocument({ name: 'none' })),
      'crumbs/off.json': JSON.stringify(
        toolDocument({ name: 'off', ui_schema: { configurable: false, config_fields: [size] } }),
      ),
      'crumbs/empty.json': JSON.stringify(toolDocument({ name: 'empty', ui_schema: { configurable: true } })),
    },
  })
  const messageOf = async (tool: string) => (await crib.ask('GET', `/api/tools/${tool}/config`)).body.message
  expect(await messageOf('none')).toBe('This tool has no configurable options.')
  expect(await messageOf('off')).toBe('This tool has no configurable options.')
  expect(await messageOf('empty')).toBe('No configuration fields defined for this tool.')
  expect((await crib.ask('PUT', '/api/tools/none/config', { config: {} })).status).toBe(422)
  expect((await crib.ask('GET', '/api/tools/unknown/config')).status).toBe(404)
})

it('choices are static, found among breadcrumbs, or fetched where the tool may go', async () => {
  verifies('C101')
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end('[{"v":1,"l":"One"},{"v":2},{"x":3}]'),
  ).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const select = (key: string, more: object) => ({
    key,
    label: key,
    type: 'string',
    ui_type: 'select',
    ...more,
  })
  const api = { type: 'api', url: `http://127.0.0.1:${port}/list`, value_field: 'v', label_field: 'l' }
  const fields = [
    select('static', { options: [{ value: 'x', label: 'X' }], options_source: api }),
    select('found', {
      options_source: {
        type: 'breadcrumb-search',
        schema_name: 'models.v1',
        tag: 'models',
        value_path: '$.context.models[*].id',
        label_path: '$.context.models[*].name',
      },
    }),
    select('fetched', { options_source: api }),
    { key: 'level', label: 'Level', type: 'number', ui_type: 'slider' },
    { key: 'key', label: 'Key', type: 'secret', ui_type: 'secret-select', secret_name: 'WANTED' },
  ]
  const crib = await servedCrib({
    files: {
      'crumbs/adder.json': configurable(fields),
      'crumbs/closed.json': configurable([fields[2]!], { name: 'closed' }),
    },
    config: { tools: { adder: { network: [`127.0.0.1:${port}`] } } },
  })
  await crib.ask('POST', '/breadcrumbs', {
    title: 'Models',
    schema_name: 'models.v1',
    tags: ['models'],
    context: { models: [{ id: 'a', name: 'Model A' }, { id: 'b' }] },
  })
  await crib.ask('POST', '/secrets', { name: 'ANOTHER', value: 'secret-value' })
  const { id } = (await crib.ask('POST', '/secrets', { name: 'WANTED', value: 'secret-value' })).body
  await crib.ask('PUT', '/api/tools/adder/config', { config: { level: 0 } })
  const { body } = await crib.ask('GET', '/api/tools/adder/config')
  const choices = body.fields.map((field: { choices?: unknown }) => field.choices)
  expect(choices[0]).toEqual([{ value: 'x', label: 'X' }])
  expect(choices[1]).toEqual([
    { value: 'a', label: 'Model A' },
    { value: 'b', label: 'b' },
  ])
  expect(choices[2]).toEqual([
    { value: 1, label: 'One' },
    { value: 2, label: '2' },
  ])
  expect(body.fields[3]).toMatchObject({ min: 0, max: 100, step: 1 })
  expect(body.values.level).toBe(0)
  expect(choices[4].map(({ label }: { label: string }) => label)).toEqual(['WANTED', 'ANOTHER'])
  expect(choices[4][0].value).toBe(id)
  expect(JSON.stringify(body)).not.toContain('secret-value')
  const closed = await crib.ask('GET', '/api/tools/closed/config')
  expect(closed.body.fields[0]).toMatchObject({
    choices: [],
    choices_error: expect.stringContaining('network'),
  })
})
