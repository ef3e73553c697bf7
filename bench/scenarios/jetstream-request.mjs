// One request from its acceptance to its stored response over PostgreSQL and JetStream, against the same steps bare:
// insert, publish, pull, mark as taken, insert the answer, acknowledge. Eight at once on both sides.
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { alice, draft, fleetMissing, startFleet } from '../fleet.mjs'
import { installedPeer } from '../peers/installed-peer.mjs'

const many = 160
const atOnce = 8

export const scenario = {
  about: 'a request and its response over PostgreSQL and JetStream',
  unit: 'µs',
  run: { rounds: 7, warmUp: 2 },
  async setup() {
    if (fleetMissing()) return { skip: fleetMissing() }
    const fleet = await startFleet()
    const store = await fleet.openStore()
    const bus = await fleet.openBus(store)
    const pool = new pg.Pool({ connectionString: fleet.postgres.url(), max: 10 })
    await pool.query('CREATE TABLE bare (id bigserial PRIMARY KEY, state text, body text NOT NULL)')
    const connection = await connect({ servers: fleet.at.bus.replace('nats://', '') })
    const manager = await jetstreamManager(connection)
    await manager.streams.add({ name: 'BARE', subjects: ['bare'], retention: 'workqueue' })
    await manager.consumers.add('BARE', { durable_name: 'bare', ack_policy: 'explicit' })
    const js = jetstream(connection)
    const consumer = await js.consumers.get('BARE', 'bare')
    const insert = (state, body) =>
      pool.query({
        name: 'insert',
        text: 'INSERT INTO bare(state, body) VALUES ($1, $2) RETURNING id',
        values: [state, body],
      })

    const bareRound = async () => {
      const accept = async (n) =>
        js.publish('bare', String((await insert('waiting', JSON.stringify(draft(n)))).rows[0].id))
      const accepted = Promise.all(Array.from({ length: atOnce }, (_, n) => accept(n)))
      const messages = await consumer.fetch({ max_messages: atOnce, expires: 5_000 })
      const answered = []
      for await (const message of messages)
        answered.push(
          (async () => {
            await pool.query({
              name: 'take',
              text: "UPDATE bare SET state = 'claimed' WHERE id = $1",
              values: [message.string()],
            })
            await insert('done', JSON.stringify(draft(0)))
            message.ack()
          })(),
        )
      await Promise.all([accepted, ...answered])
    }
    const wake = { ring: () => {} }
    bus.onWork(() => wake.ring())
    const ourRound = async () => {
      const accepted = Promise.all(
        Array.from({ length: atOnce }, (_, n) =>
          store.crumbs.create(draft(n), alice, { request: { tool: 'job', dedupeMs: 1 } }),
        ),
      )
      const answered = []
      while (answered.length < atOnce) {
        const rung = new Promise((resolve) => {
          wake.ring = resolve
        })
        const work = await bus.next({
          node: 'bench',
          leaseMs: 60_000,
          limits: {},
          free: atOnce - answered.length,
        })
        if (!work) await rung
        else
          answered.push(
            store.requests
              .finish(
                work.claimed.crumb.id,
                'bench',
                { ...draft(0), schema_name: 'tool.response.v1' },
                [],
                alice,
              )
              .then(() => work.done()),
          )
      }
      await Promise.all([accepted, ...answered])
    }
    const peer = installedPeer('@dbos-inc/dbos-sdk', 'dbos.mjs')
    const dbos = peer && (await (await import(peer)).openDbos(fleet.postgres.url('dbos')))
    const dbosRound = () => Promise.all(Array.from({ length: atOnce }, (_, n) => dbos.request(draft(n))))
    const repeat = (round) => async () => {
      for (let n = 0; n < many; n += atOnce) await round()
    }
    return {
      reference: 'bare steps',
      sides: {
        'bare steps': { work: repeat(bareRound), operations: many },
        ours: { work: repeat(ourRound), operations: many },
        ...(dbos && { 'DBOS, one process, no bus': { work: repeat(dbosRound), operations: many } }),
      },
      async teardown() {
        await dbos?.close()
        await connection.close()
        await pool.end()
        await bus.close()
        await store.close()
        await fleet.remove()
      },
    }
  },
}
