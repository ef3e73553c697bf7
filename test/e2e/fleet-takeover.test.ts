// A tool that never ends runs on exactly one of the nodes that share a PostgreSQL store, and on another one within
// seconds when that node is killed. Real processes, with and without NATS.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { type NatsServer, natsMissing, startNats } from '../helpers/servers/nats.mjs'
import { type PostgresServer, postgresMissing, startPostgres } from '../helpers/servers/postgres.mjs'
import { bundleNode, FleetNode } from '../helpers/store/fleet.ts'

const missing = postgresMissing()
if (missing !== null) console.log(`The takeover on PostgreSQL is not tested: ${missing}.`)
const withoutNats = natsMissing()
if (withoutNats !== null) console.log(`The takeover with NATS is not tested: ${withoutNats}.`)

describe.skipIf(missing !== null)('a continuous tool on PostgreSQL', () => {
  let postgres: PostgresServer
  let nats: NatsServer | null = null
  let bundle: Awaited<ReturnType<typeof bundleNode>>

  beforeAll(async () => {
    ;[postgres, bundle] = await Promise.all([startPostgres(), bundleNode()])
    if (withoutNats === null) nats = await startNats()
  }, 120_000)

  afterAll(async () => {
    await Promise.all([postgres?.remove(), nats?.remove()])
    bundle?.remove()
  }, 60_000)

  /** Signs of life in the order they were stored: which node gave them, and when. */
  const signs = async (store: PostgresStore): Promise<{ node: string; atMs: number }[]> => {
    const all: { node: string; atMs: number }[] = []
    for (let after = 0; ; ) {
      const { events, upTo } = await store.events.pageAfter({ after, limit: 500, schemas: ['alive.v1'] })
      for (const { event } of events) all.push({ node: event.title, atMs: Date.parse(event.updated_at) })
      if (events.length < 500) return all
      after = upTo
    }
  }

  const takesOver = async (schema: string, bus: string): Promise<void> => {
    const store = await openPostgresStore(postgres.url(), { schema })
    const url = `${postgres.url()}?schema=${schema}`
    const nodes = new Map(
      ['one', 'two'].map((name) => [name, new FleetNode(bundle.file, [url, bus, name, '4', 'keeper'])]),
    )
    try {
      await Promise.all([...nodes.values()].map((node) => node.start()))
      const last = async (): Promise<string | undefined> => (await signs(store)).at(-1)?.node
      while ((await last()) === undefined) await delay(50)
      for (let moves = 0; moves < 2; moves++) {
        const holder = (await last())!
        const killedMs = store.clock.now()
        await nodes.get(holder)!.kill('SIGKILL')
        while ((await last()) === holder) await delay(50)
        const first = (await signs(store)).filter(({ node }) => node !== holder).at(-1)!
        console.log(`${schema}: alive on another node after ${((first.atMs - killedMs) / 1000).toFixed(1)} s`)
        await nodes.get(holder)!.start()
      }
      const order = (await signs(store)).map(({ node }) => node)
      const stays = order.filter((node, index) => node !== order[index - 1])
      // Were it ever on two nodes at once, their signs would alternate.
      expect(stays).toEqual([order[0], order.find((node) => node !== order[0]), order[0]])
    } finally {
      await Promise.all([...nodes.values()].map((node) => node.kill()))
      await store.close()
    }
  }

  it('moves when its node is killed', () => takesOver('plain', 'memory'), 120_000)

  it.skipIf(withoutNats !== null)(
    'moves when its node is killed, with NATS as the bus',
    () => takesOver('withnats', `${nats!.url()}?prefix=withnats`),
    120_000,
  )
})
