// What operators get wrong and what servers do at the worst moment: clear words, no password in them, nothing lost,
// and work that goes on by itself.

import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type NatsServer, natsMissing, startNats } from '../../test/helpers/servers/nats.mjs'
import { type PostgresServer, postgresMissing, startPostgres } from '../../test/helpers/servers/postgres.mjs'
import { hidePassword } from '../config/hide-password.ts'
import type { Work } from '../store/bus.ts'
import type { CrumbDraft } from '../store/crumb.ts'
import { parseNatsAddress } from '../store/nats/nats-address.ts'
import { openNatsBus } from '../store/nats/nats-bus.ts'
import { openBus, openStore } from '../store/open-store.ts'
import { openPostgresStore, type PostgresStore } from '../store/postgres/postgres-store.ts'
import { cribPrincipal } from '../tool/principal.ts'

const missing = postgresMissing() ?? natsMissing()
if (missing !== null) console.log(`Bad input for PostgreSQL and NATS is skipped: ${missing}.`)

const draft: CrumbDraft = {
  title: 't',
  context: { tool: 'job' },
  tags: [],
  schema_name: 'tool.request.v1',
  visibility: 'team',
  sensitivity: 'low',
}
const request = { request: { tool: 'job', dedupeMs: 1 } }

it.each([
  ['postgres://crib:geheim@db:5432/x', 'postgres://crib:***@db:5432/x'],
  ['nats://u:ge%40heim@a:1,b:2', 'nats://u:***@a:1,b:2'],
  ['nats://geheim@a:1', 'nats://***@a:1'],
  ['.toolcrib/crib.db', '.toolcrib/crib.db'],
])('%s is shown as %s', (given, shown) => {
  expect(hidePassword(given)).toBe(shown)
})

it.each([
  'nats://',
  'nats://a:b:c',
  'kafka://x',
  'nats://h?prefix=a b',
  'nats://h?replicas=9',
  'nats://u:geheim@h:99999999',
])('the bus %s is refused without its password', (address) => {
  let message = ''
  try {
    parseNatsAddress(address)
  } catch (error) {
    message = (error as Error).message
  }
  expect(message).toMatch(/bus/)
  expect(message).not.toContain('geheim')
})

describe.skipIf(missing !== null)('with PostgreSQL and NATS', () => {
  let postgres: PostgresServer
  let nats: NatsServer
  let open: { close(): Promise<unknown> }[] = []
  let count = 0

  beforeAll(async () => {
    ;[postgres, nats] = await Promise.all([
      startPostgres(),
      startNats({ user: 'crib', password: 'geheim-nats' }),
    ])
  })
  afterAll(() => Promise.all([postgres.remove(), nats.remove()]))
  afterEach(async () => {
    for (const one of open.reverse()) await one.close()
    open = []
  })

  const newStore = async (schema = `bad${++count}`): Promise<PostgresStore> => {
    const store = await openPostgresStore(postgres.url(), { schema })
    open.push(store)
    return store
  }
  const newBus = async (store: PostgresStore, more = '') => {
    const bus = await openNatsBus(`${nats.url()}?prefix=bad${count}${more}`, store)
    open.push(bus)
    return bus
  }
  const next = async (bus: Awaited<ReturnType<typeof newBus>>): Promise<Work> => {
    for (;;) {
      const work = await bus.next({ node: 'n', leaseMs: 60_000, limits: {}, free: 4 })
      if (work) return work
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  it.each([
    ['a wrong password', () => postgres.url().replace(postgres.password, 'geheim-falsch'), 'STORE_DENIED'],
    ['nobody there', () => 'postgres://crib:geheim@127.0.0.1:1/x', 'STORE_UNREACHABLE'],
    ['no such database', () => postgres.url('geheimnis'), 'STORE_MISSING'],
    ['no URL at all', () => 'postgres://crib:geheim@@@', 'STORE_ADDRESS'],
    ['a schema that is none', () => `${postgres.url()}?schema=a;drop`, 'STORE_ADDRESS'],
    ['another kind of database', () => 'mysql://crib:geheim@h/x', 'STORE_UNSUPPORTED'],
  ])('%s is told in words, without the password', async (_, address, code) => {
    const failure = await openStore({ store: address(), bus: 'memory' }, '.').catch((error) => error)
    expect(failure).toMatchObject({ code, retryable: true, hint: expect.any(String) })
    expect(`${failure.message} ${failure.hint}`).not.toMatch(/geheim(?!nis)|loopback-only/)
  })

  it.each([
    ['a wrong password', () => nats.url().replace('geheim-nats', 'geheim-falsch'), 'BUS_DENIED'],
    ['nobody there', () => 'nats://127.0.0.1:1', 'BUS_UNREACHABLE'],
    ['another bus', () => 'kafka://geheim@x', 'BUS_UNSUPPORTED'],
  ])('a bus with %s is told in words, without the password', async (_, address, code) => {
    const failure = await openBus(address(), await newStore(), () => {}).catch((error) => error)
    expect(failure).toMatchObject({ code, retryable: true, hint: expect.any(String) })
    expect(failure.message).not.toContain('geheim')
  })

  it('an old schema is brought up to date by whoever comes first, and a newer one is left alone', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => newStore('together')))
    await Promise.all(stores.map((store) => store.crumbs.create(draft, cribPrincipal)))
    expect(await stores[0]!.events.last()).toBe(3)
    await postgres.query('UPDATE together.schema_version SET version = 99')
    await expect(openPostgresStore(postgres.url(), { schema: 'together' })).rejects.toMatchObject({
      code: 'STORE_NEWER',
    })
  })

  it('a message that names no request is put aside, and the work behind it goes on', async () => {
    const store = await newStore()
    const bus = await newBus(store)
    const connection = await connect({ servers: `127.0.0.1:${nats.port}`, user: 'crib', pass: 'geheim-nats' })
    const js = jetstream(connection)
    for (const poison of ['not an id', '\0'.repeat(5000), '00000000-0000-7000-8000-000000000000'])
      await js.publish(`bad${count}.work`, poison)
    const { id } = await store.crumbs.create(draft, cribPrincipal, request)
    expect((await next(bus)).claimed.crumb.id).toBe(id)
    await vi.waitFor(async () => expect((await bus.stats()).deadLetters).toBe(3), 10_000)
    await connection.close()
  })

  it('a full stream keeps requests in the store, and they are done when there is room', async () => {
    const store = await newStore()
    const bus = await newBus(store, '&maxWork=2')
    const made = await Promise.all(
      Array.from({ length: 6 }, () => store.crumbs.create(draft, cribPrincipal, request)),
    )
    const done = new Set<string>()
    while (done.size < made.length) {
      const work = await next(bus)
      await store.requests.finish(
        work.claimed.crumb.id,
        'n',
        { ...draft, schema_name: 'tool.response.v1' },
        [],
        cribPrincipal,
      )
      await work.done()
      done.add(work.claimed.crumb.id)
    }
    expect([...done].sort()).toEqual(made.map(({ id }) => id).sort())
  }, 60_000)

  it('what a NATS that lost its disk had is sent again', async () => {
    const store = await newStore()
    const bus = await newBus(store)
    const { id } = await store.crumbs.create(draft, cribPrincipal, request)
    await vi.waitFor(async () => expect(await store.outbox.count()).toBe(0), 10_000)
    await nats.forget()
    await nats.start()
    expect((await next(bus)).claimed.crumb.id).toBe(id)
  }, 60_000)

  it('a request whose writer died before it told anybody is delivered all the same', async () => {
    const writer = await newStore()
    writer.outbox.announce()
    const reader = await newStore(`bad${count}`)
    const bus = await newBus(reader)
    const { id } = await writer.crumbs.create(draft, cribPrincipal, request)
    expect((await next(bus)).claimed.crumb.id).toBe(id)
  }, 60_000)

  it('a node whose clock is wrong by minutes keeps the time of the database, for leases and crumbs', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * 60_000 })
    try {
      const ahead = await newStore()
      const right = await newStore(`bad${count}`)
      const [row] = (await ahead.db.query('SELECT now_ms()')) as [number][]
      expect(Math.abs(ahead.clock.now() - row![0])).toBeLessThan(2_000)
      await right.leases.acquire('x', 'right', 60_000)
      expect(await ahead.leases.acquire('x', 'ahead', 60_000)).toBe(false)
      const { id } = await ahead.crumbs.create(draft, cribPrincipal)
      const made = await right.crumbs.get(id)
      expect(Math.abs(Date.parse(made!.created_at) - row![0])).toBeLessThan(5_000)
    } finally {
      vi.useRealTimers()
    }
  })

  it('streams are made once, whoever starts first', async () => {
    const store = await newStore()
    await Promise.all([newBus(store), newBus(store), newBus(store)])
    const connection = await connect({ servers: `127.0.0.1:${nats.port}`, user: 'crib', pass: 'geheim-nats' })
    const manager = await jetstreamManager(connection)
    const info = await manager.streams.info(`bad${count}_WORK`)
    expect(info.config).toMatchObject({ retention: 'workqueue', discard: 'new' })
    await connection.close()
  })
})
