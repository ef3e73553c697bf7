import { afterEach, expect, it } from 'vitest'
import { admin, alice, Rig } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { scheduleStatuses } from './automation.ts'
import {
  enableSchedule,
  fireNow,
  pauseSubscriptions,
  requestStatuses,
  storedSubscriptions,
} from './by-hand.ts'

let rig: Rig
afterEach(() => rig.close())

const daily = {
  title: 'Morning',
  schema_name: 'schedule.definition.v1',
  tags: [],
  context: { interval: { type: 'daily', time: '09:00' } },
}

it('a schedule that is run by hand ticks beside its times, each time', async () => {
  verifies('D20')
  rig = new Rig()
  const { id } = await rig.crumbs.create(daily, admin)
  await fireNow(rig.crumbs, id, admin)
  await rig.clock.advance(1_000)
  await fireNow(rig.crumbs, id, admin)
  expect(await rig.all('schedule.tick.v1')).toMatchObject([
    { context: { schedule_id: id } },
    { context: { schedule_id: id } },
  ])
})

it('a paused schedule has no next times, and has them again when it goes on', async () => {
  verifies('D20')
  rig = new Rig()
  const { id } = await rig.crumbs.create(daily, admin)
  const status = async () => (await scheduleStatuses(rig.open.store, rig.clock.now()))[0]
  expect((await status())?.next).toHaveLength(5)
  await enableSchedule(rig.crumbs, { id, enabled: false }, admin)
  expect(await status()).toMatchObject({ enabled: false, next: [], nextAt: null })
  await enableSchedule(rig.crumbs, { id, enabled: true }, admin)
  expect(await status()).toMatchObject({ enabled: true, nextAt: '2025-06-02T09:00:00.000Z' })
})

it('what is no schedule cannot be fired', async () => {
  rig = new Rig()
  const { id } = await rig.crumbs.create({ title: 'n', schema_name: 'note.v1', context: {} }, admin)
  await expect(fireNow(rig.crumbs, id, admin)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('events of a paused tool wait, over a restart too, and are worked in order when it goes on', async () => {
  verifies('D20')
  const seen: unknown[] = []
  const tools = {
    watch: {
      fn: (_: never, session: { request: { trigger_event: { context: unknown } } }) =>
        seen.push(session.request.trigger_event.context),
      details: { subscriptions: [{ schema_name: 'note.v1' }] },
    },
  }
  rig = new Rig(tools as never)
  await rig.start()
  const note = (n: number) =>
    rig.crumbs.create({ title: 'n', schema_name: 'note.v1', tags: [], context: { n } }, alice)
  const pause = (paused: boolean) =>
    pauseSubscriptions(rig.crumbs, { tool: 'watch', paused, tools: rig.tools }, admin)
  await note(1)
  await rig.quiet()
  await pause(true)
  await rig.quiet()
  await note(2)
  await note(3)
  await rig.quiet()
  expect(seen).toEqual([{ n: 1 }])
  expect(await storedSubscriptions(rig.open.store, rig.tools)).toMatchObject([
    { tool: 'watch', lag: 2, isPaused: true },
  ])
  await pause(false)
  await rig.quiet()
  expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
})

it('a tool that does not listen cannot be paused, and near names are told', async () => {
  rig = new Rig({ watch: { fn: () => 1, details: { subscriptions: [{ schema_name: 'note.v1' }] } } })
  await expect(
    pauseSubscriptions(rig.crumbs, { tool: 'wach', paused: true, tools: rig.tools }, admin),
  ).rejects.toMatchObject({ code: 'NOT_FOUND', hint: 'Did you mean watch?' })
})

it('requests are told with what became of them', async () => {
  verifies('D20')
  rig = new Rig({
    add: { fn: () => 5 },
    fail: {
      fn: () => {
        throw new Error('no')
      },
    },
  })
  const ask = (tool: string) =>
    rig.crumbs.create(
      {
        title: tool,
        schema_name: 'tool.request.v1',
        tags: ['tool:request', 'workspace:tools'],
        context: { tool, input: {} },
      },
      alice,
    )
  await ask('add')
  await ask('fail')
  const states = async () => {
    const all = await requestStatuses(rig.crumbs, { limit: 9, principal: admin })
    return Object.fromEntries(all.map(({ tool, state }) => [tool, state]))
  }
  expect(await states()).toEqual({ add: 'waiting', fail: 'waiting' })
  await rig.start()
  await rig.quiet()
  expect(await states()).toEqual({ add: 'done', fail: 'failed' })
})
