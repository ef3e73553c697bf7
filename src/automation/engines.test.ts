import { afterEach, expect, it } from 'vitest'
import { alice, Rig } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
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
