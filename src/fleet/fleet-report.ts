// The nodes of a crib and how their work stands, as the console and the metrics show it.

import type { Bus } from '../store/bus.ts'
import type { CrumbStore, NodeRow } from '../store/store.ts'
import type { Static } from '../tool/shape.ts'
import type { fleetNodeShape, fleetReportShape } from './fleet-shape.ts'

export interface FleetNode extends Static<typeof fleetNodeShape> {}

export interface FleetReport extends Static<typeof fleetReportShape> {}

export async function fleetReport(
  store: CrumbStore,
  bus: Bus,
  self: string | null,
  subscriptions: readonly { readonly lag: number; readonly isHere: boolean }[],
): Promise<FleetReport> {
  const [rows, leases, stats, last] = await Promise.all([
    store.nodes.list(),
    store.leases.list(),
    bus.stats(),
    store.events.last(),
  ])
  const now = store.clock.now()
  const outbox =
    'outbox' in store ? await (store as { outbox: { count(): Promise<number> } }).outbox.count() : 0
  const nodeOf = (row: NodeRow): FleetNode => ({
    node: row.node,
    name: row.name,
    pid: row.pid,
    version: row.version,
    url: row.url,
    startedAt: new Date(row.startedMs).toISOString(),
    seenAt: new Date(row.seenMs).toISOString(),
    isAlive: now - row.seenMs <= store.lease.ms,
    isDraining: row.isDraining,
    running: row.running,
    capacity: row.capacity,
    leases: leases.filter(({ node }) => node === row.node).map(({ name }) => name),
  })
  return {
    store: store.kind,
    bus: bus.kind,
    self,
    nodes: rows.map(nodeOf),
    queue: { ...stats, outbox },
    // Not by position: what nobody asked for moves the feed on and leaves no work behind.
    feed: { last, lag: Math.max(0, ...subscriptions.filter((one) => one.isHere).map((one) => one.lag)) },
  }
}
