import { describe, expect, it } from 'vitest'
import { callOf } from '../../test/helpers/crib-with-tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Call } from './call.ts'
import { type Entry, makeEntry } from './compose.ts'
import { refusals, rehearse } from './refusals.ts'

/** An entry that answers where nothing may run; `run` would be a fault of whoever asks. */
function asked(name: string, answer: (call: Call) => unknown, more: Partial<Entry> = {}): Entry {
  return makeEntry({ name, kind: 'check', run: () => expect.unreachable(), rehearse: answer, ...more })
}

const refusing = (name: string, more: Partial<Entry> = {}) =>
  asked(
    name,
    () => {
      throw new ToolError('CAPABILITY_DENIED', `${name} says no`, { hint: 'Ask.' })
    },
    more,
  )

function chainOf(...chain: Entry[]): Call {
  const call = callOf()
  call.chain = chain
  return call
}

describe('refusals', () => {
  it('name the entry, the code, the message and the hint, in the order of the chain', async () => {
    const later = asked('b', async () => {
      throw new ToolError('PARAMS_INVALID', 'b says no')
    })
    const call = chainOf(refusing('a'), makeEntry({ name: '$execute', kind: 'stage' }), later)
    expect(await refusals(call)).toMatchObject([
      { check: 'a', code: 'CAPABILITY_DENIED', message: 'a says no', hint: 'Ask.' },
      { check: 'b', code: 'PARAMS_INVALID', message: 'b says no' },
    ])
  })

  it('run no entry that has no answer of its own', async () => {
    const silent = makeEntry({ name: 'limits', kind: 'wrapper', run: () => expect.unreachable() })
    expect(await refusals(chainOf(silent, refusing('a')))).toHaveLength(1)
  })

  it('end where a plan does', async () => {
    const planned = asked('delegate', () => ({ plan: {} }))
    expect(await refusals(chainOf(planned, refusing('execute')))).toEqual([])
  })

  it('tell the entries behind which checks refused', async () => {
    let seen: string[] = []
    const looking = asked('execute', ({ refused }) => {
      seen = [...refused]
    })
    await refusals(chainOf(refusing('params'), refusing('config', { needs: ['params'] }), looking))
    expect(seen).toEqual(['params', 'config'])
  })

  it('take an error without a code for a failure of the tool', async () => {
    const broken = asked('middleware', () => {
      throw new TypeError('x is not a function')
    })
    expect(await refusals(chainOf(broken))).toMatchObject([
      { check: 'middleware', code: 'TOOL_FAILED', message: expect.stringContaining('x is not a function') },
    ])
  })
})

describe('a rehearsal', () => {
  it('stops at the first refusal', async () => {
    const order: string[] = []
    const noting = (name: string) => asked(name, () => void order.push(name))
    const call = chainOf(noting('a'), refusing('b'), noting('c'))
    await expect(rehearse(call)).rejects.toMatchObject({ message: 'b says no' })
    expect(order).toEqual(['a'])
  })

  it('gives the first plan, or nothing where there is none', async () => {
    const plan = { plan: { function: 't' } }
    expect(
      await rehearse(
        chainOf(
          asked('execute', async () => plan),
          refusing('never'),
        ),
      ),
    ).toBe(plan)
    expect(await rehearse(chainOf(asked('ready', () => undefined)))).toBeUndefined()
  })
})
