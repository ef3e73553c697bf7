import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { defaultConfig } from '../../config/config.ts'
import { spacesOf } from '../../config/spaces.ts'
import type { RyePlan } from '../../tool/plans/rye-plan.ts'
import { makeTool, type Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { FormatEnv } from '../format.ts'
import { callTimeoutMs } from './call-timeout.ts'
import { finishParams, mergeLayer } from './resolve-config.ts'

let dir: string
let env: FormatEnv

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-')))
  env = {
    config: defaultConfig,
    spaces: { ...spacesOf(dir), userAi: join(dir, 'user'), system: join(dir, 'system') },
  }
})
afterEach(() => rmSync(dir, { recursive: true }))

function write(tier: 'system' | 'user' | '.ai', path: string, text: string): string {
  const file = join(dir, tier, 'config', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

function tool(plan: Partial<RyePlan>): Tool {
  const whole = {
    ai: join(dir, '.ai'),
    primitive: 'worker',
    timeouts: {},
    runtimeConfigResolve: null,
    ...plan,
  }
  return makeTool({
    id: 'a/b',
    format: 'rye',
    tier: 'project',
    source: { file: null, digest: '' },
    runtime: { name: 'rye-worker', plan: whole as RyePlan },
  })
}

const asking = (path: string, mode: 'deep_merge' | 'first_match' = 'deep_merge') =>
  tool({ configResolve: { requests: [{ path, mode }], isList: false } })
const trusting = () => {}
const resolved = (one: Tool, verify = trusting) =>
  (finishParams(one, { a: 1 }, env, verify) as { resolved_config: unknown }).resolved_config

describe('deep_merge', () => {
  it('lays user over system and project over both, key by key, extends left out', () => {
    verifies('R51', 'R52')
    write('system', 'x.yaml', 'a: {one: 1, two: 2, list: [1, 2]}\nkept: whole\nextends: base')
    write('user', 'x.yaml', 'a: {two: 22, extends: z}\nnew: {extends: copied}')
    write('.ai', 'x.yaml', 'a: {list: [3], one: null}')
    expect(resolved(asking('x.yaml'))).toEqual({
      a: { one: null, two: 22, list: [3] },
      kept: 'whole',
      new: { extends: 'copied' },
    })
  })

  it('takes a key named __proto__ as data', () => {
    const layer = JSON.parse('{"__proto__": {"polluted": true}}')
    const merged = mergeLayer({}, layer)
    expect(Object.hasOwn(merged, '__proto__')).toBe(true)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('first_match', () => {
  it('is the file of the highest tier that has one, unchanged', () => {
    verifies('R51')
    write('system', 'x.json', '{"a": 1, "extends": "s"}')
    expect(resolved(asking('x.json', 'first_match'))).toEqual({ a: 1, extends: 's' })
    write('user', 'x.json', '{"b": 2}')
    expect(resolved(asking('x.json', 'first_match'))).toEqual({ b: 2 })
    write('.ai', 'x.json', '')
    expect(resolved(asking('x.json', 'first_match'))).toEqual({})
  })
})

describe('files', () => {
  it.each([
    ['x.yaml', 'a: 1\nd: 2020-01-02', { a: 1, d: '2020-01-02' }],
    ['x.yml', '# nothing', {}],
    ['x.json', '{"a": 1}', { a: 1 }],
    ['x.toml', 'a = 1\n[b]\nc = "d"', { a: 1, b: { c: 'd' } }],
    ['x.toml', '', {}],
  ])('%s with %j is read', (path, text, value) => {
    verifies('R52')
    write('.ai', path, text)
    expect(resolved(asking(path))).toEqual(value)
  })

  it('absent everywhere gives an empty object', () => {
    verifies('R52', 'R53')
    expect(finishParams(asking('none.yaml'), { a: 1 }, env, trusting)).toEqual({ a: 1, resolved_config: {} })
  })

  it.each([
    ['x.yaml', 'a: [1'],
    ['x.yaml', '- 1'],
    ['x.json', '{'],
    ['x.toml', 'a ='],
    ['x.json', '"text"'],
  ])('%s with %j is CONFIG_INVALID and named', (path, text) => {
    verifies('R52')
    const file = write('user', path, text)
    expect(() => resolved(asking(path))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(file) }),
    )
  })

  it('must not be links out of their folder', () => {
    writeFileSync(join(dir, 'secret.json'), '{"secret": 1}')
    write('.ai', 'other.json', '{}')
    symlinkSync(join(dir, 'secret.json'), join(dir, '.ai/config/x.json'))
    expect(() => resolved(asking('x.json'))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })

  it('are read again when they change', () => {
    write('.ai', 'x.json', '{"a": 1}')
    expect(resolved(asking('x.json'))).toEqual({ a: 1 })
    write('.ai', 'x.json', '{"a": 22}')
    expect(resolved(asking('x.json'))).toEqual({ a: 22 })
  })

  it('are judged before they are used, at every call', () => {
    verifies('R54')
    const file = write('.ai', 'x.json', '{"a": 1}')
    const judged: string[] = []
    const one = asking('x.json')
    resolved(one, ((path: string) => judged.push(path)) as never)
    const refuse = () => {
      throw new ToolError('TRUST_TAMPERED', 'changed')
    }
    expect(() => resolved(one, refuse)).toThrow(expect.objectContaining({ code: 'TRUST_TAMPERED' }))
    expect(judged).toEqual([file])
  })
})

describe('params', () => {
  it('get an object keyed by path for a list', () => {
    verifies('R50', 'R53')
    write('.ai', 'x.json', '{"a": 1}')
    const requests = [
      { path: 'x.json', mode: 'deep_merge' },
      { path: 'deep/y.yaml', mode: 'first_match' },
    ] as const
    expect(resolved(tool({ configResolve: { requests, isList: true } }))).toEqual({
      'x.json': { a: 1 },
      'deep/y.yaml': {},
    })
  })

  it('of the caller may not hold resolved_config', () => {
    verifies('R53')
    expect(() => finishParams(asking('x.json'), { resolved_config: {} }, env, trusting)).toThrow(
      expect.objectContaining({ code: 'PARAMS_INVALID' }),
    )
    const plain = tool({ configResolve: null })
    expect(finishParams(plain, { resolved_config: {} }, env, trusting)).toEqual({ resolved_config: {} })
  })
})

describe('the time limit', () => {
  const runtimeConfigResolve = { requests: [{ path: 'rt.yaml', mode: 'deep_merge' }], isList: false } as const
  const file = 'defaults: {timeout: 4}\ntools: {a/b: {timeout: 1}}'
  const timeouts = { tool: 2, toolConfig: 3, runtimeConfig: 5 }

  it.each<[string, Partial<RyePlan>, string, number]>([
    ['the tool’s entry in the runtime’s file', { runtimeConfigResolve, timeouts }, file, 1_000],
    ['the tool', { runtimeConfigResolve, timeouts }, 'defaults: {timeout: 4}', 2_000],
    [
      'the tool’s config',
      { runtimeConfigResolve, timeouts: { toolConfig: 3, runtimeConfig: 5 } },
      'defaults: {timeout: 4}',
      3_000,
    ],
    [
      'the file’s default',
      { runtimeConfigResolve, timeouts: { runtimeConfig: 5 } },
      'defaults: {timeout: 4}',
      4_000,
    ],
    [
      'the runtime’s config',
      { runtimeConfigResolve, timeouts: { runtimeConfig: 5 } },
      'tools: {other: {timeout: 1}}',
      5_000,
    ],
    ['five minutes', {}, '', 300_000],
    [
      'five minutes for HTTP, whose config.timeout is that of a request',
      { primitive: 'http_client', timeouts: { toolConfig: 3, runtimeConfig: 30 }, runtimeId: null },
      '',
      300_000,
    ],
    ['the tool for HTTP too', { primitive: 'http_client', timeouts: { tool: 2, toolConfig: 3 } }, '', 2_000],
    [
      'the server for MCP',
      { primitive: 'mcp_client', server: { id: 's', file: '', config: { timeout: 9 } } },
      '',
      9_000,
    ],
  ])('comes from %s', (_, plan, text, ms) => {
    verifies('R46')
    write('.ai', 'rt.yaml', text)
    expect(callTimeoutMs(tool(plan), env, trusting)).toBe(ms)
  })
})
