// Requests at a steady rate over PostgreSQL and JetStream: from being accepted to a stored response, taken, answered and
// acknowledged by the same process. BENCH_SECONDS says for how long; the target is meant for 300.
import { alice, draft, fleetMissing, startFleet } from '../fleet.mjs'

const perSecond = 200
const seconds = Number(process.env.BENCH_SECONDS ?? 20)
const atOnce = 32

export const scenario = {
  about: `${perSecond} requests a second over PostgreSQL and JetStream, for ${seconds} s`,
  unit: 'ms',
  run: { rounds: 1, warmUp: 0 },
  async setup() {
    if (fleetMissing()) return { skip: fleetMissing() }
    const fleet = await startFleet()
    const store = await fleet.openStore()
    const bus = await fleet.openBus(store)
    const begun = new Map()
    const times = []
    let free = atOnce
    let isOver = false
    let ring = () => {}
    bus.onWork(() => ring())

    async function answer(work) {
      free--
      const { crumb } = work.claimed
      const response = { ...draft(0), schema_name: 'tool.response.v1' }
      await store.requests.finish(crumb.id, 'bench', response, [], alice)
      times.push(performance.now() - begun.get(crumb.context.input.n))
      begun.delete(crumb.context.input.n)
      await work.done()
      free++
      ring()
    }
    async function takeAll() {
      while (!isOver) {
        const rung = new Promise((resolve) => {
          ring = resolve
        })
        const work =
          free > 0 ? await bus.next({ node: 'bench', leaseMs: 60_000, limits: {}, free }) : undefined
        if (work) void answer(work)
        else await rung
      }
    }
    /** Every request is due at its own time, whether the ones before it are done or not. */
    async function askAll(count) {
      const start = performance.now()
      for (let n = 0; n < count; ) {
        for (; n < count && performance.now() - start >= (n * 1000) / perSecond; n++) {
          begun.set(n, start + (n * 1000) / perSecond)
          void store.crumbs.create(draft(n), alice, { request: { tool: 'job', dedupeMs: 1 } })
        }
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    const taking = takeAll()
    const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
    return {
      reference: 'p50',
      sides: {
        p50: {
          measure: async () => {
            await askAll(perSecond)
            while (begun.size > 0) await new Promise((resolve) => setTimeout(resolve, 10))
            times.length = 0
            await askAll(perSecond * seconds)
            while (begun.size > 0) await new Promise((resolve) => setTimeout(resolve, 10))
            times.sort((one, other) => one - other)
            return at(0.5)
          },
        },
        p99: { measure: () => at(0.99) },
        'p99.9': { measure: () => at(0.999) },
      },
      async teardown() {
        isOver = true
        ring()
        await taking
        await bus.close()
        await store.close()
        await fleet.remove()
      },
    }
  },
}
