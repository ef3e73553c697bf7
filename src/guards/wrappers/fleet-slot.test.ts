import { expect, it } from 'vitest'
import { callOf, leaf, outcomeBy } from '../../../test/helpers/crib-with-tool.ts'
import { type Config, defaultConfig } from '../../config/config.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { fleetSlot } from './fleet-slot.ts'

function limiting(tools: Config['fleet']['tools']): Config {
  return { ...defaultConfig, fleet: { ...defaultConfig.fleet, tools } }
}

/** The wrapper of a tool with a limit, and what happens in which order. */
function limited() {
  const events: string[] = []
  const wrapper = fleetSlot({
    config: limiting({ '*': 1 }),
    async slot() {
      events.push('taken')
      return async () => void events.push('given back')
    },
  })
  const run = (value: () => unknown) =>
    leaf(() => {
      events.push('ran')
      return value()
    })
  return { events, wrapper, run }
}

it('runs a tool inside its slot and gives it back', async () => {
  const { events, wrapper, run } = limited()
  expect(await outcomeBy([wrapper, run(() => 'done')], callOf())).toMatchObject({ ok: true, value: 'done' })
  expect(events).toEqual(['taken', 'ran', 'given back'])
})

it('gives the slot back where the tool fails', async () => {
  const { events, wrapper, run } = limited()
  const failing = run(() => Promise.reject(new ToolError('TOOL_FAILED', 'no')))
  expect(await outcomeBy([wrapper, failing], callOf())).toMatchObject({ error: { code: 'TOOL_FAILED' } })
  expect(events).toEqual(['taken', 'ran', 'given back'])
})

it('takes none for a request that brings its own', async () => {
  const { events, wrapper, run } = limited()
  await outcomeBy([wrapper, run(() => 1)], callOf({}, { hasSlot: true }))
  expect(events).toEqual(['ran'])
})

it('is in no chain where nothing is limited', () => {
  const by = (tools: Config['fleet']['tools']) => fleetSlot({ config: limiting(tools), slot: () => null })
  const { tool } = callOf()
  expect(by({}).applies!(tool, () => false)).toBe(false)
  expect(by({ other: 1 }).applies!(tool, () => false)).toBe(true)
})

it('makes a tool without a limit wait for nothing', () => {
  const wrapper = fleetSlot({ config: limiting({ other: 1 }), slot: () => null })
  expect(wrapper.wrap(callOf(), () => expect.unreachable())).toBeUndefined()
})

it('does not run a tool that gets no slot', async () => {
  const slot = () => Promise.reject(new ToolError('TIMEOUT', 'no slot in time'))
  const full = fleetSlot({ config: limiting({ '*': 1 }), slot })
  const { events, run } = limited()
  expect(await outcomeBy([full, run(() => 1)], callOf())).toMatchObject({ error: { code: 'TIMEOUT' } })
  expect(events).toEqual([])
})
