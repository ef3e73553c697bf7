import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { openCrib } from '../crib/open-crib.ts'
import type { Call } from '../kernel/call.ts'
import { makePrincipal } from '../tool/principal.ts'
import { makeTool, type Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { newKey } from '../trust/keys.ts'
import { signText } from '../trust/sign-file.ts'
import { createSigningKey, loadSigningKey } from '../trust/signing-key.ts'
import type { TrustStore } from '../trust/trust-store.ts'
import { waitBefore } from './wrappers/retry.ts'

async function cribWith(config: Record<string, unknown> = {}) {
  const root = tempFolder()
  const crib = await openCrib({ root, config, env: { HOME: root }, cache: false })
  onTestFinished(() => crib.close())
  return crib
}

/** A tool made in code, with fields that only definitions in files have. */
async function cribWithTool(fields: Partial<Tool>, fn: () => unknown, config: Record<string, unknown> = {}) {
  const crib = await cribWith(config)
  const made = crib.addTool({ id: 't', fn })
  const tool = makeTool({ ...made, ...fields })
  return { crib, tool }
}

describe('ready', () => {
  it.each([
    [{ kind: 'runtime' }, 'TOOL_NOT_CALLABLE'],
    [{ kind: 'library' }, 'TOOL_NOT_CALLABLE'],
    [
      { state: 'invalid', problems: [{ code: 'missing-field', severity: 'error', message: 'no version' }] },
      'TOOL_INVALID',
    ],
    [
      { state: 'invalid', problems: [{ code: 'chain-cycle', severity: 'error', message: 'a -> b -> a' }] },
      'CHAIN_INVALID',
    ],
    [{ state: 'disabled', reason: 'switched off' }, 'TOOL_NOT_ALLOWED'],
    [{ state: 'quarantined' }, 'TRUST_DRIFT'],
    [{ state: 'unavailable', reason: 'no deno' }, 'RUNTIME_MISSING'],
  ] as [Partial<Tool>, string][])('refuses %j with %s', async (fields, code) => {
    const { crib, tool } = await cribWithTool(fields, () => 'ran')
    expect(await crib.call(tool)).toMatchObject({ ok: false, error: { code, hint: expect.any(String) } })
  })

  it('names the classes of a file that defines only classes', async () => {
    verifies('R28')
    const { crib, tool } = await cribWithTool(
      { kind: 'runtime', reason: 'defines class FileSink; it is a runtime, not a callable tool' },
      () => 1,
    )
    expect(await crib.call(tool)).toMatchObject({
      error: { message: 't defines class FileSink; it is a runtime, not a callable tool.' },
    })
  })
})

it('a result from which secrets cannot be taken out is a failure, not a rejection', async () => {
  const fn = () => ({
    get value() {
      throw new Error('not to be read')
    },
  })
  const { crib, tool } = await cribWithTool({}, fn)
  const onPrepared = (call: Call) => {
    call.secrets = { KEY: 'long enough' }
  }
  expect(await crib.call(tool, {}, { onPrepared })).toMatchObject({
    ok: false,
    error: { code: 'RESULT_INVALID', message: expect.stringContaining('not to be read') },
  })
})

describe('trust', () => {
  type Status = 'unsigned' | 'untrusted' | 'tampered' | 'trusted'

  async function cribWithFile(status: Status, mode: string) {
    const { crib, tool } = await cribWithTool({}, () => 'ran', { trust: mode })
    const folder = join(crib.spaces.project, 'keys')
    const key = status === 'untrusted' ? createSigningKey(folder) : signingKeyOf(crib.trust, folder)
    const signed = signText('t.py', 'a = 1\n', key, '2026-01-02T03:04:05Z')
    const file = join(crib.spaces.project, 't.py')
    writeFileSync(
      file,
      status === 'unsigned' ? 'a = 1\n' : status === 'tampered' ? signed.replace('a = 1', 'a = 2') : signed,
    )
    return { crib, tool: { ...tool, source: { file, digest: '' } } }
  }

  function signingKeyOf(store: TrustStore, folder: string) {
    newKey(store, folder, 'Ada')
    return loadSigningKey(folder)
  }

  it.each([
    ['warn', 'unsigned', 'ok'],
    ['warn', 'untrusted', 'ok'],
    ['warn', 'tampered', 'TRUST_TAMPERED'],
    ['require', 'unsigned', 'TRUST_UNSIGNED'],
    ['require', 'untrusted', 'TRUST_UNTRUSTED'],
    ['require', 'tampered', 'TRUST_TAMPERED'],
    ['require', 'trusted', 'ok'],
    ['off', 'tampered', 'ok'],
  ] as const)('in mode %s a tool that is %s gets %s', async (mode, status, expected) => {
    verifies('R78')
    const { crib, tool } = await cribWithFile(status, mode)
    const outcome = await crib.call(tool)
    expect(outcome.ok ? 'ok' : outcome.error.code).toBe(expected)
  })

  it('says in the log of the call what it let pass', async () => {
    verifies('R78')
    const { crib, tool } = await cribWithFile('unsigned', 'warn')
    expect((await crib.call(tool)).logs).toMatchObject([
      { level: 'warn', message: 't is unsigned: it carries no signature' },
    ])
  })
})

describe('a deprecated tool', () => {
  it('runs, with a warning each time', async () => {
    const problem = {
      code: 'deprecated',
      severity: 'warning',
      message: 'x',
      file: '/t.yaml',
      line: 1,
      hint: 'y',
    } as const
    const { crib, tool } = await cribWithTool({ problems: [problem] }, () => 'ran')
    for (let n = 0; n < 2; n++)
      expect(await crib.call(tool)).toMatchObject({
        ok: true,
        logs: [{ level: 'warn', message: 'deprecated: t is deprecated', data: { code: 'deprecated' } }],
      })
  })
})

describe('grants', () => {
  it('refuses a capability that is not granted, with the line to add', async () => {
    verifies('R66')
    const { crib, tool } = await cribWithTool({ requires: ['net.http'] }, () => 'ran')
    expect(await crib.call(tool)).toMatchObject({
      ok: false,
      error: {
        code: 'CAPABILITY_DENIED',
        message: 't needs net.http, which is not granted to it.',
        hint: expect.stringContaining('grants: { tools: { "t": [net.http] } }'),
      },
    })
  })

  it.each([
    { t: ['net.http'] },
    { '*': ['net.*'] },
    { '#web': ['net.http'] },
    { 'builtin:*': ['net.http:example.com'] },
  ])('runs what %j grants', async (tools) => {
    const { crib, tool } = await cribWithTool({ requires: ['net.http'], tags: ['web'] }, () => 'ran', {
      grants: { tools },
    })
    expect(await crib.call(tool)).toMatchObject({ ok: true })
  })

  it('lets a caller’s grants only narrow', async () => {
    const { crib, tool } = await cribWithTool({ requires: ['fs.write'] }, () => 'ran')
    expect(
      await crib.call(tool, undefined, {
        principal: makePrincipal({ surface: 'http', grants: ['fs.read'] }),
      }),
    ).toMatchObject({ error: { code: 'CAPABILITY_DENIED' } })
    const net = makeTool({ ...tool, requires: ['net.http'] })
    expect(
      await crib.call(net, undefined, { principal: makePrincipal({ surface: 'http', grants: ['*'] }) }),
    ).toMatchObject({ error: { code: 'CAPABILITY_DENIED' } })
  })
})

describe('retry', () => {
  const retry = {
    maxAttempts: 3,
    backoff: 'fixed',
    initialDelayMs: 1,
    maxDelayMs: 10,
    multiplier: 2,
  } as const

  it('repeats what is marked retryable and counts the attempts', async () => {
    verifies('R48')
    let runs = 0
    const { crib, tool } = await cribWithTool(
      { retry, cost: { perCall: 2, perMinute: 0, currency: 'EUR' } },
      () => {
        if (++runs < 3) throw new ToolError('UPSTREAM_FAILED', 'busy', { retryable: true })
        return 'done'
      },
    )
    expect(await crib.call(tool)).toMatchObject({
      ok: true,
      value: 'done',
      cost: { amount: 6, currency: 'EUR' },
    })
    expect(runs).toBe(3)
  })

  it('repeats nothing else', async () => {
    verifies('R48')
    let runs = 0
    const { crib, tool } = await cribWithTool({ retry }, () => {
      runs++
      throw new ToolError('TOOL_FAILED', 'no')
    })
    expect(await crib.call(tool)).toMatchObject({ error: { code: 'TOOL_FAILED' } })
    expect(runs).toBe(1)
  })

  it('gives every attempt the full time', async () => {
    verifies('R48')
    let runs = 0
    const { crib, tool } = await cribWithTool({ retry, limits: { timeoutMs: 200 } }, () =>
      ++runs < 3 ? new Promise(() => {}) : 'late but here',
    )
    expect(await crib.call(tool)).toMatchObject({ ok: true, value: 'late but here' })
  })

  it('gives the last attempt the full time too', async () => {
    verifies('R48', 'R49')
    const { crib, tool } = await cribWithTool(
      { retry, limits: { timeoutMs: 100 }, cost: { perCall: 2, perMinute: 0, currency: 'EUR' } },
      () => {
        // Starting takes its time, which is not the next attempt's.
        const until = Date.now() + 30
        while (Date.now() < until);
        return new Promise(() => {})
      },
    )
    expect(await crib.call(tool)).toMatchObject({
      error: { code: 'TIMEOUT', message: 't did not finish within 100 ms and was stopped.' },
      cost: { amount: 6 },
    })
  })

  it('counts the cost of an attempt that was stopped', async () => {
    verifies('R49')
    const { crib, tool } = await cribWithTool(
      { limits: { timeoutMs: 50 }, cost: { perCall: 2, perMinute: 60_000, currency: 'EUR' } },
      () => new Promise(() => {}),
    )
    const outcome = await crib.call(tool)
    expect(outcome).toMatchObject({ error: { code: 'TIMEOUT' } })
    expect(outcome.cost!.amount).toBeGreaterThan(40)
  })

  it('stops waiting when the call is cancelled', async () => {
    const controller = new AbortController()
    const { crib, tool } = await cribWithTool(
      { retry: { ...retry, initialDelayMs: 60_000, maxDelayMs: 60_000 } },
      () => {
        setImmediate(() => controller.abort())
        throw new ToolError('UPSTREAM_FAILED', 'busy', { retryable: true })
      },
    )
    expect(await crib.call(tool, undefined, { signal: controller.signal })).toMatchObject({
      error: { code: 'CANCELLED' },
    })
  })

  it.each([
    ['fixed', [1000, 1000, 1000]],
    ['linear', [1000, 2000, 3000]],
    ['exponential', [1000, 2000, 4000]],
  ] as const)('waits %s', (backoff, waits) => {
    verifies('R47')
    const policy = { maxAttempts: 4, backoff, initialDelayMs: 1000, maxDelayMs: 60_000, multiplier: 2 }
    expect([1, 2, 3].map((n) => waitBefore(policy, n))).toEqual(waits)
  })

  it('never waits longer than the policy says', () => {
    verifies('R47')
    expect(
      waitBefore(
        { maxAttempts: 9, backoff: 'exponential', initialDelayMs: 1000, maxDelayMs: 5000, multiplier: 10 },
        8,
      ),
    ).toBe(5000)
  })
})

describe('limits', () => {
  it('takes no more time than the crib allows, whatever the tool asks for', async () => {
    const { crib, tool } = await cribWithTool(
      { limits: { timeoutMs: 60_000 } },
      () => new Promise(() => {}),
      { limits: { timeoutMs: 20 } },
    )
    expect(await crib.call(tool)).toMatchObject({
      error: { code: 'TIMEOUT', message: expect.stringContaining('20 ms') },
    })
  })

  it('lets only an operator ask for more time than the crib allows', async () => {
    const { crib, tool } = await cribWithTool(
      {},
      () => new Promise((resolve) => setTimeout(resolve, 60, 'done')),
      { limits: { timeoutMs: 20 } },
    )
    expect(await crib.call(tool, undefined, { timeoutMs: 5000 })).toMatchObject({ ok: true })
    expect(
      await crib.call(tool, undefined, { timeoutMs: 5000, principal: makePrincipal({ surface: 'http' }) }),
    ).toMatchObject({ error: { code: 'TIMEOUT' } })
  })

  it('refuses a text that is longer than allowed', async () => {
    const { crib, tool } = await cribWithTool({}, () => 'x'.repeat(2000), { limits: { outputBytes: 1000 } })
    expect(await crib.call(tool)).toMatchObject({
      error: { code: 'OUTPUT_TOO_LARGE', details: { size: 2000, most: 1000 } },
    })
  })
})

it('takes no arguments from outside for a tool without a schema', async () => {
  const { crib, tool } = await cribWithTool({}, () => 'ran')
  expect(await crib.call(tool, { a: 1 })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
  expect(await crib.call(tool, {})).toMatchObject({ ok: true })
})

it('asks nobody where nobody can be asked', async () => {
  const { crib, tool } = await cribWithTool({ tags: ['destructive'] }, () => 'ran', {
    approve: ['#destructive'],
  })
  expect(await crib.call(tool)).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
  expect(await crib.call(tool, undefined, { approved: true })).toMatchObject({ ok: true })
})
