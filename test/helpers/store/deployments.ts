// Every way a crib can be deployed, for tests that must hold for all of them: the same store contract over
// memory, a file and PostgreSQL, and the same work contract over the store's own queue and JetStream.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bus, StoreBus } from '../../../src/store/bus.ts'
import { openNatsBus } from '../../../src/store/nats/nats-bus.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { CrumbStore } from '../../../src/store/store.ts'
import { type NatsServer, natsMissing, startNats } from '../servers/nats.mjs'
import { type PostgresServer, postgresMissing, startPostgres } from '../servers/postgres.mjs'

/** One node's view of a deployment. */
export interface Deployed {
  readonly store: CrumbStore
  readonly bus: Bus
  close(): Promise<void>
}

export interface Deployment {
  readonly name: string
  /** Why it cannot be had here; null when it can. */
  readonly missing: string | null
  /** True: several nodes can share it. */
  readonly isShared: boolean
  begin(): Promise<void>
  /** A new and empty one for each test. */
  fresh(): void
  /** A node on the current one. */
  open(): Promise<Deployed>
  end(): Promise<void>
}

let count = 0

export function deployments(): Deployment[] {
  return [memory(), file(), postgres(), postgresAndNats()]
}

function memory(): Deployment {
  let store: CrumbStore | null = null
  return {
    name: 'memory',
    missing: null,
    isShared: false,
    async begin() {},
    fresh() {
      store = null
    },
    async open() {
      store ??= openSqliteStore(':memory:')
      const kept = store
      return { store: kept, bus: new StoreBus(kept), close: async () => {} }
    },
    async end() {
      await store?.close()
    },
  }
}

function file(): Deployment {
  let dir = ''
  return {
    name: 'SQLite',
    missing: null,
    isShared: true,
    async begin() {
      dir = mkdtempSync(join(tmpdir(), 'crumbs-deployed-'))
    },
    fresh() {
      count++
    },
    async open() {
      const store = openSqliteStore(join(dir, `crib-${count}.db`))
      return { store, bus: new StoreBus(store), close: () => store.close() }
    },
    async end() {
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function postgres(): Deployment {
  let server: PostgresServer
  return {
    name: 'PostgreSQL',
    missing: postgresMissing(),
    isShared: true,
    async begin() {
      server = await startPostgres()
    },
    fresh() {
      count++
    },
    async open() {
      const store = await openPostgresStore(server.url(), { schema: `crib${count}` })
      return { store, bus: new StoreBus(store), close: () => store.close() }
    },
    async end() {
      await server.remove()
    },
  }
}

function postgresAndNats(): Deployment {
  let server: PostgresServer
  let nats: NatsServer
  return {
    name: 'PostgreSQL and JetStream',
    missing: postgresMissing() ?? natsMissing(),
    isShared: true,
    async begin() {
      server = await startPostgres()
      nats = await startNats()
    },
    fresh() {
      count++
    },
    async open() {
      const store = await openPostgresStore(server.url(), { schema: `crib${count}` })
      const bus = await openNatsBus(`${nats.url()}?prefix=crib${count}`, store)
      return {
        store,
        bus,
        async close() {
          await bus.close()
          await store.close()
        },
      }
    },
    async end() {
      await server.remove()
      await nats.remove()
    },
  }
}
