import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RyeTestBed } from '../../../test/helpers/rye-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'

let bed: RyeTestBed
let count = 0

beforeAll(() => {
  bed = new RyeTestBed()
})
afterAll(() => bed.close())

function node(name: string, code: string, given = {}) {
  const file = bed.write(`.ai/tools/n${++count}/${name}`, code)
  return bed.tool('node/node', file, { entry: 'function', entryName: 'default', ...given })
}

describe('function files', () => {
  it.each([
    ['a.mjs', 'export default async (params, project) => ({ success: true, n: params.n, project })'],
    [
      'a.mjs',
      'export function main() { return 0 }\nexport const execute = (params, project) => ({ success: true, n: params.n, project })',
    ],
    ['a.mjs', 'export const main = (params, project) => ({ success: true, n: params.n, project })'],
    ['a.js', 'export default (params, project) => ({ success: true, n: params.n, project })'],
    ['a.js', 'module.exports = (params, project) => ({ success: true, n: params.n, project })'],
    ['a.js', 'exports.execute = (params, project) => ({ success: true, n: params.n, project })'],
    ['a.cjs', 'module.exports = { main: (params, project) => ({ success: true, n: params.n, project }) }'],
    [
      'a.ts',
      'interface P { n: number }\nexport default async (params: P, project: string) => ({ success: true, n: params.n as number, project })',
    ],
    [
      'a.ts',
      'const run = (params: { n: number }, project: string): object => ({ success: true, n: params.n, project })\nmodule.exports = run',
    ],
    [
      'a.ts',
      'enum E { A = 5 }\nnamespace N { export const x = E.A }\nexport default (params: any, project: string) => ({ success: N.x === 5, n: params.n, project })',
    ],
  ])('%s: %s', async (name, code) => {
    verifies('R39')
    expect((await bed.run(node(name, code), { n: 3 })).value).toEqual({
      success: true,
      n: 3,
      project: bed.dir,
    })
  })

  it.each(['./two.ts', './two.js', './two'])(
    'transpiles what a .ts file imports as %s',
    async (specifier) => {
      verifies('R39')
      const tool = node(
        'a.ts',
        `import { two } from '${specifier}'\nexport default () => ({ success: true, n: two })`,
      )
      bed.write(`.ai/tools/n${count}/two.ts`, 'export const two: number = 2')
      expect((await bed.run(tool)).value.n).toBe(2)
    },
  )

  it('follows the type of the nearest package.json', async () => {
    verifies('R39')
    const tool = node(
      'a.ts',
      'exports.execute = (params: object) => ({ success: true, kind: typeof module })',
    )
    bed.write(`.ai/tools/n${count}/package.json`, '{"type":"commonjs"}')
    expect((await bed.run(tool)).value.kind).toBe('object')
  })

  it('keeps the process, and replaces it when the file or an import changed', async () => {
    const tool = node(
      'a.mjs',
      "import { v } from './v.mjs'\nlet n = 0\nexport default () => ({ success: true, v, n: ++n })",
    )
    bed.write(`.ai/tools/n${count}/v.mjs`, 'export const v = 1')
    expect((await bed.run(tool)).value).toMatchObject({ v: 1, n: 1 })
    expect((await bed.run(tool)).value).toMatchObject({ v: 1, n: 2 })
    bed.write(`.ai/tools/n${count}/v.mjs`, 'export const v = 22')
    expect((await bed.run(tool)).value).toMatchObject({ v: 22, n: 1 })
  })

  it('has the params on stdin and flags in argv', async () => {
    const tool = node(
      'a.mjs',
      'export default async () => { let text = ""; process.stdin.on("data", (part) => (text += part)); await new Promise((done) => process.stdin.on("end", done)); return { success: true, text, argv: process.argv.slice(2) } }',
    )
    expect(
      (await bed.run(tool, { a: '-x', b: true, c: false, d: [1, 2], e: { f: 1 }, g: null, h: 'y' })).value,
    ).toEqual({
      success: true,
      text: '{"a":"-x","b":true,"c":false,"d":[1,2],"e":{"f":1},"g":null,"h":"y"}',
      argv: ['--a=-x', '--b', '--no-c', '--d', '1', '--d', '2', '--e', '{"f":1}', '--h', 'y'],
    })
    verifies('R38')
  })

  it('runs in the anchor of its package.json, which leads PATH', async () => {
    verifies('R31')
    const tool = node(
      'a.mjs',
      'export default () => ({ success: true, cwd: process.cwd(), path: process.env.PATH.split(":")[0] })',
    )
    bed.write(`.ai/tools/n${count}/package.json`, '{}')
    const dir = `${bed.dir}/.ai/tools/n${count}`
    expect((await bed.run(tool)).value).toEqual({
      success: true,
      cwd: dir,
      path: `${dir}/node_modules/.bin`,
    })
  })

  it('logs what is printed and restores folder and environment', async () => {
    verifies('R40')
    const tool = node(
      'a.mjs',
      `import { execSync } from 'node:child_process'
export default (params) => {
  const seen = [process.cwd(), process.env.LEFT ?? null]
  console.log('{"success":false}'); console.error('err')
  if (params.spawn) execSync('echo child >&1', { stdio: 'inherit' })
  process.chdir('/'); process.env.LEFT = 'x'
  return { success: true, seen, big: 5n, nan: NaN, date: new Date(0) } }`,
    )
    const first = await bed.run(tool, { spawn: true })
    expect(first.logs.map((line) => line.message)).toEqual(
      expect.arrayContaining(['{"success":false}', 'err', 'child']),
    )
    await bed.run(tool)
    expect((await bed.run(tool)).value).toEqual({
      success: true,
      seen: [bed.dir, null],
      big: '5',
      nan: null,
      date: '1970-01-01T00:00:00.000Z',
    })
  })

  it('judges undefined by its prints and wraps other values', async () => {
    verifies('R41', 'R42')
    expect(
      (await bed.run(node('a.mjs', 'export default () => { console.log(`{"success":true,"n":1}`) }'))).value,
    ).toEqual({ success: true, n: 1 })
    expect((await bed.run(node('a.mjs', 'export default () => "text"'))).value).toEqual({
      success: true,
      output: 'text',
    })
    const ran = await bed.run(node('a.mjs', 'export const execute = () => 1', { entryName: 'execute' }))
    expect(ran.logs).toContainEqual(expect.objectContaining({ data: { code: 'result-not-object' } }))
  })

  it('calls other tools over the channel', async () => {
    verifies('R68')
    const tool = node(
      'a.mjs',
      'export default async (p) => ({ success: true, got: await Promise.all([1, 2].map((n) => toolcrib.execute("math/add", { n }).catch((e) => e.code))) })',
    )
    const invoke = async (_: string, args: unknown) =>
      ({
        ok: true,
        value: args,
        logs: [],
        ms: 0,
        runId: '',
        enforcement: { layers: [], dimensions: {} },
      }) as const
    expect((await bed.run(tool, {}, { invoke, profile: { calls: ['rye.execute'] } })).value.got).toEqual([
      { n: 1 },
      { n: 2 },
    ])
    expect((await bed.run(tool, {}, { invoke })).value.got).toEqual([
      'CAPABILITY_DENIED',
      'CAPABILITY_DENIED',
    ])
  })

  it.each([
    ['throw new TypeError("bad")', { code: 'TOOL_FAILED', message: 'TypeError: bad' }],
    ['throw "text"', { code: 'TOOL_FAILED', message: 'string: text' }],
    ['process.exit(3)', { code: 'TOOL_FAILED', details: { exit_code: 3 } }],
    [
      'process.kill(process.pid, "SIGKILL")',
      { code: 'TOOL_FAILED', details: { signal: 'SIGKILL' }, retryable: true },
    ],
    [
      'setTimeout(() => { throw new Error("later") }); await new Promise(() => {})',
      { code: 'TOOL_FAILED', message: expect.stringContaining('later') },
    ],
    ['return "x".repeat(50_000_000)', { code: 'OUTPUT_TOO_LARGE' }],
    ['const a = {}; a.a = a; return a', { code: 'TOOL_FAILED' }],
    ['for (;;);', { code: 'TIMEOUT' }],
  ])('%s', async (body, error) => {
    const tool = node('a.mjs', `export default async (p) => { if (p.ok) return { success: true }; ${body} }`)
    expect((await bed.run(tool, {}, { signal: AbortSignal.timeout(3_000) })).error).toMatchObject(error)
    expect((await bed.run(tool, { ok: true })).value).toEqual({ success: true })
  })

  it('reports TypeScript that cannot be read', async () => {
    const ran = await bed.run(node('a.ts', 'export default (: number) => 1'))
    expect(ran.error).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining('SyntaxError') })
  })
})

describe('main scripts', () => {
  const given = { entry: 'script', entryName: null }
  const print =
    'let text = ""; process.stdin.on("data", (d) => (text += d)).on("end", () => console.log(JSON.stringify({ success: true, text, argv: process.argv.slice(2) })))'

  it('get one flag per param', async () => {
    const ran = await bed.run(node('a.js', print, given), { name: 'Ada', loud: true })
    expect(ran.value).toEqual({
      success: true,
      text: '{"name":"Ada","loud":true}',
      argv: ['--name', 'Ada', '--loud'],
    })
  })

  it('get --project-path alone when they mention it', async () => {
    expect((await bed.run(node('a.js', `// --project-path\n${print}`, given), { a: 1 })).value.argv).toEqual([
      '--project-path',
      bed.dir,
    ])
    expect(
      (await bed.run(node('a.js', `// project-path --params\n${print}`, given), { a: 1 })).value.argv,
    ).toEqual(['--project-path', bed.dir, '--params', '{"a":1}'])
  })

  it('may be TypeScript', async () => {
    verifies('R39')
    const tool = node(
      'a.ts',
      "import { two } from './two.ts'\nconst n: number = two\nconsole.log(JSON.stringify({ success: true, n }))",
      given,
    )
    bed.write(`.ai/tools/n${count}/two.ts`, 'export const two = 2 as const')
    expect((await bed.run(tool)).value).toEqual({ success: true, n: 2 })
  })
})
