import { describe, expect, it } from 'vitest'
import { defaultConfig } from '../config/config.ts'
import type { Refusal } from '../kernel/refusals.ts'
import type { RunHistory } from '../runs/run-history.ts'
import { makeTool } from '../tool/tool.ts'
import { type AboutCall, aboutCalls, findingOf } from './about-calls.ts'

const tool = makeTool({
  id: 'disk/wipe',
  format: 'rye',
  tier: 'project',
  source: { file: '/crib/wipe.py', digest: '' },
})
const fine = { code: 'fine', message: 'disk/wipe can be called.' }
const refusal: Refusal = {
  check: 'lock',
  code: 'TRUST_DRIFT',
  message: 'It changed.',
  hint: 'See `toolcrib diff`.',
  retryable: false,
}

const about = (more: Partial<AboutCall> = {}) =>
  aboutCalls({
    tool,
    findings: [fine],
    refusals: [],
    metadata: {},
    config: defaultConfig,
    hasStore: false,
    runs: {} as RunHistory,
    ...more,
  })

describe('what is told of calls of a tool', () => {
  it('is that it can be called where nothing refuses', async () => {
    expect(await about()).toEqual([fine])
  })

  it('is each refusal, in words of its own and without "fine"', async () => {
    const described = { code: 'description-long', message: 'Long.' }
    expect(await about({ refusals: [refusal], findings: [fine, described] })).toEqual([
      { code: 'TRUST_DRIFT', message: 'It changed.', hint: 'See `toolcrib diff`.' },
      described,
    ])
  })

  it('is who is asked before it runs, and how to answer beforehand', async () => {
    const [first] = await about({ config: { ...defaultConfig, approve: ['disk/*'] } })
    expect(first).toEqual({
      code: 'approval',
      message: 'A person is asked before disk/wipe runs: `approve` names "disk/*".',
      hint: 'Answer in the console, or approve beforehand: `toolcrib run disk/wipe --approve`.',
    })
    expect((await about({ metadata: { approve: true } }))[0]!.message).toContain('its metadata asks for it')
  })

  it('says nothing of an approval where the call would be refused anyway', async () => {
    const config = { ...defaultConfig, approve: ['**'] }
    expect((await about({ config, refusals: [refusal] })).map(({ code }) => code)).toEqual(['TRUST_DRIFT'])
  })

  it('opens no store where nothing was ever recorded', async () => {
    const runs = new Proxy({} as RunHistory, {
      get: () => {
        throw new Error('asked')
      },
    })
    expect(await about({ runs })).toEqual([fine])
    await expect(about({ runs, hasStore: true })).rejects.toThrow('asked')
  })
})

it('leaves details and whether to retry to whoever calls', () => {
  expect(Object.keys(findingOf(refusal))).toEqual(['code', 'message', 'hint'])
})
