// What a foreign server says reaches a client as it came: definitions, content, names; and odd definitions stay usable.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { rawClient } from '../../surfaces/mcp/fixtures/raw-client.ts'
import { jsonDigest } from '../../tool/json.ts'

const server = new URL('./fixtures/odd-server.mjs', import.meta.url)
const { tools, results } = (await import(server.href)) as {
  readonly tools: readonly { readonly name: string }[]
  readonly results: { readonly [name: string]: { readonly [key: string]: unknown } }
}

let root: string
let crib: Crib

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pass-on-'))
  copyFileSync(fileURLToPath(server), join(root, 'odd-server.mjs'))
})

afterEach(async () => {
  await crib?.close()
  rmSync(root, { recursive: true, force: true })
})

async function open(config: object = {}): Promise<Crib> {
  const servers = { Odd: { command: 'node', args: ['odd-server.mjs'] } }
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
  crib = await openCrib({ root, env: { HOME: root }, config })
  await crib.discover()
  return crib
}

type Definition = { [key: string]: unknown; name: string; _meta: { [key: string]: unknown } }

async function listed(): Promise<Definition[]> {
  const client = await rawClient(crib)
  const { result } = await client.ask('tools/list')
  return result!['tools'] as never as Definition[]
}

/** A definition without what the crib adds to it. */
function asServed({ _meta, ...rest }: Definition): object {
  const { 'toolcrib/id': _i, 'toolcrib/format': _f, ...meta } = _meta
  return { ...rest, ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) }
}

describe('definitions', () => {
  it('keep every field, also those nobody knows', async () => {
    verifies('U2', 'U3b')
    await open()
    const all = await listed()
    for (const tool of tools.filter(({ name }) => !['choice', 'senseless', 'read.file'].includes(name))) {
      const served = all.find(({ name }) => name === `Odd-${tool.name}`)
      expect(served && asServed(served)).toEqual({ ...tool, name: `Odd-${tool.name}` })
    }
  })

  it('that are odd in a part are offered with a note, and their server judges', async () => {
    verifies('U2a')
    await open()
    expect(crib.find('Odd-empty-enum')).toMatchObject({
      state: 'available',
      problems: [{ code: 'mcp-schema-invalid', severity: 'warning' }],
    })
    expect(await crib.call('Odd-empty-enum', { a: 1, b: 'x' })).toMatchObject({
      value: 'empty-enum {"a":1,"b":"x"}',
    })
    expect(await crib.call('Odd-empty-enum', { a: 1 })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    expect(await crib.call('Odd-bad-type', { a: 1 })).toMatchObject({ value: 'bad-type {"a":1}' })
    expect(await crib.call('Odd-senseless', { a: 1 })).toMatchObject({ value: 'senseless {"a":1}' })
  })

  it('leave required properties that have a default to the server', async () => {
    verifies('U3c')
    await open()
    expect(await crib.call('Odd-zod', { name: 'x' })).toMatchObject({ value: 'zod {"name":"x"}' })
    expect(await crib.call('Odd-zod', {})).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
  })

  it('have an object at the root for clients, and are checked in full at the call', async () => {
    verifies('U3c')
    await open()
    const choice = (await listed()).find(({ name }) => name === 'Odd-choice')
    expect(choice?.['inputSchema']).toEqual({
      type: 'object',
      properties: {
        url: { type: 'string' },
        kind: { anyOf: [{ const: 'web' }, { const: 'file' }] },
        path: { type: 'string' },
      },
      required: ['kind'],
    })
    expect(await crib.call('Odd-choice', { kind: 'web' })).toMatchObject({
      error: { code: 'PARAMS_INVALID' },
    })
    expect(await crib.call('Odd-choice', { kind: 'web', url: 'x' })).toMatchObject({ ok: true })
  })
})

describe('names', () => {
  it('of 0.1.0 still lead to the tool, in calls, patterns and allowed tools', async () => {
    verifies('U3b')
    await open({ approve: ['odd-whole-*'] })
    expect(crib.find('odd-whole-definition').id).toBe('Odd-Whole_Definition')
    expect(crib.find('mcp:odd-whole-definition').id).toBe('Odd-Whole_Definition')
    expect(crib.find('mcp://odd/whole-definition').id).toBe('Odd-Whole_Definition')
    expect(crib.find('mcp://Odd/Whole_Definition').id).toBe('Odd-Whole_Definition')
    const refused = await crib.refusals('Odd-Whole_Definition', {})
    expect(refused).toContainEqual(expect.objectContaining({ check: 'approve' }))
  })

  it('that become the same are told apart, the unchanged one first', async () => {
    verifies('U3b')
    await open()
    expect(crib.find('Odd-read_file').runtime?.plan).toMatchObject({ tool: 'read_file' })
    expect(crib.find('Odd/read.file').id).toMatch(/^Odd-read_file-[0-9a-f]{8}$/)
    expect(await crib.call('Odd/read.file', {})).toMatchObject({ value: 'read.file {}' })
  })

  it('in a lock of 0.1.0 pin the tool, and its drift is seen', async () => {
    verifies('U3b')
    await open()
    crib.lock.pinAll({ programs: false, keepServers: [] })
    const file = join(root, 'toolcrib.lock')
    const lock = JSON.parse(readFileSync(file, 'utf8'))
    const { 'mcp:Odd-Whole_Definition': pin, ...others } = lock.tools
    delete pin.tool.facts.more
    pin.definition = jsonDigest(pin.tool)
    writeFileSync(file, JSON.stringify({ ...lock, tools: { ...others, 'mcp:odd-whole-definition': pin } }))
    await crib.close()
    await open()
    expect(await crib.call('Odd-Whole_Definition', {})).toMatchObject({ ok: true })
    pin.tool.description = 'Something else was approved'
    pin.definition = jsonDigest(pin.tool)
    writeFileSync(file, JSON.stringify({ ...lock, tools: { ...others, 'mcp:odd-whole-definition': pin } }))
    await crib.close()
    await open()
    expect(await crib.call('Odd-Whole_Definition', {})).toMatchObject({ error: { code: 'TRUST_DRIFT' } })
  })
})

describe('results', () => {
  it.each(['Whole_Definition', 'blocks', 'lines'])('of %s are the same byte for byte', async (name) => {
    verifies('U2', 'U3a')
    await open()
    const client = await rawClient(crib)
    const { result } = await client.ask('tools/call', { name: `Odd-${name}`, arguments: {} })
    const { _meta, ...rest } = result as { _meta: object }
    const meta = Object.fromEntries(Object.entries(_meta).filter(([key]) => !key.startsWith('toolcrib/')))
    const expected = results[name]!
    expect({ ...rest, ...(expected['_meta'] ? { _meta: meta } : {}) }).toEqual(expected)
  })

  it('that are failures keep their blocks and their structure', async () => {
    verifies('U3a')
    await open()
    const client = await rawClient(crib)
    const { result } = await client.ask('tools/call', { name: 'Odd-fail', arguments: {} })
    const { content, structuredContent } = results['fail']!
    expect(result).toMatchObject({ isError: true, content, structuredContent })
    expect(result!['_meta']).toMatchObject({
      'vendor/trace': 'x',
      'toolcrib/runId': expect.not.stringContaining('not mine'),
      'toolcrib/error': { code: 'TOOL_FAILED', message: 'broken' },
    })
  })

  it('that are failures get no structure that their server did not give', async () => {
    verifies('U3a')
    await open()
    const client = await rawClient(crib)
    const { result } = await client.ask('tools/call', { name: 'Odd-plain-fail', arguments: {} })
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'no' }] })
    expect(result).not.toHaveProperty('structuredContent')
  })

  it('are text for a program where they are text, and the structure where there is one', async () => {
    await open()
    expect(await crib.call('Odd-lines', {})).toMatchObject({ value: 'first\nsecond' })
    expect(await crib.call('Odd-Whole_Definition', {})).toMatchObject({ value: { content: 'one\ntwo' } })
  })
})
