import { afterEach, expect, it, vi } from 'vitest'
import { alice, Rig } from '../../test/helpers/store/rig.ts'
import { fleetReport } from './fleet-report.ts'

let rig: Rig
afterEach(() => rig.close())

it('counts as lag what subscribers wait to do, and nothing that nobody wants', async () => {
  let go = () => {}
  const gone = new Promise<void>((resolve) => {
    go = resolve
  })
  rig = new Rig({
    slow: { fn: () => gone, details: { subscriptions: [{ schema_name: 'note.v1', tag: 'hot' }] } },
  })
  const engines = await rig.start()
  const stats = { depth: 0, inFlight: 0, redeliveries: 0, deadLetters: 0 }
  const bus = { kind: 'memory', stats: async () => stats } as never
  const feed = async () => (await fleetReport(rig.store, bus, null, engines.subscriptions.status())).feed
  const add = (tag: string) =>
    rig.crumbs.create({ title: 'n', schema_name: 'note.v1', tags: [tag], context: {} }, alice)
  for (let n = 0; n < 5; n++) await add('cold')
  for (let n = 0; n < 3; n++) await add('hot')
  for (let n = 0; n < 5; n++) await add('cold')
  await vi.waitFor(async () => expect((await feed()).lag).toBe(3), { timeout: 30_000 })
  expect((await feed()).last).toBeGreaterThanOrEqual(13)
  go()
  await vi.waitFor(async () => expect((await feed()).lag).toBe(0), { timeout: 30_000 })
})
