// How the work of the fleet stands, as Prometheus metrics: one look at store and bus for all of them per scrape.
import { Gauge, type Registry } from 'prom-client'
import type { Crib } from '../../crib/crib.ts'
import type { FleetReport } from '../../fleet/fleet-report.ts'

/** Metrics asked for within this time are of one scrape. */
const sameScrapeMs = 500

type Values = { readonly [name: string]: { readonly help: string; of(report: FleetReport): number } }

const values: Values = {
  queue_depth: { help: 'Requests that nobody has taken yet.', of: ({ queue }) => queue.depth },
  queue_in_flight: {
    help: 'Requests that are being worked on, on all nodes.',
    of: ({ queue }) => queue.inFlight,
  },
  queue_redeliveries: {
    help: 'Requests this node got that had been begun before.',
    of: ({ queue }) => queue.redeliveries,
  },
  queue_dead_letters: {
    help: 'Messages of the bus that nobody could read.',
    of: ({ queue }) => queue.deadLetters,
  },
  outbox: { help: 'Commits that the bus has not been told of.', of: ({ queue }) => queue.outbox },
  feed_last: { help: 'Position of the newest event.', of: ({ feed }) => feed.last },
  feed_lag: {
    help: 'Events that wait for, or are with, the slowest subscriber this node serves; events nobody subscribed to do not count.',
    of: ({ feed }) => feed.lag,
  },
  nodes: {
    help: 'Nodes that are alive.',
    of: ({ nodes }) => nodes.filter((node) => node.isAlive).length,
  },
}

export function addFleetMetrics(register: Registry, crib: Crib): void {
  const look = oncePerScrape(crib)
  for (const [name, { help, of }] of Object.entries(values))
    new Gauge({
      name: `toolcrib_${name}`,
      help,
      registers: [register],
      async collect() {
        const report = await look()
        if (report) this.set(of(report))
        else this.remove()
      },
    })
  new Gauge({
    name: 'toolcrib_lease_owner',
    help: '1 for each kind of lease this node holds.',
    labelNames: ['lease'],
    registers: [register],
    async collect() {
      const report = await look()
      this.reset()
      const own = report?.nodes.find((node) => node.node === report.self)
      // Labels are bounded: of leases per tool only the kind is told.
      for (const lease of own?.leases ?? []) this.set({ lease: lease.split(':')[0]! }, 1)
    },
  })
  new Gauge({
    name: 'toolcrib_store_up',
    help: '1 when store and bus answer.',
    registers: [register],
    async collect() {
      this.set((await look()) ? 1 : 0)
    },
  })
}

function oncePerScrape(crib: Crib): () => Promise<FleetReport | null> {
  let report: Promise<FleetReport | null> = Promise.resolve(null)
  let askedAt = Number.NEGATIVE_INFINITY
  const ask = async (): Promise<FleetReport | null> => {
    // A crib that reacts to nothing has no fleet, and asking must not open its store.
    if (!(await crib.crumbs.engines.catch(() => null))) return null
    return crib.crumbs.fleet().catch(() => null)
  }
  return () => {
    if (performance.now() - askedAt > sameScrapeMs) {
      askedAt = performance.now()
      report = ask()
    }
    return report
  }
}
