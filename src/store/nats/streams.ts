// The streams of a crib: work (each message for one node), events (for everybody), dead (what nobody could read).
import type { ConsumerConfig, JetStreamManager, StreamConfig } from '@nats-io/jetstream'
import type { NatsAddress } from './nats-address.ts'

const second = 1_000_000_000
const day = 86_400 * second

export interface StreamNames {
  readonly work: string
  readonly events: string
  readonly dead: string
  readonly consumer: string
  readonly workSubject: string
  readonly deadSubject: string
  /** Where an event of a schema goes. */
  eventSubject(schema: string | null, type: string): string
  readonly allEvents: string
}

export function streamNames(prefix: string): StreamNames {
  return {
    work: `${prefix}_WORK`,
    events: `${prefix}_EVENTS`,
    dead: `${prefix}_DEAD`,
    consumer: 'workers',
    workSubject: `${prefix}.work`,
    deadSubject: `${prefix}.dead`,
    eventSubject: (schema, type) => `${prefix}.event.${token(schema ?? 'none')}.${type}`,
    allEvents: `${prefix}.event.>`,
  }
}

/** A schema name as part of a subject: its dots stay, so that `crib.event.order.>` can be subscribed to. */
function token(schema: string): string {
  const parts = schema.split('.').map((part) => part.replace(/[^A-Za-z0-9_-]/g, '_') || '_')
  return parts.slice(0, 8).join('.').slice(0, 200)
}

/** Makes what is missing; what is there stays as its owner set it. */
export async function ensureStreams(
  manager: JetStreamManager,
  address: NatsAddress,
  ackWaitMs: number,
): Promise<void> {
  const names = streamNames(address.prefix)
  const common = { storage: 'file', num_replicas: address.replicas, duplicate_window: 120 * second } as const
  const streams: Partial<StreamConfig>[] = [
    {
      ...common,
      name: names.work,
      subjects: [names.workSubject],
      retention: 'workqueue',
      discard: 'new',
      max_msgs: address.maxWork,
    },
    {
      ...common,
      name: names.events,
      subjects: [names.allEvents],
      retention: 'limits',
      discard: 'old',
      max_age: day,
      max_bytes: 256 * 1024 * 1024,
    },
    {
      ...common,
      name: names.dead,
      subjects: [names.deadSubject],
      retention: 'limits',
      discard: 'old',
      max_age: 30 * day,
      max_msgs: 100_000,
    },
  ]
  for (const stream of streams) {
    const isThere = await manager.streams.info(stream.name!).then(() => true, isMissing)
    if (!isThere) await manager.streams.add(stream as StreamConfig & { name: string })
  }
  const consumer: Partial<ConsumerConfig> = {
    durable_name: names.consumer,
    ack_policy: 'explicit',
    ack_wait: ackWaitMs * 1_000_000,
    max_ack_pending: 50_000,
    max_deliver: -1,
  }
  const isThere = await manager.consumers.info(names.work, names.consumer).then(() => true, isMissing)
  if (!isThere) await manager.consumers.add(names.work, consumer)
}

/** False for "there is none"; anything else is an error. */
function isMissing(error: unknown): false {
  const { name = '', code, status } = error as { name?: string; code?: number; status?: number }
  if (/NotFound/.test(name) || code === 10059 || code === 10014 || status === 404) return false
  throw error
}
