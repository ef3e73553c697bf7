import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { libraryPrincipal } from '../tool/principal.ts'
import { type Crib, openCrib } from './open-crib.ts'

let root: string
let crib: Crib

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'crib-'))
  crib = await openCrib({ root, env: { HOME: root } })
  crib.addTool({
    id: 'math/add',
    description: 'Adds two numbers',
    params: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
      required: ['a'],
    },
    returns: { type: 'number' },
    fn: (params) => {
      const { a, b } = params as { a: number; b: number }
      return a + b
    },
  })
})

afterEach(async () => {
  await crib.close()
  rmSync(root, { recursive: true })
})

it('shares no globals with another crib of the process', async () => {
  const other = await openCrib({ root, env: { HOME: root }, config: { limits: { timeoutMs: 70_000 } } })
  type Shared = { globals: { config: { limits: { timeoutMs: number } }; note?: string } }
  for (const one of [crib, other])
    one.addTool({
      name: 'look',
      fn: ({ globals }: Shared) => {
        const { note = null, config } = globals
        globals.note = 'seen'
        return { timeoutMs: config.limits.timeoutMs, note }
      },
    })
  expect(await other.call('look')).toMatchObject({ ok: true, value: { timeoutMs: 70_000, note: null } })
  expect(await crib.call('look')).toMatchObject({ ok: true, value: { timeoutMs: 300_000, note: null } })
  expect(await crib.call('look')).toMatchObject({ ok: true, value: { note: 'seen' } })
  await other.close()
})

describe('call', () => {
  it('validates, fills defaults, runs and returns an outcome', async () => {
    expect(await crib.call('math/add', { a: 2 })).toMatchObject({
      ok: true,
      value: 3,
      logs: [],
      runId: expect.any(String),
    })
  })

  it('refuses wrong params with every violation and its pointer', async () => {
    const outcome = await crib.call('math/add', { a: 'x', b: 'y' })
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code: 'PARAMS_INVALID',
        details: { violations: [{ pointer: '/a' }, { pointer: '/b' }], count: 2 },
      },
    })
  })

  it('refuses a result its schema does not allow', async () => {
    crib.addTool({ id: 'bad', returns: { type: 'number' }, fn: () => 'text' })
    expect(await crib.call('bad')).toMatchObject({ ok: false, error: { code: 'RESULT_INVALID' } })
  })

  it('turns a throw into TOOL_FAILED with its message', async () => {
    crib.addTool({
      id: 'boom',
      fn: () => {
        throw new Error('boom')
      },
    })
    expect(await crib.call('boom')).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'boom', retryable: false },
    })
  })

  it('names near tools when there is none', async () => {
    const outcome = await crib.call('math/ad')
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'TOOL_NOT_FOUND', hint: expect.stringContaining('math/add') },
    })
  })

  it('ends at the time limit although the function does not listen', async () => {
    crib.addTool({ id: 'slow', fn: () => new Promise(() => {}) })
    expect(await crib.call('slow', undefined, { timeoutMs: 20 })).toMatchObject({
      ok: false,
      error: { code: 'TIMEOUT' },
    })
  })

  it('ends when the caller cancels', async () => {
    crib.addTool({ id: 'slow', fn: () => new Promise(() => {}) })
    const controller = new AbortController()
    const pending = crib.call('slow', undefined, { signal: controller.signal })
    controller.abort()
    expect(await pending).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
  })

  it('is refused when it says by `caller` who asks, as 0.1.0 did: nothing would narrow it', async () => {
    const options = { caller: { surface: 'http', grants: [] } } as object
    expect(await crib.call('math/add', { a: 1 }, options)).toMatchObject({
      ok: false,
      error: { code: 'CONFIG_INVALID', hint: expect.stringContaining('principal') },
    })
  })

  it('gives a nested call its own run, with the calling tool as its caller', async () => {
    const callers: unknown[] = []
    crib.on('run', (call) => callers.push(call.principal))
    crib.addTool({
      id: 'outer',
      fn: async (_params, attempt) => (await attempt.invoke('math/add', { a: 4 })) as never,
    })
    expect(await crib.call('outer')).toMatchObject({ ok: true, value: { ok: true, value: 5 } })
    expect(callers).toMatchObject([{ surface: 'tool', name: 'library', tool: 'outer' }, libraryPrincipal])
  })
})

it('runs nothing while the configuration is broken, and says where', async () => {
  await crib.close()
  writeFileSync(join(root, 'toolcrib.yaml'), 'trust: maybe\n')
  crib = await openCrib({ root, env: { HOME: root } })
  crib.addTool({ id: 'x', fn: () => 1 })
  expect(await crib.call('x')).toMatchObject({
    ok: false,
    error: { code: 'CONFIG_INVALID', message: expect.stringContaining('toolcrib.yaml:1:1') },
  })
})

it('reports an unknown configuration key with its line and a near name, and works on', async () => {
  await crib.close()
  writeFileSync(join(root, 'toolcrib.yaml'), 'trust: warn\nsandbx: off\n')
  crib = await openCrib({ root, env: { HOME: root } })
  crib.addTool({ id: 'x', fn: () => 1 })
  expect(crib.problems).toMatchObject([
    { code: 'config-unknown-key', line: 2, column: 1, hint: 'Did you mean "sandbox"?' },
  ])
  expect(await crib.call('x')).toMatchObject({ ok: true, value: 1 })
})

it('answers a dry run without running anything', async () => {
  let ran = false
  crib.addTool({
    id: 'touch',
    fn: () => {
      ran = true
    },
  })
  expect(await crib.dryRun('touch')).toMatchObject({
    ok: true,
    dryRun: true,
    tool: 'touch',
    runtime: 'function',
    profile: { network: { mode: 'none' } },
  })
  expect(ran).toBe(false)
})
