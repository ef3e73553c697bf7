import { describe, expect, it } from 'vitest'
import { callOf, cribWithTool, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { ready } from './ready.ts'

/** Nothing is stated in metadata. */
const none = () => false

const traits = { fillDefaults: true }
const check = ready({ traits: () => traits })
const problem = (code: string, severity: Problem['severity'] = 'error'): Problem => ({
  code,
  severity,
  message: 'it says so',
  file: '/t.yaml',
  line: 3,
  hint: 'Change it.',
})

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

it('has no say about a tool that is fine, and none about one that another one shadows', () => {
  const fine = callOf().tool
  expect(check.applies!(fine, none)).toBe(false)
  expect(check.applies!({ ...fine, state: 'shadowed' }, none)).toBe(false)
  expect(check.applies!({ ...fine, state: 'shadowed', problems: [problem('bad-field')] }, none)).toBe(true)
})

describe('the refusal of a definition with errors', () => {
  it.each([
    ['bad-field', 'TOOL_INVALID', 't: bad-field: it says so (/t.yaml:3)'],
    ['chain-cycle', 'CHAIN_INVALID', 't: chain-cycle: it says so (/t.yaml:3)'],
    ['executor-not-found', 'CHAIN_INVALID', 't: executor-not-found: it says so (/t.yaml:3)'],
    ['unknown-primitive', 'CHAIN_INVALID', 't: unknown-primitive: it says so (/t.yaml:3)'],
    ['LOAD_FAILED', 'LOAD_FAILED', 't: it says so (/t.yaml:3)'],
    ['TRUST_TAMPERED', 'TRUST_TAMPERED', 't: it says so (/t.yaml:3)'],
  ])('has for %s the code %s, the place and the hint of the problem', async (found, code, message) => {
    expect(await refusalBy(check, callOf({ problems: [problem(found)] }))).toMatchObject({
      code,
      message,
      hint: 'Change it.',
      details: { problem: { code: found } },
    })
  })

  it('names the tool once', async () => {
    const named = { ...problem('bad-field'), message: 't: no version' }
    const refusal = await refusalBy(check, callOf({ problems: [{ ...named, code: 'LOAD_TIMEOUT' }] }))
    expect(refusal?.message).toBe('t: no version (/t.yaml:3)')
  })
})

it('refuses a skill that is switched off with the code its format gives', async () => {
  const denied = ready({ traits: () => ({ ...traits, disabledCode: 'TOOL_DENIED' }) })
  const call = callOf({ state: 'disabled' })
  expect(await refusalBy(denied, call)).toMatchObject({
    code: 'TOOL_DENIED',
    message: 't is disabled: by configuration.',
  })
  expect(await refusalBy(check, call)).toMatchObject({ code: 'TOOL_NOT_ALLOWED' })
})

it('tells missing programs from a missing runtime', async () => {
  const missing = { state: 'unavailable', reason: 'no gh' } as const
  expect(await refusalBy(check, callOf({ ...missing, needsBins: [['gh']] }))).toMatchObject({
    code: 'COMMAND_NOT_FOUND',
    message: 't is not available: no gh.',
    hint: 'See `toolcrib why t`.',
  })
  expect(await refusalBy(check, callOf(missing))).toMatchObject({ code: 'RUNTIME_MISSING' })
})

it('refuses a tool that has no code, although nothing is wrong with its definition', async () => {
  const call = callOf({ reason: 'it has no code', problems: [problem('no-code', 'warning')] })
  expect(await refusalBy(check, call)).toMatchObject({
    code: 'TOOL_NOT_CALLABLE',
    message: 't cannot be called: it has no code.',
  })
})

it('does not warn of a deprecated tool where nothing runs', async () => {
  const deprecated = { problems: [problem('deprecated', 'warning')] }
  const asked = callOf(deprecated, { dryRun: true })
  expect(await refusalBy(check, asked)).toBeUndefined()
  expect(asked.logs).toEqual([])
  const called = callOf(deprecated)
  await refusalBy(check, called)
  expect(called.logs).toHaveLength(1)
})
