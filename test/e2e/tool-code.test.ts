// Tools of the format tool-code through the whole crib: files in, calls through every guard, Deno, store.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { toolDocument } from '../../src/formats/tool-code/fixture.ts'
import { runExamples } from '../../src/surfaces/examples/run-examples.ts'
import type { JsonObject } from '../../src/tool/json.ts'
import { libraryPrincipal } from '../../src/tool/principal.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'

const exampleCrumbs = fileURLToPath(new URL('../../examples/crumbs', import.meta.url))

async function cribOf(
  documents: { readonly [path: string]: JsonObject },
  config: object = {},
): Promise<Crib> {
  const root = tempFolder(
    Object.fromEntries(Object.entries(documents).map(([path, document]) => [path, JSON.stringify(document)])),
  )
  const crib = await openCrib({
    root,
    cache: false,
    config: config as never,
    env: { HOME: root, PATH: process.env['PATH'] ?? '' },
  })
  onTestFinished(() => crib.close())
  return crib
}

function withSource(source: string, context: Record<string, unknown> = {}) {
  return toolDocument({ code: { language: 'typescript', source }, ...context })
}

describe('a call', () => {
  it('gets the defaults of its schema, and leaves the object of the caller alone', async () => {
    verifies('C42', 'C-case-14')
    const crib = await cribOf({ 'crumbs/adder.json': toolDocument() })
    const params = { a: 1 }
    expect(await crib.call('adder', params)).toMatchObject({ ok: true, value: { sum: 6 } })
    expect(params).toEqual({ a: 1 })
  })

  it('with wrong input does not reach execute; a wrong result is named with its path', async () => {
    verifies('C42', 'C-case-15')
    const crib = await cribOf({
      'in.json': withSource('throw new Error("loaded")\nexport const execute = () => 1', { name: 'in' }),
      'out.json': withSource('export const execute = () => ({})', { name: 'out' }),
    })
    const wrong = await crib.call('in', { a: 'x', b: 'y' })
    const fault = (path: string, keyword: string) => ({ path, keyword, message: expect.any(String) })
    expect(wrong).toMatchObject({
      ok: false,
      error: { code: 'PARAMS_INVALID', details: { violations: [fault('/a', 'type'), fault('/b', 'type')] } },
    })
    const lacking = await crib.call('out', { a: 1 })
    expect(lacking).toMatchObject({
      ok: false,
      error: { code: 'RESULT_INVALID', details: { violations: [fault('/sum', 'required')] } },
    })
  })

  it('counts its time from dispatch, not from the wait for its worker', async () => {
    verifies('C40')
    const crib = await cribOf({
      'slow.json': withSource(
        'await new Promise((r) => setTimeout(r, 700))\nexport const execute = () => ({ sum: 1 })',
        {
          limits: { memory_mb: 64, timeout_ms: 500, cpu_percent: 100 },
        },
      ),
    })
    expect(await crib.call('adder', { a: 1 })).toMatchObject({ ok: true })
  })

  it('says what was enforced, layer by layer', async () => {
    verifies('C121')
    const crib = await cribOf({ 'a.json': toolDocument() })
    const { enforcement } = await crib.call('adder', { a: 1 })
    expect(enforcement.layers).toContain('deno')
    expect(enforcement.dimensions).toMatchObject({
      time: 'enforced',
      output: 'enforced',
      store: 'enforced',
      network: 'enforced',
      read: 'enforced',
      heap: 'enforced',
    })
    expect(['enforced', 'partial', 'advisory']).toContain(enforcement.dimensions['memory'])
  })

  it('of a tool with problems is refused with the first of them', async () => {
    const crib = await cribOf({ 'a.json': withSource('export const nothing = 1') })
    expect(await crib.call('adder', {})).toMatchObject({ ok: false, error: { code: 'TOOL_INVALID' } })
  })

  it('may call a tool of any format it names', async () => {
    verifies('C24', 'C50')
    const crib = await cribOf({
      'a.json': withSource(
        'export const execute = async (input, { api }) => ({ sum: (await api.callTool("host-side", input)).doubled })',
        {
          permissions: { tools: ['host-side'] },
        },
      ),
    })
    crib.addTool({ id: 'host-side', fn: (params) => ({ doubled: (params as { a: number }).a * 2 }) })
    expect(await crib.call('adder', { a: 4 })).toMatchObject({ ok: true, value: { sum: 8 } })
  })
})

describe('permissions and secrets', () => {
  it('a network that is not granted is denied before anything starts', async () => {
    verifies('C25')
    const crib = await cribOf({ 'a.json': toolDocument({ permissions: { network: true } }) })
    const outcome = await crib.call('adder', { a: 1 })
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'CAPABILITY_DENIED', hint: expect.stringContaining('net.http') },
    })
    expect(crib.supervisor.running).toBe(0)
  })

  it('a missing secret is named and execute is not called', async () => {
    verifies('C52', 'C-case-30')
    const crib = await cribOf({
      'a.json': withSource('throw new Error("loaded")\nexport const execute = () => 1', {
        required_secrets: ['A_KEY', 'B_KEY'],
      }),
    })
    const outcome = await crib.call('adder', { a: 1 })
    expect(outcome).toMatchObject({ ok: false, error: { code: 'SECRET_MISSING' } })
    expect(JSON.stringify(outcome)).toMatch(/A_KEY.*B_KEY/)
  })

  it('the store opens to those who may, and writes are seen by the next reader', async () => {
    verifies('C51', 'C-case-27')
    const source =
      'export const execute = async (input, { api }) => { const made = await api.createBreadcrumb({ title: "n", schema_name: "note.v1", context: { n: input.a } }); return { sum: (await api.getBreadcrumb(made.id)).context.n } }'
    const crib = await cribOf({
      'closed.json': withSource(source, { name: 'closed' }),
      'open.json': withSource(source, {
        name: 'open',
        permissions: { breadcrumbs: { read: ['note.*'], write: ['note.v1'] } },
      }),
    })
    expect(await crib.call('closed', { a: 3 })).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED', message: expect.stringMatching(/^Failed to create breadcrumb: 403 - /) },
    })
    expect(await crib.call('open', { a: 3 })).toMatchObject({ ok: true, value: { sum: 3 } })
  })
})

describe('loading', () => {
  it('takes the higher of two versions', async () => {
    verifies('C4', 'C-case-10')
    const crib = await cribOf({
      'a.json': withSource('export const execute = () => ({ sum: 19 })', { version: '1.9.0' }),
      'b.json': withSource('export const execute = () => ({ sum: 110 })', { version: '1.10.0' }),
    })
    expect(await crib.call('adder', { a: 1 })).toMatchObject({ ok: true, value: { sum: 110 } })
  })

  it('a missing tag is a warning, and an error under --strict', async () => {
    verifies('C-case-3')
    const crib = await cribOf({
      'a.json': toolDocument({}, { tags: ['tool', 'tool:adder', 'workspace:tools'] }),
    })
    expect((await crib.check()).ok).toBe(true)
    const strict = await crib.check({ strict: true })
    expect(strict).toMatchObject({ ok: false, problems: [{ code: 'tc-tag-missing', severity: 'error' }] })
  })

  it('without Deno the tools stay listed as unavailable, and calls say what is missing', async () => {
    verifies('C30', 'C-case-62')
    const crib = await cribOf({ 'a.json': toolDocument() }, { deno: { path: '/nowhere/deno' } })
    expect(crib.list({ all: true }).filter((tool) => tool.id === 'adder')).toMatchObject([
      { state: 'unavailable', reason: expect.stringContaining('/nowhere/deno') },
    ])
    expect(await crib.call('adder', { a: 1 })).toMatchObject({
      ok: false,
      error: { code: 'RUNTIME_MISSING' },
    })
    crib.addTool({ id: 'other', fn: () => 1 })
    expect(await crib.call('other')).toMatchObject({ ok: true, value: 1 })
  })
})

describe('examples', () => {
  it('are run for real and compared exactly, with the path of the first difference', async () => {
    verifies('C120', 'C-case-62')
    const crib = await cribOf({
      'a.json': toolDocument({
        examples: [
          { description: 'right', input: { a: 1, b: 2 }, output: { sum: 3 } },
          { description: 'wrong', input: { a: 0.1, b: 0.2 }, output: { sum: 0.3 } },
          { description: 'by schema', input: { a: 1 }, output: { sum: 99 }, match: 'schema' },
        ],
      }),
      'forever.json': withSource('export const execute = () => new Promise(() => {})', {
        name: 'forever',
        bootstrap: { enabled: true, mode: 'continuous', input: { a: 1 } },
      }),
      'secret.json': toolDocument({ name: 'secret', required_secrets: ['NOT_THERE'] }),
    })
    const tools = crib.list().filter((tool) => tool.format === 'tool-code' && tool.tier !== 'system')
    const report = await runExamples(crib, tools, { principal: libraryPrincipal })
    expect(report).toMatchObject({ passed: 2, failed: 1, skipped: 2 })
    expect(report.results.find((result) => !result.ok)).toMatchObject({
      example: 'wrong',
      path: '/sum',
      expected: 0.3,
      actual: 0.30000000000000004,
    })
  })
})

describe('the example crumbs', () => {
  async function exampleCrib(): Promise<Crib> {
    const root = tempFolder()
    // All of it: toolcrib.yaml names tools of every part.
    cpSync(join(exampleCrumbs, '..'), root, {
      recursive: true,
      filter: (path) => !path.includes('/.toolcrib'),
    })
    const crib = await openCrib({ root, cache: false, env: { HOME: root, PATH: process.env['PATH'] ?? '' } })
    onTestFinished(() => crib.close())
    return crib
  }

  it('have no problem, also under --strict, and their examples pass', async () => {
    verifies('C120')
    const crib = await exampleCrib()
    const paths = ['crumbs', 'toolcrib.yaml'].map((part) => join(crib.root, part))
    expect((await crib.check({ strict: true, paths })).problems).toEqual([])
    const tools = crib.list().filter((tool) => tool.format === 'tool-code' && tool.tier !== 'system')
    expect(tools.map((tool) => tool.id)).toEqual([
      'calculator',
      'health_monitor',
      'openrouter_models_sync',
      'order_ledger',
      'order_place',
      'order_price',
      'scheduler',
    ])
    const report = await runExamples(crib, tools, { principal: libraryPrincipal })
    expect(report.results.filter((result) => !result.ok)).toEqual([])
    expect(report).toMatchObject({ passed: 10, skipped: 2 })
  })

  it('start in the order of their bootstrap, and an order runs through the three tools', async () => {
    verifies('C-case-43')
    const crib = await exampleCrib()
    await crib.startEngines()
    const report = await eventually(
      crib,
      'system.bootstrap.v1',
      (context) => Array.isArray(context['order']) && context['order'].length === 3,
    )
    expect(report['order']).toEqual(['scheduler', 'health_monitor', 'openrouter_models_sync'])
    // D2: `npm start` asks the network for nothing, so it has nothing to warn of.
    expect(await eventually(crib, 'models.catalog.v1', () => true)).toMatchObject({ source: 'shipped' })
    const [sync] = (await crib.crumbs.runs.list({ tool: 'openrouter_models_sync', limit: 1 })).runs
    expect(await crib.crumbs.runs.find(sync!.runId)).toMatchObject({ logs: [] })
    expect(await crib.call('order_place', { item: 'pencil', quantity: 10 })).toMatchObject({ ok: true })
    // The schedule may have placed small orders meanwhile; ten pencils cost 810.
    const ledger = await eventually(
      crib,
      'order.ledger.v1',
      (context) => ((context['by_item'] as Record<string, number>)['pencil'] ?? 0) >= 810,
    )
    expect(ledger['orders']).toBeGreaterThanOrEqual(1)
  })

  /** The context of the first crumb of a schema that satisfies, once there is one. */
  async function eventually(
    crib: Crib,
    schema: string,
    satisfies: (context: Record<string, unknown>) => boolean,
  ) {
    let found: Record<string, unknown> | undefined
    await expect
      .poll(
        async () => {
          const { items } = await crib.crumbs.list({ schema, includeContext: true })
          found = items.map((item) => item.context as Record<string, unknown>).find(satisfies)
          return found !== undefined
        },
        { timeout: 20_000, interval: 50 },
      )
      .toBe(true)
    return found!
  }
})
