// One breadcrumb into PostgreSQL, against a bare INSERT of the same text: one after the other, and 64 at once.
import pg from 'pg'
import { alice, draft, fleetMissing, startFleet } from '../fleet.mjs'

const many = 200
const atOnce = 64

export const scenario = {
  about: 'storing a breadcrumb in PostgreSQL',
  unit: 'µs',
  run: { rounds: 7, warmUp: 2 },
  async setup() {
    if (fleetMissing()) return { skip: fleetMissing() }
    const fleet = await startFleet()
    const store = await fleet.openStore()
    const pool = new pg.Pool({ connectionString: fleet.postgres.url(), max: 10 })
    await pool.query(
      'CREATE TABLE bare (id bigserial PRIMARY KEY, at timestamptz DEFAULT now(), body text NOT NULL)',
    )
    const insert = (n) =>
      pool.query({
        name: 'bare',
        text: 'INSERT INTO bare(body) VALUES ($1) RETURNING id',
        values: [JSON.stringify(draft(n))],
      })
    const create = (n) => store.crumbs.create(draft(n), alice)
    const inTurn = (write) => async () => {
      for (let n = 0; n < many; n++) await write(n)
    }
    const together = (write) => async () => {
      for (let n = 0; n < many; n += atOnce)
        await Promise.all(Array.from({ length: atOnce }, (_, k) => write(n + k)))
    }
    const rounded = Math.ceil(many / atOnce) * atOnce
    return {
      reference: 'bare insert',
      sides: {
        'bare insert': { work: inTurn(insert), operations: many },
        ours: { work: inTurn(create), operations: many },
        'bare insert, 64 at once': { work: together(insert), operations: rounded },
        'ours, 64 at once': { work: together(create), operations: rounded },
      },
      async teardown() {
        await pool.end()
        await store.close()
        await fleet.remove()
      },
    }
  },
}
