import { describe, expect, it } from 'vitest'
import { callOf, leaf, outcomeBy } from '../../../test/helpers/crib-with-tool.ts'
import type { Call } from '../../kernel/call.ts'
import { Kernel } from '../../kernel/kernel.ts'
import type { Check } from '../../kernel/stages.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { trace } from './trace.ts'

/** The wrapper, and what became of the calls it kept a record of. */
function recorded() {
  const records: unknown[] = []
  const record = ({ result, error }: Call) => records.push(error ?? result)
  return { records, wrapper: trace({ record }) }
}

const denied = new ToolError('CAPABILITY_DENIED', 'no')
const refusing: Check = {
  name: 'grants',
  stage: '$pre-configure',
  check() {
    throw denied
  },
}

describe('the record of a run', () => {
  it('is made once, when the result is there', async () => {
    const { records, wrapper } = recorded()
    let isRecordedEarly = true
    const run = async () => {
      isRecordedEarly = records.length > 0
      return 'done'
    }
    await outcomeBy([wrapper, leaf(run)], callOf())
    expect(isRecordedEarly).toBe(false)
    expect(records).toEqual(['done'])
  })

  it('is made of a refusal too', async () => {
    const { records, wrapper } = recorded()
    await outcomeBy([wrapper, refusing, leaf(() => 'never')], callOf())
    expect(records).toEqual([denied])
  })

  it('tells the time that the outcome tells', async () => {
    let recordedMs = -1
    const wrapper = trace({
      record: (call) => {
        recordedMs = call.elapsedMs()
      },
    })
    const outcome = await outcomeBy([wrapper, leaf(() => 1)], callOf())
    expect(outcome.ms).toBeCloseTo(recordedMs, 3)
  })
})

it('has a record of middleware only where that fails', async () => {
  const { records, wrapper } = recorded()
  const target = callOf()
  await outcomeBy([wrapper, leaf(() => 'fine')], callOf({}, { target }))
  expect(records).toEqual([])
  await outcomeBy([wrapper, refusing], callOf({}, { target }))
  expect(records).toEqual([denied])
})

it('keeps a record of a dry run, and none where all refusals are asked for', async () => {
  const { records, wrapper } = recorded()
  const kernel = new Kernel({ parts: [wrapper, refusing], resolve: () => callOf().tool })
  await expect(kernel.rehearse(callOf({}, { dryRun: true }))).rejects.toBe(denied)
  expect(records).toEqual([denied])
  expect(await kernel.refusals(callOf({}, { dryRun: true }))).toHaveLength(1)
  expect(records).toHaveLength(1)
})
