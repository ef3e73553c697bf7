import { describe, expect, it } from 'vitest'
import { callOf, cribWith, cribWithTool, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Call, CallOptions } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import { makePrincipal } from '../../tool/principal.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { approve, asksApproval } from './approve.ts'

it('asks nobody where nobody can be asked', async () => {
  const { crib, tool } = await cribWithTool({ tags: ['destructive'] }, () => 'ran', {
    approve: ['#destructive'],
  })
  expect(await crib.call(tool)).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
  expect(await crib.call(tool, undefined, { approved: true })).toMatchObject({ ok: true })
})

/** The check of a crib where `t` must be approved, and what it keeps on record. */
async function checkOf(again: readonly Check[] = []) {
  const { config, approvals } = await cribWith({ approve: ['t'] })
  const kept: string[] = []
  const allowed = (_call: Call, reason: string) => kept.push(reason)
  return { check: approve({ config, approvals, allowed }, again), approvals, kept }
}

it('has no say about a tool that no pattern names', async () => {
  const { check, kept } = await checkOf()
  expect(await refusalBy(check, callOf({ id: 'other' }))).toBeUndefined()
  expect(kept).toEqual([])
})

it('follows the metadata of a tool that no pattern names', async () => {
  const { check } = await checkOf()
  const call = callOf({ id: 'other' })
  call.metadata = { approve: true }
  expect(await refusalBy(check, call)).toMatchObject({ code: 'APPROVAL_DENIED' })
})

it('keeps on record who approved beforehand', async () => {
  const { check, kept } = await checkOf()
  expect(await refusalBy(check, callOf({}, { approved: true }))).toBeUndefined()
  expect(kept).toEqual(['approved beforehand by cli'])
})

describe('a person who attends', () => {
  const decideAs = async (decision: 'approve' | 'deny', again: readonly Check[] = []) => {
    const parts = await checkOf(again)
    parts.approvals.attend()
    parts.approvals.on('requested', ({ id }) =>
      parts.approvals.decide(id, { decision, by: 'Ada', reason: 'not today' }),
    )
    return { ...parts, refusal: await refusalBy(parts.check, callOf()) }
  }

  it('lets the call pass, and that is on record', async () => {
    const { refusal, kept } = await decideAs('approve')
    expect(refusal).toBeUndefined()
    expect(kept).toEqual(['approved by Ada'])
  })

  it('refuses it with a reason', async () => {
    const { refusal, kept } = await decideAs('deny')
    expect(refusal).toMatchObject({
      code: 'APPROVAL_DENIED',
      message: 't was not approved by Ada: not today.',
    })
    expect(kept).toEqual([])
  })

  it('cannot let pass what changed meanwhile', async () => {
    const drifted: Check = {
      name: 'lock',
      stage: '$pre-configure',
      check() {
        throw new ToolError('TRUST_DRIFT', 'changed while somebody thought')
      },
    }
    const { refusal, kept } = await decideAs('approve', [drifted])
    expect(refusal).toMatchObject({ code: 'TRUST_DRIFT' })
    expect(kept).toEqual([])
    const left = await decideAs('approve', [{ ...drifted, applies: () => false }])
    expect(left.refusal).toBeUndefined()
  })
})

it('asks nobody in a dry run: it says whether somebody could be asked', async () => {
  const { check, approvals, kept } = await checkOf()
  const asked = (more: Partial<CallOptions> = {}) => refusalBy(check, callOf({}, { dryRun: true, ...more }))
  expect(await asked()).toMatchObject({ code: 'APPROVAL_DENIED' })
  expect(await asked({ approved: true })).toBeUndefined()
  const leave = approvals.attend()
  expect(await asked()).toBeUndefined()
  leave()
  expect(await asked()).toMatchObject({ code: 'APPROVAL_DENIED' })
  expect(approvals.pending).toEqual([])
  expect(kept).toEqual([])
})

it('takes a no from beforehand, whatever else was said', async () => {
  const { check } = await checkOf()
  expect(await refusalBy(check, callOf({}, { refused: 'Ada', approved: true }))).toMatchObject({
    code: 'APPROVAL_DENIED',
    message: 't was not approved by Ada.',
  })
})

it('finds the pattern that names a tool', async () => {
  const { config } = await cribWith({ approve: ['#risky', 'deploy/*'] })
  expect(asksApproval(callOf({ tags: ['risky'] }).tool, config)).toBe('#risky')
  expect(asksApproval(callOf({ id: 'deploy/site' }).tool, config)).toBe('deploy/*')
  expect(asksApproval(callOf().tool, config)).toBeUndefined()
})

describe('a yes for the whole thread', () => {
  const asked = async (calls: (parts: Awaited<ReturnType<typeof checkOf>>) => Promise<unknown>) => {
    const parts = await checkOf()
    let questions = 0
    parts.approvals.attend()
    parts.approvals.on('requested', ({ id }) => {
      questions++
      parts.approvals.decide(id, { decision: 'approve', by: 'Ada', forThread: true })
    })
    await calls(parts)
    return { questions, kept: parts.kept }
  }
  const trigger = (root: string) => ({ trigger: { causation: { root } } })

  it('also counts for later calls of the chain of one event, and says so on record', async () => {
    verifies('V15')
    const { questions, kept } = await asked(async ({ check }) => {
      expect(await refusalBy(check, callOf({}, trigger('e1')))).toBeUndefined()
      expect(await refusalBy(check, callOf({}, trigger('e1')))).toBeUndefined()
    })
    expect(questions).toBe(1)
    expect(kept).toEqual(['approved by Ada', 'approved for this thread by Ada'])
  })

  it('counts for calls made from the same call', async () => {
    const parent = callOf({ id: 'outer' })
    const { questions } = await asked(async ({ check }) => {
      await refusalBy(check, callOf({}, { parent }))
      await refusalBy(check, callOf({}, { parent }))
    })
    expect(questions).toBe(1)
  })

  it.each<[string, object, CallOptions | object]>([
    ['another thread', {}, trigger('e2')],
    ['no thread', {}, {}],
    [
      'another principal',
      {},
      { ...trigger('e1'), principal: makePrincipal({ surface: 'http', name: 'Eve' }) },
    ],
  ])('does not count for %s', async (_, tool, options) => {
    const { questions } = await asked(async ({ check }) => {
      await refusalBy(check, callOf({}, trigger('e1')))
      await refusalBy(check, callOf(tool, options))
    })
    expect(questions).toBe(2)
  })
})
