import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deployments } from '../../test/helpers/store/deployments.ts'
import { manualClock } from '../../test/helpers/store/manual-clock.ts'
import { alice, Rig } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { defaultConfig } from '../config/config.ts'
import { keepMs } from '../config/keep-ms.ts'
import { verifyRuns } from '../runs/verify-runs.ts'
import { rowOf } from '../store/run-record.ts'

let rig: Rig
afterEach(() => rig.close())

const hour = 60 * 60_000
const ranAt = (startedAt: string) =>
  rowOf({ kind: 'run', runId: startedAt, tool: 't', caller: 'c', surface: 'cli', startedAt, ok: true })

async function afterHours(keep: { events: string; runs: string }, hours: number) {
  rig = new Rig()
  await rig.start({ keep: { eventsMs: keepMs(keep.events), runsMs: keepMs(keep.runs) } })
  await rig.store.runs.append([ranAt('2025-06-01T11:00:00.000Z'), ranAt('2025-06-01T12:00:00.000Z')])
  const { id } = await rig.crumbs.create({ title: 'Note', context: {}, schema_name: 'note.v1' }, alice)
  await rig.crumbs.remove(id, alice)
  await rig.crumbs.create({ title: 'Last', context: {} }, alice)
  rig.clock.jump(rig.clock.now() + hours * hour)
  await rig.clock.advance(11 * 60_000)
  const events = await rig.store.events.after({ after: 0, limit: 10, schemas: ['note.v1'] })
  return { events: events.length, ...(await verifyRuns(rig.store.runs)) }
}

it('removes runs and events that are older than they are kept; the chain stays good', async () => {
  verifies('C114')
  expect(await afterHours({ events: '2h', runs: '150m' }, 1.7)).toMatchObject({
    events: 2,
    ok: true,
    count: 1,
    removed: 1,
  })
  await rig.clock.advance(30 * 60_000)
  expect(await rig.store.events.after({ after: 0, limit: 10, schemas: ['note.v1'] })).toEqual([])
})

it('removes nothing that is kept for ever', async () => {
  expect(await afterHours({ events: 'forever', runs: 'forever' }, 24 * 365)).toMatchObject({
    events: 2,
    ok: true,
    count: 2,
    removed: 0,
  })
})

it.each([
  ['30m', 30 * 60_000],
  ['12h', 12 * hour],
  ['90d', 90 * 24 * hour],
  ['forever', null],
])('%s is that many milliseconds', (text, ms) => {
  rig = new Rig()
  expect(keepMs(text)).toBe(ms)
})

describe.each(deployments().filter(({ missing }) => missing === null))('on $name', (deployment) => {
  beforeAll(() => deployment.begin())
  afterAll(() => deployment.end())

  it('removes what is too old a minute after the start, by what the defaults say of runs', async () => {
    deployment.fresh()
    const { store, close } = await deployment.open()
    const clock = manualClock('2025-06-01T12:00:00Z')
    rig = new Rig({}, { store, clock })
    // Events are dated by the database's own clock, which stands where it stands.
    await rig.start({ keep: { eventsMs: -60_000, runsMs: keepMs(defaultConfig.runs.keep) } })
    await rig.store.runs.append([ranAt('2025-02-01T12:00:00.000Z'), ranAt('2025-05-01T12:00:00.000Z')])
    const { id } = await rig.crumbs.create({ title: 'Note', context: {}, schema_name: 'note.v1' }, alice)
    await rig.crumbs.remove(id, alice)
    await rig.crumbs.create({ title: 'Last', context: {} }, alice)
    await clock.advance(61_000)
    await expect
      .poll(async () => verifyRuns(rig.store.runs))
      .toMatchObject({ ok: true, count: 1, removed: 1 })
    expect(await rig.store.events.after({ after: 0, limit: 10, schemas: ['note.v1'] })).toEqual([])
    await rig.open.close()
    await close()
  })
})
