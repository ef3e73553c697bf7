// Hints of stores and buses whose server is there, and is not as it should be, followed on servers of their own.
import { openBus, openStore } from '../../../src/store/open-store.ts'
import { type NatsServer, startNats } from '../../helpers/servers/nats.mjs'
import { type PostgresServer, startPostgres } from '../../helpers/servers/postgres.mjs'
import type { Step, Table } from './place.ts'

let postgres: PostgresServer
let nats: NatsServer

export const onPostgres = {
  start: async () => {
    postgres = await startPostgres()
  },
  stop: () => postgres.remove(),
}
export const onNats = {
  start: async () => {
    ;[postgres, nats] = await Promise.all([startPostgres(), startNats({ user: 'crib', password: 'right' })])
  },
  stop: () => Promise.all([postgres.remove(), nats.remove()]),
}

const store =
  (address: () => string): Step =>
  async (at) => {
    const open = await openStore({ store: address(), bus: 'memory' }, at.root)
    await open.close()
    return ''
  }
const bus =
  (address: () => string): Step =>
  async (at) => {
    const given = await openStore({ store: postgres.url(), bus: 'memory' }, at.root)
    try {
      await (await openBus(address(), given, () => {})).close()
      return ''
    } finally {
      await given.close()
    }
  }

export const stores: Table = {
  'Make it with createdb, or correct the name in `store`.': [
    store(() => postgres.url('later')),
    async (at) => {
      await postgres.query('CREATE DATABASE later')
      return store(() => postgres.url('later'))(at)
    },
  ],
  'Check the user and the password in `store` (or PGPASSWORD), and pg_hba.conf of the server.': [
    store(() => postgres.url().replace(postgres.password, 'wrong')),
    store(() => postgres.url()),
  ],
  'Set sslmode in the address, for example ?sslmode=require or ?sslmode=disable.': [
    store(() => `${postgres.url()}?sslmode=require`),
    store(() => `${postgres.url()}?sslmode=disable`),
  ],
  'Check that the server runs and that the address in `store` is right. Nodes go on by themselves when it is back.':
    [
      async (at) => {
        await postgres.stop()
        return store(() => postgres.url())(at)
      },
      async (at) => {
        await postgres.start()
        return store(() => postgres.url())(at)
      },
    ],
}

export const buses: Table = {
  'Check the user and the password in `bus`, and that the user may use JetStream.': [
    bus(() => nats.url().replace('right', 'wrong')),
    bus(() => nats.url()),
  ],
  'Check that the server runs and that the address in `bus` is right. Nodes go on by themselves when it is back.':
    [
      async (at) => {
        await nats.stop()
        return bus(() => nats.url())(at)
      },
      async (at) => {
        await nats.start()
        return bus(() => nats.url())(at)
      },
    ],
}
