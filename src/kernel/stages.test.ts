import { describe, expect, it } from 'vitest'
import { callOf } from '../../test/helpers/crib-with-tool.ts'
import { type Check, positionsOf, stages, takesPart, type Wrapper } from './stages.ts'

const check: Check = { name: 'grants', stage: '$pre-configure', check: () => {} }
const wrapper: Wrapper = { name: 'limits', stage: '$pre-execute', wrap: (_call, next) => next() }
const { tool } = callOf()

const named = (parts: readonly (Check | Wrapper)[]) => positionsOf(parts).map(({ entry }) => entry.name)
const only = (part: Check | Wrapper) => positionsOf([part]).find((position) => position.part === part)!

describe('positions', () => {
  it('are the stages alone where there are no parts, and none of them runs', () => {
    expect(named([])).toEqual(stages)
    expect(positionsOf([]).every(({ entry }) => entry.run === null)).toBe(true)
  })

  it('have parts behind their stage, in the order they were registered', () => {
    const second = { ...check, name: 'allowed-tools' }
    const found = named([wrapper, check, second])
    expect(found.slice(1, 4)).toEqual(['$pre-configure', 'grants', 'allowed-tools'])
    expect(found.slice(-4)).toEqual(['$pre-execute', 'limits', '$execute', '$post-execute'])
  })
})

describe('the entry of a check', () => {
  it('asks the same where nothing may run', () => {
    const calls: unknown[] = []
    const { entry } = only({ ...check, check: (call) => void calls.push(call) })
    const call = callOf()
    entry.run!(call, () => expect.unreachable())
    entry.rehearse!(call)
    expect(calls).toEqual([call, call])
  })

  it('carries what the check needs and whether it judges arguments', () => {
    const { entry } = only({ ...check, needs: ['params'], judgesArgs: true })
    expect(entry).toMatchObject({ kind: 'check', needs: ['params'], judgesArgs: true, takesNext: false })
    expect(only(check).entry).toMatchObject({ needs: [], judgesArgs: false })
  })
})

describe('the entry of a wrapper', () => {
  it('has no answer where nothing may run, unless the wrapper gives one', () => {
    expect(only(wrapper).entry.rehearse).toBeNull()
    const planned = only({ ...wrapper, rehearse: () => ({ plan: 1 }) })
    expect(planned.entry.rehearse!(callOf())).toEqual({ plan: 1 })
  })

  it('does something else where the tool serves as middleware and the wrapper says so', () => {
    let entered = 0
    const { entry, inEntry } = only({ ...wrapper, enter: () => void entered++ })
    inEntry.run!(callOf(), () => expect.unreachable())
    expect(entered).toBe(1)
    expect(entry.run!(callOf(), () => 'the rest')).toBe('the rest')
    const same = only(wrapper)
    expect(same.inEntry).toBe(same.entry)
  })
})

describe('a part', () => {
  it('belongs to every chain unless it says otherwise, and so does a stage', () => {
    for (const position of positionsOf([check]))
      expect([takesPart(position, tool, false, () => false), takesPart(position, tool, true)]).toEqual([
        true,
        true,
      ])
  })

  it('can be left out where the tool serves as middleware', () => {
    const position = only({ ...check, inEntries: false })
    expect([takesPart(position, tool, false, () => false), takesPart(position, tool, true)]).toEqual([
      true,
      false,
    ])
  })

  it('can be left out of the chains of tools that state nothing it looks at', () => {
    const position = only({ ...check, applies: (_tool, states) => states('retry') })
    expect(takesPart(position, tool, false, () => false)).toBe(false)
    expect(takesPart(position, tool, false, (key) => key === 'retry')).toBe(true)
  })

  it('can be left out of the chains of some tools', () => {
    const position = only({ ...check, applies: ({ id }) => id === 'other' })
    expect(takesPart(position, tool, false, () => false)).toBe(false)
    expect(takesPart(position, { ...tool, id: 'other' }, false)).toBe(true)
  })
})
