import { expect, it } from 'vitest'
import { callOf, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import type { Drift } from '../../trust/lock/drift.ts'
import { lock } from './lock.ts'

/** Nothing is stated in metadata. */
const none = () => false

const changed: Drift = {
  reason: 'it changed since it was approved',
  differences: [{ field: 'files', before: 'a', after: 'b', risk: 'high', what: 'a.py changed' }],
}
const inFile = { source: { file: '/a.py', digest: '' } }

it('refuses a tool that differs from the lock file, with the differences and the way to accept them', async () => {
  expect(await refusalBy(lock({ driftOf: () => changed }), callOf(inFile))).toMatchObject({
    code: 'TRUST_DRIFT',
    message: 't does not run: it changed since it was approved.',
    hint: 'See `toolcrib diff t`, then `toolcrib approve t`.',
    details: { differences: [{ what: 'a.py changed', risk: 'high' }] },
  })
})

it('has no differences to show where nothing was pinned', async () => {
  const drift = { reason: 'the lock file cannot be used', differences: [] }
  const refusal = await refusalBy(lock({ driftOf: () => drift }), callOf(inFile))
  expect(refusal).toMatchObject({ code: 'TRUST_DRIFT', hint: 'See `toolcrib diff`.' })
  expect(refusal?.details).toBeUndefined()
})

it.each([
  ['at once', () => null, undefined],
  ['later', async () => null, undefined],
  ['later, with a difference', async () => changed, 'TRUST_DRIFT'],
])('takes an answer that comes %s', async (_when, driftOf, code) => {
  expect((await refusalBy(lock({ driftOf }), callOf(inFile)))?.code).toBe(code)
})

it('does not ask about tools that no lock file speaks of', () => {
  const { applies } = lock({ driftOf: () => changed })
  expect(applies!(callOf(inFile).tool, none)).toBe(true)
  expect(applies!(callOf({ ...inFile, tier: 'system' }).tool, none)).toBe(false)
  expect(applies!(callOf().tool, none)).toBe(false)
})
