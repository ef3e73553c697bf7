import { afterEach, expect, it } from 'vitest'
import { manualClock } from '../../test/helpers/store/manual-clock.ts'
import { alice, Rig } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import type { JsonObject } from '../tool/json.ts'
import { cribPrincipal } from '../tool/principal.ts'

let rig: Rig
afterEach(() => rig.close())

const schedule = (context: object, more: object = {}) => ({
  title: 'Morning',
  schema_name: 'schedule.definition.v1',
  tags: [],
  context,
  ...more,
})
const start = (one = rig) => one.start({ schedules: 'builtin' })
const ticks = async () =>
  (await rig.all('schedule.tick.v1')) as unknown as {
    tags: string[]
    title: string
    ttl: string
    context: JsonObject
  }[]

it('a tick is written when it is due, with the fields of the format and a life of five minutes', async () => {
  verifies('C92', 'C93')
  rig = new Rig({}, { clock: manualClock('2025-06-01T08:59:00Z') })
  await start()
  const interval = { type: 'daily', time: '09:00' }
  const { id } = await rig.crumbs.create(schedule({ interval }), alice)
  await rig.clock.advance(59_000)
  expect(await ticks()).toEqual([])
  await rig.clock.advance(1_500)
  expect(await ticks()).toMatchObject([
    {
      title: 'Schedule Tick: Morning',
      tags: ['schedule:tick', 'interval:daily', 'time:09:00'],
      ttl: '2025-06-01T09:05:00.000Z',
      context: {
        schedule_id: id,
        schedule_title: 'Morning',
        fired_at: '2025-06-01T09:00:00.000Z',
        due_at: '2025-06-01T09:00:00.000Z',
        interval_type: 'daily',
        interval_details: interval,
      },
    },
  ])
  await rig.clock.advance(60_000)
  expect(await ticks()).toHaveLength(1)
})

it.each(['goes on', 'is started anew'])(
  'is due again soon after a clock that was a day ahead is set right, and %s',
  async (how) => {
    verifies('C92')
    const [ahead, right] = [Date.parse('2025-06-02T08:59:50Z'), Date.parse('2025-06-01T08:59:50Z')]
    rig = new Rig({}, { clock: manualClock(right) })
    await start()
    await rig.crumbs.create(schedule({ interval: { type: 'minutely' } }), alice)
    const dues = async () => (await ticks()).map(({ context }) => context['due_at']).sort()
    rig.clock.jump(ahead)
    await rig.clock.advance(75_000)
    expect(await dues()).toContain('2025-06-02T09:01:00.000Z')
    rig.clock.jump(right)
    if (how === 'is started anew') {
      const { dir, clock } = rig
      await rig.close({ keep: true })
      rig = new Rig({}, { clock, dir })
      await start()
    }
    await rig.clock.advance(75_000)
    expect((await dues()).slice(0, 2)).toEqual(['2025-06-01T09:00:00.000Z', '2025-06-01T09:01:00.000Z'])
    // Set back by less than a minute, what was due then has its tick already.
    rig.clock.jump(right + 5_000)
    await rig.clock.advance(40_000)
    expect((await dues()).filter((due) => due === '2025-06-01T09:00:00.000Z')).toHaveLength(1)
  },
)

it('uses the labels it is given as they are, and only `enabled: false` is off', async () => {
  verifies('C90', 'C93')
  rig = new Rig({}, { clock: manualClock('2025-06-01T08:59:30Z') })
  await start()
  await rig.crumbs.create(
    schedule({ interval: { type: 'minutely' }, labels: ['mine'], enabled: 'no' }),
    alice,
  )
  const { id } = await rig.crumbs.create(schedule({ interval: { type: 'minutely' }, enabled: false }), alice)
  await rig.clock.advance(60_000)
  expect((await ticks()).map(({ tags }) => tags)).toEqual([['schedule:tick', 'mine']])
  await rig.crumbs.update(id, { context: { interval: { type: 'minutely' } } }, alice)
  await rig.clock.advance(60_000)
  expect(await ticks()).toHaveLength(3)
  await rig.crumbs.remove(id, alice)
  await rig.clock.advance(60_000)
  expect(await ticks()).toHaveLength(4)
})

it('does not fire once it has become something else', async () => {
  verifies('C92')
  rig = new Rig({}, { clock: manualClock('2025-06-01T08:59:30Z') })
  await start()
  const { id } = await rig.crumbs.create(schedule({ interval: { type: 'minutely' } }), alice)
  await rig.crumbs.update(id, { schema_name: 'note.v1' }, alice)
  await rig.clock.advance(60_000)
  expect(await ticks()).toEqual([])
})

it('refuses an interval that is none with SCHED_INVALID', async () => {
  verifies('C90', 'C-case-52')
  rig = new Rig()
  const made = rig.crumbs.create(schedule({ interval: { type: 'cron', expression: '61 * * * *' } }), alice)
  await expect(made).rejects.toMatchObject({ code: 'SCHED_INVALID' })
})

it.each([
  ['64 labels', Array.from({ length: 64 }, (_, n) => `l${n}`)],
  ['an empty label', ['']],
  ['a label of 201 characters', ['x'.repeat(201)]],
])('refuses %s: they could not all be tags of a tick as they are', async (_, labels) => {
  verifies('C90', 'C93', 'C110')
  rig = new Rig()
  const made = rig.crumbs.create(schedule({ interval: { type: 'hourly' }, labels }), alice)
  await expect(made).rejects.toMatchObject({
    code: 'SCHED_INVALID',
    details: [{ pointer: '/context/labels' }],
  })
})

it('fires once per due time across a restart within the minute and across two nodes', async () => {
  verifies('C94', 'C-case-49')
  const clock = manualClock('2025-06-01T08:59:30Z')
  rig = new Rig({}, { clock })
  await rig.crumbs.create(schedule({ interval: { type: 'daily', time: '09:00' } }), alice)
  const second = new Rig({}, { clock, dir: rig.dir })
  await start()
  await start(second)
  await clock.advance(31_000)
  expect(await ticks()).toHaveLength(1)
  await rig.close({ keep: true })
  await second.close({ keep: true })
  rig = new Rig({}, { clock, dir: rig.dir })
  await start()
  await clock.advance(20_000)
  expect(await ticks()).toHaveLength(1)
})

it.each([
  ['skip', 0],
  ['once', 1],
])('after three missed due times, %s makes %i ticks', async (catch_up, expected) => {
  verifies('C94', 'C-case-50')
  const clock = manualClock('2025-06-01T08:30:00Z')
  rig = new Rig({}, { clock })
  await start()
  await rig.crumbs.create(schedule({ interval: { type: 'hourly' }, catch_up }), alice)
  await rig.close({ keep: true })
  clock.jump(Date.parse('2025-06-01T11:30:00Z'))
  rig = new Rig({}, { clock, dir: rig.dir })
  await start()
  await clock.advance(0)
  const made = await ticks()
  expect(made).toHaveLength(expected)
  if (expected) expect(made[0]!.context).toMatchObject({ due_at: '2025-06-01T11:00:00.000Z', missed: 3 })
  await clock.advance(31 * 60_000)
  const events = await rig.store.events.after({ after: 0, limit: 100, schemas: ['schedule.tick.v1'] })
  expect(events.filter(({ event }) => event.type === 'breadcrumb.created')).toHaveLength(expected + 1)
})

it('what is dropped after a long pause is not counted, so that the start does not wait for it', async () => {
  verifies('C94')
  const clock = manualClock('2025-06-01T08:30:00Z')
  rig = new Rig({}, { clock })
  await start()
  const interval = { type: 'cron', expression: '* * * * *', timezone: 'America/New_York' }
  for (let count = 0; count < 10; count++) await rig.crumbs.create(schedule({ interval }), alice)
  await rig.close({ keep: true })
  clock.jump(Date.parse('2025-06-15T08:30:30Z'))
  rig = new Rig({}, { clock, dir: rig.dir })
  const began = process.cpuUsage()
  await start()
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(2_000)
  expect((await ticks()).map(({ context }) => context['due_at'])).toEqual(
    Array.from({ length: 10 }, () => '2025-06-15T08:30:00.000Z'),
  )
})

it('what was missed in years is counted at once and exactly', async () => {
  verifies('C94')
  const clock = manualClock('2022-06-01T08:30:00Z')
  rig = new Rig({}, { clock })
  await start()
  const interval = { type: 'cron', expression: '* * * * *', timezone: 'America/New_York' }
  await rig.crumbs.create(schedule({ interval, catch_up: 'once' }), alice)
  await rig.close({ keep: true })
  clock.jump(Date.parse('2025-06-01T08:30:30Z'))
  rig = new Rig({}, { clock, dir: rig.dir })
  const began = process.cpuUsage()
  await start()
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(2_000)
  // What is less than a minute late is no miss and has a tick of its own.
  const minutes = (Date.parse('2025-06-01T08:30:00Z') - Date.parse('2022-06-01T08:30:00Z')) / 60_000
  expect((await ticks()).map(({ context }) => [context['due_at'], context['missed']]).sort()).toEqual([
    ['2025-06-01T08:29:00.000Z', minutes - 1],
    ['2025-06-01T08:30:00.000Z', undefined],
  ])
})

it.each([
  { type: 'daily', time: '09:00', timezone: 'Europe/Berlin' },
  { type: 'cron', expression: '0 9 * * *' },
])('a tick that says it was fired at the end of time belongs to no due time of %j', async (interval) => {
  verifies('C95')
  rig = new Rig()
  const { id } = await rig.crumbs.create(schedule({ interval }), alice)
  const context = { schedule_id: id, fired_at: '+275760-09-13T00:00:00.000Z' }
  const tick = { title: 'Tick', schema_name: 'schedule.tick.v1', tags: [], context }
  expect(await rig.crumbs.create(tick, alice)).toMatchObject({ status: 201, isReplay: false })
})

it("a scheduler tool's own tick is the same tick: one per due time, with the engine or alone", async () => {
  verifies('C95', 'C-case-51')
  for (const engine of ['builtin', 'off'] as const) {
    rig = new Rig({}, { clock: manualClock('2025-06-01T08:59:58Z') })
    await rig.start({ schedules: engine })
    const { id } = await rig.crumbs.create(schedule({ interval: { type: 'minutely' } }), alice)
    const tick = (fired: string) => ({
      title: 'Schedule Tick: Morning',
      schema_name: 'schedule.tick.v1',
      tags: ['schedule:tick'],
      context: { schedule_id: id, schedule_title: 'Morning', fired_at: fired },
    })
    await rig.clock.advance(5_000)
    const first = await rig.crumbs.create(tick('2025-06-01T09:00:03Z'), alice)
    const again = await rig.crumbs.create(tick('2025-06-01T09:00:59Z'), cribPrincipal)
    expect(again).toMatchObject({ id: first.id, version: first.version, isReplay: true })
    expect(first.isReplay).toBe(engine === 'builtin')
    const events = await rig.store.events.after({ after: 0, limit: 100, schemas: ['schedule.tick.v1'] })
    expect(events).toHaveLength(1)
    if (engine === 'builtin') await rig.close()
  }
})

it.each(['-271821-04-21T00:00:00Z', '0001-01-01T00:00:00Z', '+275760-09-12T00:00:00Z'])(
  'a tick that says it was fired in %s is stored like any other, at once',
  async (fired_at) => {
    verifies('C95')
    rig = new Rig()
    for (const interval of [
      { type: 'cron', expression: '@daily' },
      { type: 'cron', expression: '0 0 29 2 *', timezone: 'Europe/Berlin' },
      { type: 'monthly', time: '09:00', day_of_month: 31 },
      { type: 'minutely' },
    ]) {
      const { id } = await rig.crumbs.create(schedule({ interval }), alice)
      const tick = { title: 't', schema_name: 'schedule.tick.v1', context: { schedule_id: id, fired_at } }
      expect(await rig.crumbs.create(tick, alice)).toMatchObject({ status: 201, isReplay: false })
    }
  },
)

it('nothing falls due while the crib is halted, and the last minute is made up for afterwards', async () => {
  verifies('G25')
  rig = new Rig({}, { clock: manualClock('2025-06-01T08:59:30Z') })
  let isHalted = true
  await rig.start({ schedules: 'builtin', isHalted: () => isHalted })
  await rig.crumbs.create(schedule({ interval: { type: 'minutely' } }), alice)
  await rig.clock.advance(5 * 60_000)
  expect(await ticks()).toEqual([])
  isHalted = false
  await rig.clock.advance(1_000)
  expect(await ticks()).toHaveLength(1)
})
