// Requests of a tool that waits 20 ms, with 1, 2 and 4 worker processes that run 2 at once each; ms of all until the
// last response is stored, per request. A process can do no more than 100 a second then, so what is measured is how
// the work spreads, not how soon the two cores of a small machine are full. Perfect scaling halves the time.
import { alice, draft, fleetMissing, startFleet } from '../fleet.mjs'

const many = 400
const atOnce = 2

export const scenario = {
  about: 'requests over PostgreSQL and JetStream, a tool that waits 20 ms, 2 at once a process',
  unit: 'ms',
  run: { rounds: 3, warmUp: 1 },
  async setup() {
    if (fleetMissing()) return { skip: fleetMissing() }
    const fleet = await startFleet()
    const store = await fleet.openStore()
    const bus = await fleet.openBus(store)
    const side = (processes) => ({
      async measure() {
        const stops = await Promise.all(
          Array.from({ length: processes }, (_, n) => fleet.startNode(`n${n}`, atOnce)),
        )
        const began = performance.now()
        await Promise.all(
          Array.from({ length: many }, (_, n) =>
            store.crumbs.create(draft(n), alice, { request: { tool: 'job', dedupeMs: 1 } }),
          ),
        )
        for (;;) {
          const { waiting, claimed } = await store.requests.counts()
          if (waiting + claimed === 0) break
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
        const ms = (performance.now() - began) / many
        await Promise.all(stops.map((stop) => stop()))
        return ms
      },
    })
    return {
      reference: '1 process',
      sides: { '1 process': side(1), '2 processes': side(2), '4 processes': side(4) },
      async teardown() {
        await bus.close()
        await store.close()
        await fleet.remove()
      },
    }
  },
}
