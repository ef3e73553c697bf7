// Which store and which bus the settings mean. The parts for many machines are loaded only when they are named.

import { resolve } from 'node:path'
import type { Notify } from '../tool/notify.ts'
import { type Bus, StoreBus } from './bus.ts'
import type { Clock } from './clock.ts'
import type { PostgresStore } from './postgres/postgres-store.ts'
import type { CrumbStore } from './store.ts'
import { storeFault } from './store-error.ts'

const postgresAddress = /^postgres(ql)?:\/\//i
const natsAddress = /^(nats|tls):\/\//i

/** Opens the store a setting names; a file is taken from `folder`. */
export async function openStore(
  { store: where, bus }: { readonly store: string; readonly bus: string },
  folder: string,
  clock?: Clock,
): Promise<CrumbStore> {
  if (postgresAddress.test(where)) {
    const { openPostgresStore } = await import('./postgres/postgres-store.ts')
    const store = await openPostgresStore(where)
    // Nodes that use a bus do not listen to the database: what this process writes must go through the outbox.
    if (bus !== 'memory') store.outbox.announce()
    return store
  }
  if (/^[a-z][a-z0-9+]*:\/\//i.test(where))
    throw storeFault(
      'STORE_UNSUPPORTED',
      `store: ${where.split('://')[0]}:// is not a store this version has.`,
      { hint: 'Name a file, for example `store: .toolcrib/crib.db`, or postgres://user@host:5432/database.' },
    )
  const { openSqliteStore } = await import('./sqlite/sqlite-store.ts')
  const file = where === ':memory:' ? where : resolve(folder, where)
  return clock ? openSqliteStore(file, clock) : openSqliteStore(file)
}

/** Opens the bus a setting names. */
export async function openBus(where: string, store: CrumbStore, log: Notify): Promise<Bus> {
  if (where === 'memory') return new StoreBus(store)
  if (!natsAddress.test(where))
    throw storeFault('BUS_UNSUPPORTED', `bus: ${where.split('://')[0]} is not a bus this version has.`, {
      hint: 'Write `bus: memory` or `bus: nats://host:4222`.',
    })
  if (store.kind !== 'postgres')
    throw storeFault('BUS_NEEDS_POSTGRES', 'bus: nats:// needs a store that the nodes share.', {
      hint: 'Set `store: postgres://…` too, or use `bus: memory`.',
    })
  const { openNatsBus } = await import('./nats/nats-bus.ts')
  return openNatsBus(where, store as PostgresStore, log)
}
