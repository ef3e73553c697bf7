import { afterAll, beforeAll, describe } from 'vitest'
import { natsMissing } from '../../helpers/servers/nats.mjs'
import { postgresMissing } from '../../helpers/servers/postgres.mjs'
import { buses, onNats, onPostgres, stores } from './databases.ts'
import { followTable } from './follow-table.ts'

const postgres = postgresMissing()
const nats = postgres ?? natsMissing()
if (nats !== null) console.info(`skipped: hints of databases: ${nats}`)

describe.skipIf(postgres !== null)('a store', () => {
  beforeAll(onPostgres.start, 120_000)
  afterAll(onPostgres.stop, 60_000)
  followTable(stores)
})

describe.skipIf(nats !== null)('a bus', () => {
  beforeAll(onNats.start, 120_000)
  afterAll(onNats.stop, 60_000)
  followTable(buses)
})
