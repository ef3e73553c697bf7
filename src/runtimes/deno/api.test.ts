import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Json } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { openTestBed, type TestBed, toolOf } from './test-bed.ts'

let bed: TestBed
beforeAll(() => {
  bed = openTestBed()
})
afterAll(() => bed.close())
beforeEach(() => {
  bed.store.crumbs.clear()
  bed.store.config = {}
  bed.store.audit.length = 0
})

/** Runs one expression over `api`; gives its value or the error's code, status and message. */
async function ask(expression: string, permissions: object = {}, context: Record<string, unknown> = {}) {
  const source = `export async function execute(input, { api, config, request, secrets }) {
    try { return { value: await (${expression}) } } catch (e) { return { code: e.code, status: e.status, message: e.message } }
  }`
  const result = await bed.run(toolOf(source, { permissions, ...context }))
  if (result.error) throw new Error(`${result.error.code} ${result.error.message}`)
  return {
    ...(result.value as { value?: unknown; code?: string; status?: number; message?: string }),
    logs: result.logs,
  }
}

function put(id: string, schema_name: string | null, context: object = {}, more: object = {}) {
  bed.store.crumbs.set(id, {
    id,
    version: 1,
    schema_name,
    context: context as never,
    title: id,
    owner_id: 'local',
    ...more,
  })
}

describe('the store', () => {
  it('gives and takes crumbs however deeply they are nested', async () => {
    let deep: unknown = 'bottom'
    for (let level = 0; level < 190; level++) deep = [deep]
    put('c1', 'note.v1', { deep })
    const rights = { breadcrumbs: { read: ['note.v1'], write: ['note.v1'] } }
    const got = await ask('api.getBreadcrumb("c1", { full: true })', rights)
    expect(got.value).toMatchObject({ context: { deep } })
    const copy =
      'api.getBreadcrumb("c1", { full: true }).then((c) => api.createBreadcrumb({ title: "t", schema_name: "note.v1", context: c.context }))'
    expect(await ask(copy, rights)).toMatchObject({ value: { version: 1 } })
    expect([...bed.store.crumbs.values()].at(-1)).toMatchObject({ title: 't', context: { deep } })
  })

  it.each([
    ['{ title: "t", context: { n: 1n } }', 400, 'MALFORMED'],
    ['{ title: "t", context: { s: "x".repeat(5e6) } }', 413, 'BODY_TOO_LARGE'],
    ['{ title: "t", context: { s: "漢".repeat(2e6) } }', 413, 'BODY_TOO_LARGE'],
  ])('words what never left the worker as it words its own refusals: %s', async (body, status, code) => {
    verifies('C50')
    expect(await ask(`api.createBreadcrumb(${body})`)).toMatchObject({
      status,
      code,
      message: expect.stringMatching(new RegExp(`^Failed to create breadcrumb: ${status} - `)),
    })
  })

  it('takes a body up to the cap, whatever it is made of', async () => {
    verifies('C41')
    const create = (fill: string) =>
      `api.createBreadcrumb({ title: "t", schema_name: "a.v1", context: ${fill} })`
    for (const fill of ["'\"'.repeat(2_000_000)", "'漢'.repeat(1_300_000)"])
      expect(await ask(create(fill), { breadcrumbs: { write: ['a.v1'] } })).toMatchObject({
        value: { version: 1 },
      })
  })

  it('is closed without permission and open with it, though the network is not', async () => {
    verifies('C50', 'C51', 'C-case-27')
    const create = 'api.createBreadcrumb({ title: "t", schema_name: "note.v1", context: { a: 1 } })'
    expect(await ask(create)).toMatchObject({
      status: 403,
      code: 'CAPABILITY_DENIED',
      message: expect.stringMatching(/^Failed to create breadcrumb: 403 - /),
    })
    expect(bed.store.crumbs.size).toBe(0)
    expect(await ask(create, { network: false, breadcrumbs: { write: ['note.v1'] } })).toMatchObject({
      value: { id: 'crumb-1', version: 1 },
    })
    expect(bed.store.crumbs.get('crumb-1')).toMatchObject({ title: 't', context: { a: 1 } })
  })

  it.each([
    ['note.v1', true],
    ['note.deep.v1', true],
    ['notes.v1', false],
    ['note', false],
    [null, false],
  ])('read note.* covers %s: %s', async (schema, isReadable) => {
    verifies('C22', 'C51', 'C-case-28')
    put('c1', schema)
    const answer = await ask('api.getBreadcrumb("c1")', { breadcrumbs: { read: ['note.*'] } })
    expect(answer.status).toBe(isReadable ? undefined : 403)
  })

  it.each([
    'tool.code.v1',
    'tool.config.v1',
    'tool.request.v1',
    'tool.response.v1',
    'tool.error.v1',
    'schedule.definition.v1',
    'system.startup.v1',
  ])('write * does not cover %s, its exact name does', async (schema) => {
    verifies('C23', 'C-case-29')
    const create = `api.createBreadcrumb({ title: "t", schema_name: "${schema}", context: {} })`
    expect(
      await ask(create, { breadcrumbs: { write: ['*', 'tool.*', 'schedule.*', 'system.*'] } }),
    ).toMatchObject({ status: 403 })
    expect(await ask(create, { breadcrumbs: { write: [schema] } })).toMatchObject({ value: { version: 1 } })
  })

  it('a crumb without schema needs *', async () => {
    verifies('C22')
    const create = 'api.createBreadcrumb({ title: "t", context: {} })'
    expect(await ask(create, { breadcrumbs: { write: ['a.*'] } })).toMatchObject({ status: 403 })
    expect(await ask(create, { breadcrumbs: { write: ['*'] } })).toMatchObject({ value: { version: 1 } })
  })

  it('an update needs the right on the old and the new schema', async () => {
    verifies('C51')
    put('c1', 'a.v1')
    const move = 'api.updateBreadcrumb("c1", 1, { schema_name: "b.v1" })'
    expect(await ask(move, { breadcrumbs: { write: ['a.v1'] } })).toMatchObject({ status: 403 })
    expect(await ask(move, { breadcrumbs: { write: ['b.v1'] } })).toMatchObject({ status: 403 })
    expect(
      await ask('api.updateBreadcrumb("c1", 1, { schema_name: "tool.code.v1" })', {
        breadcrumbs: { write: ['*'] },
      }),
    ).toMatchObject({ status: 403 })
    expect(await ask(move, { breadcrumbs: { write: ['a.v1', 'b.v1'] } })).toMatchObject({
      value: { id: 'c1', version: 2 },
    })
  })

  it('a stale version is 412; an update without one wins with a warning', async () => {
    verifies('C50')
    put('c1', 'a.v1', {}, { version: 4 })
    const rights = { breadcrumbs: { write: ['a.v1'] } }
    expect(await ask('api.updateBreadcrumb("c1", 3, { title: "x" })', rights)).toMatchObject({
      status: 412,
      message: expect.stringMatching(/^Failed to update breadcrumb: 412 - /),
    })
    const { value, logs } = await ask('api.updateBreadcrumb("c1", { title: "x" })', rights)
    expect(value).toEqual({ id: 'c1', version: 5 })
    expect(logs).toMatchObject([{ level: 'warn', message: expect.stringContaining('without a version') }])
  })

  it('deletes with the right and the version', async () => {
    verifies('C50', 'C51')
    put('c1', 'a.v1', {}, { version: 2 })
    expect(await ask('api.deleteBreadcrumb("c1")')).toMatchObject({ status: 403 })
    expect(await ask('api.deleteBreadcrumb("c1", 1)', { breadcrumbs: { write: ['a.v1'] } })).toMatchObject({
      status: 412,
    })
    expect(
      (await ask('api.deleteBreadcrumb("c1", 2)', { breadcrumbs: { write: ['a.v1'] } })).status,
    ).toBeUndefined()
    expect(bed.store.crumbs.size).toBe(0)
  })

  it('a search gives only what may be read; a named schema that may not is 403', async () => {
    verifies('C51')
    put('c1', 'a.v1', { n: 1 }, { tags: ['x', 'y'] })
    put('c2', 'b.v1', { n: 2 }, { tags: ['x'] })
    put('c3', 'a.v1', { n: 3 }, { tags: ['x'] })
    put('c4', 'a.v1', { n: 4 }, { tags: ['x'], owner_id: 'somebody-else' })
    const rights = { breadcrumbs: { read: ['a.*'] } }
    expect(
      (await ask('api.searchBreadcrumbs({ tag: "x" }).then((l) => l.map((c) => c.context.n))', rights)).value,
    ).toEqual([1, 3])
    expect(
      (await ask('api.searchBreadcrumbs({ tags: ["x", "y"] }).then((l) => l.map((c) => c.id))', rights))
        .value,
    ).toEqual(['c1'])
    expect(await ask('api.searchBreadcrumbs({ schema_name: "b.v1" })', rights)).toMatchObject({ status: 403 })
    expect(
      (await ask('api.vectorSearch({ q: "a.v1", nn: 1 }).then((l) => l.map((c) => [c.id, c.score]))', rights))
        .value,
    ).toEqual([['c1', 1]])
    expect(await ask('api.vectorSearch({ qvec: [1, 2] })', rights)).toMatchObject({
      code: 'VECTOR_UNSUPPORTED',
      status: 422,
    })
  })

  it('a tool may always read its own settings and no others', async () => {
    verifies('C51')
    put('mine', 'tool.config.v1', { tool_name: 'tried', config: {} })
    put('other', 'tool.config.v1', { tool_name: 'other', config: { key: 1 } })
    expect(
      (await ask('api.getBreadcrumb("mine", { full: true }).then((c) => c.context.tool_name)')).value,
    ).toBe('tried')
    expect(await ask('api.getBreadcrumb("other")')).toMatchObject({ status: 403 })
    expect(
      (await ask('api.searchBreadcrumbs({ schema_name: "tool.config.v1" }).then((l) => l.map((c) => c.id))'))
        .value,
    ).toEqual(['mine'])
  })

  it.each([
    'api.getBreadcrumb("nope")',
    'api.getBreadcrumb()',
    'api.updateBreadcrumb("x", 1, "no")',
    'api.createBreadcrumb(5)',
    'api.createBreadcrumb({ context: 1n })',
  ])('a senseless request %s is refused, not a crash', async (expression) => {
    const answer = await ask(expression, { breadcrumbs: { read: ['*'], write: ['*'] } })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  })

  it('a body over the cap is refused', async () => {
    verifies('C41')
    expect(
      await ask('api.createBreadcrumb({ title: "t", schema_name: "a.v1", context: "x".repeat(4_300_000) })', {
        breadcrumbs: { write: ['a.v1'] },
      }),
    ).toMatchObject({ status: 413 })
  })

  it('the operator can add rights for one tool', async () => {
    verifies('C25')
    const own = openTestBed({ tools: { tried: { breadcrumbs: { write: ['note.v1'] }, tools: ['other'] } } })
    const tool = toolOf(
      'export const execute = async (i, { api }) => [await api.createBreadcrumb({ title: "t", schema_name: "note.v1", context: {} }), await api.callTool("other", {})]',
    )
    const { value } = await own.run(tool, {}, { invoke: async () => success('called') })
    await own.close()
    expect(value).toEqual([{ id: 'crumb-1', version: 1 }, 'called'])
  })
})

function success(value: unknown): Outcome {
  return { ok: true, value, logs: [], ms: 0, runId: 'x', enforcement: { layers: [], dimensions: {} } }
}

describe('calling tools', () => {
  const source =
    'export const execute = (input, { api }) => api.callTool(input.tool, { n: 1 }).catch((e) => ({ code: e.code, status: e.status, message: e.message }))'
  const tool = toolOf(source, { permissions: { tools: ['math.*', 'exact'] } })

  it.each([
    ['math.add', true],
    ['exact', true],
    ['exactly', false],
    ['mathematics', false],
  ])('%s is covered: %s', async (name, isCovered) => {
    verifies('C24', 'C50')
    const called: unknown[] = []
    const { value } = await bed.run(
      tool,
      { tool: name },
      {
        invoke: async (ref, args) => {
          called.push([ref, args])
          return success('out')
        },
      },
    )
    expect(called).toEqual(isCovered ? [[name, { n: 1 }]] : [])
    expect(value).toEqual(
      isCovered ? 'out' : { code: 'TOOL_NOT_ALLOWED', status: 403, message: expect.any(String) },
    )
  })

  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  it.each([
    ['a BigInt', 1n],
    ['a circle', circle],
  ])('%s as its output is an error of the call, which the host outlives', async (_, output) => {
    verifies('C50')
    const { value } = await bed.run(tool, { tool: 'exact' }, { invoke: async () => success(output) })
    expect(value).toMatchObject({ code: 'RESULT_INVALID', status: 422 })
  })

  it('details of a failure arrive however deeply they are nested', async () => {
    verifies('C50')
    let details: Json = 'bottom'
    for (let level = 0; level < 300; level++) details = [details]
    const outer = toolOf(
      'export const execute = (input, { api }) => api.callTool("exact", {}).catch((e) => e.details)',
      { permissions: { tools: ['exact'] } },
    )
    const invoke = async (): Promise<Outcome> => ({
      ...success(0),
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'broke', retryable: false, details },
    })
    expect((await bed.run(outer, {}, { invoke })).value).toEqual(details)
  })

  it('a failure is thrown with its code', async () => {
    const { value } = await bed.run(
      tool,
      { tool: 'exact' },
      {
        invoke: async () => ({
          ...success(0),
          ok: false,
          error: { code: 'TOOL_FAILED', message: 'broke', retryable: false },
        }),
      },
    )
    expect(value).toEqual({ code: 'TOOL_FAILED', status: 502, message: 'broke' })
  })
})

describe('secrets', () => {
  const source =
    'export const execute = (input, { secrets }) => { console.log("the key is " + secrets.API_KEY); return { all: secrets, inside: `Bearer ${secrets.API_KEY}` } }'

  it('a missing one refuses the run and names all that are missing', async () => {
    verifies('C52', 'C-case-30')
    const tool = toolOf('throw new Error("must not run")\nexport const execute = () => 1', {
      required_secrets: ['A_KEY', 'B_KEY', 'C_KEY'],
    })
    const { error } = await bed.run(tool, {}, { secrets: { B_KEY: 'x' } })
    expect(error).toMatchObject({ code: 'SECRET_MISSING', details: { missing: ['A_KEY', 'C_KEY'] } })
  })

  it('are given by name, and only those required', async () => {
    verifies('C52')
    const tool = toolOf('export const execute = (i, { secrets }) => Object.keys(secrets)', {
      required_secrets: ['API_KEY'],
    })
    expect((await bed.run(tool, {}, { secrets: { API_KEY: 'abc', OTHER: 'def' } })).value).toEqual([
      'API_KEY',
    ])
  })

  it('never leave the run by log, output or error', async () => {
    verifies('C56', 'C-case-31')
    const secrets = { API_KEY: 'sk-"very"\nsecret-123' }
    const tool = toolOf(source, { required_secrets: ['API_KEY'] })
    const { value, logs } = await bed.run(tool, {}, { secrets })
    expect(value).toEqual({ all: { API_KEY: '[secret:API_KEY]' }, inside: 'Bearer [secret:API_KEY]' })
    expect(logs.map((line) => line.message)).toEqual(['the key is [secret:API_KEY]'])
    const failing = toolOf(
      'export const execute = (i, { secrets }) => { throw new Error("bad " + secrets.API_KEY) }',
      { required_secrets: ['API_KEY'] },
    )
    const failed = await bed.run(failing, {}, { secrets })
    expect(failed.error!.message).toBe('bad [secret:API_KEY]')
    expect(JSON.stringify(failed)).not.toContain('very')
  })

  it('of several lines do not leave it either, however they are shown', async () => {
    verifies('C56')
    const body = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj']
    const secrets = {
      KEY: `-----BEGIN KEY-----\n${body.join('\n')}\n-----END KEY-----\n`,
      MIXED: `it's "both" \\ and\nmore`,
    }
    const show = `export const execute = async (i, { secrets }) => {
      console.log(secrets)
      console.dir({ secrets })
      Deno.stdout.writeSync(new TextEncoder().encode('key: ' + secrets.KEY))
      await new Promise((resolve) => setTimeout(resolve, 100))
      return 'through'
    }`
    const tool = toolOf(show, { required_secrets: ['KEY', 'MIXED'] })
    const { value, logs } = await bed.run(tool, {}, { secrets })
    expect(value).toBe('through')
    const text = logs.map((line) => line.message).join('\n')
    expect(text).toContain('[secret:KEY]')
    for (const part of [...body, 'both']) expect(text).not.toContain(part)
  })

  it('leave no beginning where a line or a message was cut', async () => {
    verifies('C56', 'C41')
    const secrets = { API_KEY: 'sk-0123456789abcdefghijklmnopqrstuvwxyz-0123456789' }
    const long = `export const execute = async (i, { secrets }) => {
      console.log('x'.repeat(8_170) + secrets.API_KEY)
      const raw = new TextEncoder().encode('x'.repeat(8_170) + secrets.API_KEY + '\\nnext\\n')
      Deno.stdout.writeSync(raw.subarray(0, 8_195))
      await new Promise((resolve) => setTimeout(resolve, 100))
      Deno.stdout.writeSync(raw.subarray(8_195))
      await new Promise((resolve) => setTimeout(resolve, 100))
      throw new Error('y'.repeat(8_170) + secrets.API_KEY)
    }`
    const { logs, error } = await bed.run(toolOf(long, { required_secrets: ['API_KEY'] }), {}, { secrets })
    const said = [...logs.map((line) => line.message), error!.message]
    expect(
      said.filter((line) => /\[secret:API_KEY\] \[(line )?cut\]$/.test(line)).length,
    ).toBeGreaterThanOrEqual(3)
    expect(said).toContain('next')
    for (const line of said) expect(line).not.toMatch(/sk-0123|uvwxyz/)
  })

  it('getSecret serves those required, configured or added, and audits the reason', async () => {
    verifies('C52', 'C56')
    for (const name of ['REQUIRED', 'CONFIGURED', 'ADDED', 'FOREIGN'])
      bed.store.secrets.set(`id-${name}`, { id: `id-${name}`, name, value: `value-of-${name}` })
    bed.store.config = { key: 'id-CONFIGURED' }
    const context = {
      required_secrets: ['REQUIRED'],
      ui_schema: {
        configurable: true,
        config_fields: [{ key: 'key', label: 'Key', type: 'secret', ui_type: 'secret-select' }],
      },
    }
    const get =
      'export const execute = (i, { api }) => Promise.all(i.names.map((n) => api.getSecret(n, "for the test").then((s) => s.value.length, (e) => `${e.code} ${e.status}`)))'
    const names = [
      'REQUIRED',
      'id-CONFIGURED',
      'CONFIGURED',
      'ADDED',
      'FOREIGN',
      'id-FOREIGN',
      'NOWHERE',
      'GONE',
    ]
    const own = openTestBed({ tools: { tried: { secrets: ['ADDED', 'GONE'] } } })
    for (const [id, secret] of bed.store.secrets) own.store.secrets.set(id, secret)
    own.store.config = bed.store.config
    const { value } = await own.run(
      toolOf(get, context),
      { names },
      { secrets: { REQUIRED: 'value-of-REQUIRED' } },
    )
    const shown = await own.run(
      toolOf('export const execute = async (i, { api }) => (await api.decryptSecret("ADDED")).value'),
      {},
    )
    await own.close()
    const denied = 'SECRET_DENIED 403'
    expect(value).toEqual([17, 19, 19, 14, denied, denied, denied, 'SECRET_MISSING 503'])
    expect(own.store.audit).toEqual(
      expect.arrayContaining([
        'REQUIRED: for the test',
        'id-CONFIGURED: for the test',
        'id-ADDED: for the test',
      ]),
    )
    expect(own.store.audit.join()).not.toContain('FOREIGN')
    expect(shown.value).toBe('[secret:ADDED]')
  })
})

describe('the rest of the context', () => {
  it('holds request with its alias, and config', async () => {
    verifies('C53', 'C54')
    bed.store.config = { depth: 3 }
    const { value } = await ask('({ request, config })')
    expect(value).toMatchObject({
      request: {
        id: 'call-1',
        request_id: 'call-1',
        workspace: 'workspace:tools',
        agentId: 'local',
        trigger_event: { schema_name: 'tool.request.v1' },
      },
      config: { depth: 3 },
    })
  })
})
