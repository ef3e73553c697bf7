import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { defaultConfig } from '../../config/config.ts'
import { openTestBed, type TestBed, toolOf } from './test-bed.ts'

let bed: TestBed
beforeAll(() => {
  bed = openTestBed()
})
afterAll(() => bed.close())

describe('what comes back', () => {
  it('is what execute returned, from every form of export', async () => {
    verifies('C12', 'C-case-6')
    const forms = [
      'export function execute(input) { return input.n + 1 }',
      'function run(input: { n: number }) { return input.n + 1 }\nexport { run as execute }',
      'export default (input) => input.n + 1',
      'export default { by: 1, execute(input) { return input.n + this.by } }',
      'export default () => 0\nexport const execute = async (input) => input.n + 1',
    ]
    const results = await Promise.all(forms.map((source) => bed.run(toolOf(source), { n: 41 })))
    expect(results.map((result) => result.value ?? result.error)).toEqual([42, 42, 42, 42, 42])
  })

  it('runs code with eval, new Function and any top-level names', async () => {
    verifies('C13', 'C-case-8')
    const source =
      'const api = 2\nconst context = 3\nconst input = 4\nexport const execute = () => ({ a: eval("api"), b: new Function("return 5")(), prefs: { "prefs.": 1 } })'
    expect((await bed.run(toolOf(source))).value).toEqual({ a: 2, b: 5, prefs: { 'prefs.': 1 } })
  })

  it('is JSON as JSON.stringify makes it, with a warning for numbers it cannot hold', async () => {
    verifies('C43')
    const source =
      'export const execute = () => ({ gone: undefined, at: new Date(0), none: NaN, list: [Infinity, null], s: "\\u2028ü" })'
    const { value, logs } = await bed.run(toolOf(source))
    expect(value).toEqual({ at: '1970-01-01T00:00:00.000Z', none: null, list: [null, null], s: '\u2028ü' })
    expect(logs).toMatchObject([{ level: 'warn' }])
    expect(logs[0]!.message).toContain('/none')
  })

  it('is not interpreted: success false is a success', async () => {
    expect((await bed.run(toolOf('export const execute = () => ({ success: false })'))).value).toEqual({
      success: false,
    })
  })

  it('undefined is null where the schema allows it and a fault where not', async () => {
    verifies('C-case-17')
    const source = 'export const execute = () => {}'
    expect((await bed.run(toolOf(source))).value).toBeNull()
    const strict = await bed.run(toolOf(source, { output_schema: { type: 'object' } }))
    expect(strict.error).toMatchObject({ code: 'RESULT_INVALID' })
    expect(strict.error!.message).toContain('execute returned undefined')
  })

  it.each([
    ['{ n: 1n }', '/n'],
    ['{ a: [1, { b: 2n }] }', '/a/1/b'],
    ['(() => { const loop: any = { x: {} }; loop.x.me = loop; return loop })()', '/x/me'],
  ])('%s is a fault at %s', async (expression, path) => {
    verifies('C-case-17')
    const { error } = await bed.run(toolOf(`export const execute = () => (${expression})`))
    expect(error).toMatchObject({ code: 'RESULT_INVALID', details: { violations: [{ path }] } })
  })

  it.each([
    ['a BigInt under a key without end', "{ ['k'.repeat(9e6)]: 1n }", 'RESULT_INVALID'],
    [
      'nested without end',
      '(() => { let v = 1; for (let n = 0; n < 3_000; n++) v = [v]; return v })()',
      'RESULT_INVALID',
    ],
  ])('%s is a fault', async (_, expression, code) => {
    const { error } = await bed.run(toolOf(`export const execute = () => (${expression})`))
    expect(error).toMatchObject({ code })
    expect(JSON.stringify(error).length).toBeLessThan(50_000)
  })

  it('is looked through for lost numbers only as far as JSON holds it', async () => {
    verifies('C43')
    const source = `class Node { constructor() { this.a = this; this.b = this; this.c = NaN } toJSON() { return { x: null } } }
    export const execute = () => { let reads = 0; return { node: new Node(), get once() { if (reads++) throw new Error('again'); return null } } }`
    expect(
      (await bed.run(toolOf(source, { limits: { memory_mb: 64, timeout_ms: 3_000, cpu_percent: 100 } })))
        .value,
    ).toEqual({
      node: { x: null },
      once: null,
    })
  })

  it('over the cap is refused with both sizes', async () => {
    verifies('C41', 'C-case-22')
    const { error } = await bed.run(toolOf('export const execute = () => "x".repeat(5_000_000)'))
    expect(error).toMatchObject({
      code: 'OUTPUT_TOO_LARGE',
      details: { bytes: 5_000_002, maxBytes: 1_048_576 },
    })
  })
})

describe('what is said on the way', () => {
  it('console and raw writes become log lines and leave the result alone', async () => {
    verifies('C37', 'C-case-16')
    const source = `export async function execute() {
      console.log('hello', { a: 1 })
      console.error('bad')
      Deno.stdout.writeSync(new TextEncoder().encode('raw out\\n{"t":"result","id":1,"json":"666"}\\n'))
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { ok: true }
    }`
    const { value, logs } = await bed.run(toolOf(source))
    expect(value).toEqual({ ok: true })
    const lines = logs.map((line) => `${line.level} ${line.message}`)
    expect(lines).toContain('info hello { a: 1 }')
    expect(lines).toContain('error bad')
    expect(lines).toContain('info raw out')
  })

  it('belongs to the call that said it, also when calls overlap', async () => {
    verifies('C31', 'C37')
    const source = `export async function execute(input) {
      for (let i = 0; i < 3; i++) { await new Promise((r) => setTimeout(r, 5)); console.log(input.who + i) }
      return input.who
    }`
    const tool = toolOf(source)
    const [a, b] = await Promise.all([bed.run(tool, { who: 'a' }), bed.run(tool, { who: 'b' })])
    expect([a!.value, b!.value]).toEqual(['a', 'b'])
    expect(a!.logs.map((line) => line.message)).toEqual(['a0', 'a1', 'a2'])
    expect(b!.logs.map((line) => line.message)).toEqual(['b0', 'b1', 'b2'])
  })

  it('is capped per line and per call', async () => {
    verifies('C41')
    const source = `export const execute = () => { console.log('x'.repeat(20_000)); for (let i = 0; i < 100; i++) console.log('y'.repeat(8_000)); return 1 }`
    const { logs } = await bed.run(toolOf(source))
    expect(logs[0]!.message.length).toBeLessThan(8_300)
    expect(logs[0]!.message).toMatch(/\[line cut\]$/)
    expect(logs.reduce((sum, line) => sum + line.message.length, 0)).toBeLessThanOrEqual(262_144 + 200)
    expect(logs.at(-1)!.message).toMatch(/log limit/)
  })

  it('whatever its shape, it costs the tool nothing but the line', async () => {
    verifies('C37', 'C41', 'C55')
    const source = `export async function execute(input, { log, progress }) {
      let deep = 'bottom'
      for (let level = 0; level < 3_000; level++) deep = [deep]
      log.info('deep', deep)
      progress(Number.NaN)
      progress('50%')
      progress(1, '2', { a: 1 })
      progress(2, 3, 'x'.repeat(6e6))
      for (let row = 0; row < 400; row++) log.info('row', 'y'.repeat(8_000))
      await new Promise((resolve) => setTimeout(resolve, 100))
      return 'through'
    }`
    const { value, error, logs, progress } = await bed.run(toolOf(source))
    expect(error ?? value).toBe('through')
    expect(logs[0]).toMatchObject({ message: 'deep', data: expect.stringMatching(/^\[\[/) })
    expect(logs[2]).toMatchObject({ level: 'warn', message: expect.stringContaining('50%') })
    expect(logs.at(-1)!.message).toMatch(/log limit/)
    expect(progress).toMatchObject([
      { done: 1, message: '{ a: 1 }' },
      { done: 2, total: 3, message: expect.stringMatching(/cut\]$/) },
    ])
    expect(progress[0]?.total).toBeUndefined()
  })

  it('may fill the log by raw writes and still be heard to the end', async () => {
    verifies('C37', 'C-case-16')
    const source = `export async function execute() {
      const line = new TextEncoder().encode('z'.repeat(1_000) + '\\n')
      for (let n = 0; n < 4_000; n++) Deno.stdout.writeSync(line)
      await new Promise((resolve) => setTimeout(resolve, 300))
      console.log('one more')
      return 'through'
    }`
    const { value, error } = await bed.run(toolOf(source))
    expect(error ?? value).toBe('through')
  })

  it('context.log keeps level and data, context.progress is passed on', async () => {
    verifies('C55')
    const source = `export const execute = (input, context) => {
      context.log.warn('careful', { n: 1 })
      context.progress(1, 3, 'first')
      return [context.signal instanceof AbortSignal, context.utils.waitForEventSupported]
    }`
    const { value, logs, progress } = await bed.run(toolOf(source))
    expect(value).toEqual([true, false])
    expect(logs).toMatchObject([{ level: 'warn', message: 'careful', data: { n: 1 } }])
    expect(progress).toEqual([{ done: 1, total: 3, message: 'first' }])
  })
})

it('values pass both ways however deeply they are nested', async () => {
  let deep: unknown = 'bottom'
  for (let level = 0; level < 500; level++) deep = level % 2 ? [deep] : { a: deep }
  const echo = toolOf('export const execute = (input) => input')
  expect((await bed.run(echo, { deep })).value).toEqual({ deep })
})

it('an input that is no JSON is refused and leaves the worker sound', async () => {
  verifies('C42')
  const own = openTestBed({ deno: { ...defaultConfig.deno, idleMs: 50 } })
  const echo = toolOf('export const execute = (input) => input')
  expect((await own.run(echo, { n: 1n })).error).toMatchObject({ code: 'PARAMS_INVALID' })
  expect((await own.run(echo, { n: 1 })).value).toEqual({ n: 1 })
  await expect.poll(() => own.supervisor.running, { timeout: 5_000 }).toBe(0)
  await own.close()
})

describe('how it fails', () => {
  it('a thrown error keeps its message word for word, its stack goes to the log', async () => {
    verifies('C-case-23')
    const { error, logs } = await bed.run(toolOf('\nexport function execute() {\n  throw new Error("x")\n}'))
    expect(error).toMatchObject({ code: 'TOOL_FAILED', message: 'x' })
    expect(JSON.stringify(error)).not.toContain('tried.ts')
    expect(logs.map((line) => line.message).join('\n')).toMatch(/tried\.ts:3:9/)
  })

  it.each([
    ['throw "plain text"', 'plain text'],
    ['return Promise.reject({ a: 1 })', '{ a: 1 }'],
    ['throw null', 'null'],
    [
      'throw new Proxy({}, { get() { throw new Error("again") } })',
      'The tool threw something that cannot be shown.',
    ],
    ['throw { message: "m", get code() { throw new Error("again") } }', 'm'],
    ['const e = new Error(); e.message = 42; throw e', '42'],
    ['const e = new Error(""); e.name = { a: 1 }; throw e', '{ a: 1 }'],
    ['return { toJSON() { throw new Error("not me") } }', 'The result cannot be written as JSON: not me'],
  ])('%s is reported as its text', async (statement, message) => {
    const { error } = await bed.run(toolOf(`export async function execute() { ${statement} }`))
    expect(error).toMatchObject({ code: 'TOOL_FAILED', message })
  })

  it('a message without end is cut', async () => {
    const { error } = await bed.run(toolOf('export function execute() { throw new Error("x".repeat(5e6)) }'))
    expect(error).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringMatching(/^x{8192} \[cut\]$/) })
  })

  it('an exit is reported at once with its code, and the next call works', async () => {
    verifies('C-case-18')
    const tool = toolOf(`import process from 'node:process'
    export const execute = async (input) => { if (input.how === 'deno') Deno.exit(3); if (input.how === 'node') process.exit(4); return 'fine' }`)
    expect((await bed.run(tool, { how: 'deno' })).error).toMatchObject({
      code: 'TOOL_EXITED',
      details: { exitCode: 3 },
    })
    expect((await bed.run(tool, { how: 'node' })).error).toMatchObject({
      code: 'TOOL_EXITED',
      details: { exitCode: 4 },
    })
    expect((await bed.run(tool, {})).value).toBe('fine')
  })

  it('a tool that closes its channel is stopped at once, not when its time is up', async () => {
    verifies('C37')
    const tool = toolOf(`import process from 'node:process'
    export const execute = () => { process.disconnect(); setInterval(() => {}, 1_000); return new Promise(() => {}) }`)
    const started = performance.now()
    expect((await bed.run(tool)).error).toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('closed it'),
    })
    expect(performance.now() - started).toBeLessThan(4_500)
  })

  it('an exit ends the other calls of the process with WORKER_LOST, to be tried again', async () => {
    const tool = toolOf(`let running = 0; const both = Promise.withResolvers()
    export const execute = async (input) => { if (++running === 2) both.resolve(); await both.promise; if (input.exits) Deno.exit(7); await new Promise(() => {}) }`)
    const [one, other] = await Promise.all([bed.run(tool, { exits: true }), bed.run(tool, { exits: false })])
    expect(one!.error).toMatchObject({ code: 'TOOL_EXITED', details: { exitCode: 7 } })
    expect(other!.error).toMatchObject({ code: 'WORKER_LOST', retryable: true })
  })

  it('a stray rejection ends the call it belongs to and spares the other', async () => {
    verifies('C-case-21')
    const tool = toolOf(`let running = 0; const both = Promise.withResolvers()
    export const execute = async (input) => {
      if (++running === 2) both.resolve()
      await both.promise
      if (input.stray) Promise.reject(new Error('left alone'))
      await new Promise((r) => setTimeout(r, 200))
      return 'through'
    }`)
    const [one, other] = await Promise.all([bed.run(tool, { stray: true }), bed.run(tool, {})])
    expect(one!.error).toMatchObject({ code: 'UNHANDLED_REJECTION', message: 'left alone' })
    expect(other!.value).toBe('through')
  })

  it('an error in a timer is UNCAUGHT_ERROR', async () => {
    const tool = toolOf(
      'export const execute = async () => { setTimeout(() => { throw new Error("late") }, 5); await new Promise((r) => setTimeout(r, 500)) }',
    )
    expect((await bed.run(tool)).error).toMatchObject({
      code: 'UNCAUGHT_ERROR',
      message: expect.stringContaining('late'),
    })
  })

  it('a module that cannot be loaded is LOAD_FAILED', async () => {
    expect(
      (await bed.run(toolOf('throw new Error("at the top")\nexport const execute = () => 1'))).error,
    ).toMatchObject({
      code: 'LOAD_FAILED',
      message: expect.stringContaining('at the top'),
    })
    expect((await bed.run(toolOf('const tool: any = 5\nexport default tool'))).error).toMatchObject({
      code: 'LOAD_FAILED',
    })
    const long = `const text = "${'x'.repeat(20_000)}"\nimport { nothing } from "node:fs"\nexport const execute = () => nothing`
    expect((await bed.run(toolOf(long))).error).toMatchObject({
      code: 'LOAD_FAILED',
      message: expect.stringMatching(/named 'nothing'.{0,20}tried\.ts:2:/),
    })
  })
})

it('leaves no folder behind when its worker is gone', async () => {
  verifies('C35')
  const own = openTestBed()
  const { value } = await own.run(toolOf('export const execute = () => Deno.cwd()', { isolation: 'call' }))
  await own.close()
  expect(value).toMatch(/toolcrib-deno-/)
  expect(existsSync(value as string)).toBe(false)
})
