// The nodes of a crib and how their work stands, as the console and the metrics show it.
import type { Bus, BusStats } from '../store/bus.ts'
import type { CrumbStore, NodeRow } from '../store/store.ts'

export interface FleetNode {
  readonly node: string
  readonly name: string
  readonly pid: number
  readonly version: string
  readonly url: string | null
  readonly startedAt: string
  readonly seenAt: string
  /** False when it has been silent for longer than a lease lasts. */
  readonly isAlive: boolean
  readonly isDraining: boolean
  readonly running: number
  readonly capacity: number
  /** What only one node does at a time, and this one does: schedules, bootstrap, service:…, sub:…, outbox. */
  readonly leases: readonly string[]
}

export interface FleetReport {
  readonly store: 'sqlite' | 'postgres'
  readonly bus: 'memory' | 'nats'
  /** The node that answers; null when it reacts to nothing. */
  readonly self: string | null
  readonly nodes: readonly FleetNode[]
  readonly queue: BusStats & {
    /** Commits that were not yet told to the bus. */
    readonly outbox: number
  }
  /** Position of the newest event, and how many events that it wants the slowest subscriber of this node has to do. */
  readonly feed: { readonly last: number; readonly lag: number }
}

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
