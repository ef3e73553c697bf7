// The shape of what is known of the nodes that share a store.
import { named, t } from '../tool/shape.ts'

export const fleetNodeShape = t.object({
  node: t.text(),
  name: t.text(),
  pid: t.integer(),
  version: t.text(),
  url: t.orNull(t.text()),
  startedAt: t.text(),
  seenAt: t.text(),
  isAlive: t.boolean({ description: 'False when it has been silent for longer than a lease lasts.' }),
  isDraining: t.boolean(),
  running: t.integer(),
  capacity: t.integer(),
  leases: t.list(t.text(), {
    description:
      'What only one node does at a time, and this one does: schedules, bootstrap, service:…, sub:…, outbox.',
  }),
})

export const fleetReportShape = named(
  'FleetReport',
  t.object({
    store: t.oneOf(['sqlite', 'postgres']),
    bus: t.oneOf(['memory', 'nats']),
    self: t.orNull(t.text(), { description: 'The node that answers; null when it reacts to nothing.' }),
    nodes: t.list(fleetNodeShape),
    queue: t.object({
      depth: t.integer({ description: 'Pieces of work nobody has taken yet.' }),
      inFlight: t.integer({ description: 'Pieces of work that are being done.' }),
      redeliveries: t.integer({ description: 'Deliveries beyond the first, since this node started.' }),
      deadLetters: t.integer({ description: 'Messages put aside because nobody could read them.' }),
      outbox: t.integer({ description: 'Commits that the bus has not been told of yet.' }),
    }),
    feed: t.object({
      last: t.integer({ description: 'Position of the newest event.' }),
      lag: t.integer({ description: 'Wanted events that the slowest subscriber of this node has to do.' }),
    }),
  }),
)
