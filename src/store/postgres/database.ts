// A PostgreSQL database as the store uses it: a pool, forward-only migrations behind an advisory lock, errors in
// words (never with a password), and time as the database tells it.
import type { Client, Pool, PoolConfig } from 'pg'
import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import { storeClosed, storeFault, storeNewer } from '../store-error.ts'
import { databaseError, isPassing } from './database-error.ts'
import { migrations } from './migrations.ts'

export type Row = readonly unknown[]

export interface DatabaseOptions {
  /** The schema all tables lie in; made when it is missing. */
  readonly schema?: string
  /** Connections of this process. */
  readonly connections?: number
}

const migrationLock = 7_401_883_117
const resyncMs = 10_000
/** Reads and idempotent writes are asked again this often when another transaction or a restart came between. */
const tries = 3

export class Database {
  /** The address without password, for people. */
  readonly where: string
  readonly schema: string
  readonly #pool: Pool
  readonly #makeClient: () => Client
  #isClosed = false
  #baseMs = 0
  #bestTripMs = Number.POSITIVE_INFINITY
  #resync: NodeJS.Timeout | null = null

  private constructor(where: string, schema: string, pool: Pool, makeClient: () => Client) {
    this.where = where
    this.schema = schema
    this.#pool = pool
    this.#makeClient = makeClient
    // An idle connection that breaks is replaced by the pool; the next query tells when that fails.
    pool.on('error', () => {})
    // One that breaks while it is used fails its query; without a listener it would end the whole process too.
    pool.on('connect', (client) => client.on('error', () => {}))
  }

  static async open(url: string, options: DatabaseOptions = {}): Promise<Database> {
    const address = parseAddress(url)
    const { default: pg } = await import('pg')
    const schema = options.schema ?? address.schema
    const config: PoolConfig = {
      connectionString: address.url,
      options: `-c search_path=${schema}`,
      application_name: 'toolcrib',
      connectionTimeoutMillis: 5_000,
      query_timeout: 20_000,
      keepAlive: true,
      types: {
        getTypeParser: ((oid: number, format: never) =>
          oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as never,
      },
    }
    const pool = new pg.Pool({
      ...config,
      max: options.connections ?? address.connections,
      idleTimeoutMillis: 30_000,
    })
    const db = new Database(address.shown, schema, pool, () => new pg.Client(config))
    try {
      await db.#migrate()
      for (let n = 0; n < 3; n++) await db.#sync()
    } catch (error) {
      await pool.end()
      throw databaseError(error, db.where)
    }
    db.#resync = setInterval(() => void db.#sync().catch(() => {}), resyncMs)
    db.#resync.unref()
    return db
  }

  /** The database's time, carried on by this machine's steady clock: nobody's wall clock counts. */
  readonly clock: Clock = {
    now: () => Math.round(this.#baseMs + performance.now()),
    after: systemClock.after,
  }

  /** Rows as arrays. For reads and for writes that may be repeated. */
  async query(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#ask(sql, values, tries)).rows as Row[]
  }

  /** How many rows were written. For writes that may be repeated. */
  async run(sql: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.#ask(sql, values, tries)).rowCount ?? 0
  }

  /** Once: when the answer is lost nobody knows whether it was done. */
  async once(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.#ask(sql, values, 1)).rows as Row[]
  }

  /** A connection of its own, outside the pool. */
  client(): Client {
    return this.#makeClient()
  }

  /** Runs in one transaction on one connection. */
  async transaction<T>(
    mode: string,
    work: (query: (sql: string, values?: readonly unknown[]) => Promise<Row[]>) => Promise<T>,
  ): Promise<T> {
    const client = await this.#connect()
    let failure: Error | undefined
    try {
      await client.query(`BEGIN ${mode}`)
      const value = await work(
        async (sql, values = []) =>
          (await client.query({ text: sql, values: [...values], rowMode: 'array' })).rows,
      )
      await client.query('COMMIT')
      return value
    } catch (error) {
      failure = error as Error
      await client.query('ROLLBACK').catch(() => {})
      throw databaseError(error, this.where)
    } finally {
      client.release(failure)
    }
  }

  /** Connections waited for, for the metrics. */
  get load(): { readonly total: number; readonly waiting: number } {
    return { total: this.#pool.totalCount, waiting: this.#pool.waitingCount }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#resync) clearInterval(this.#resync)
    await this.#pool.end()
  }

  async #connect() {
    if (this.#isClosed) throw storeClosed(this.where)
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw databaseError(error, this.where)
    }
  }

  async #ask(sql: string, values: readonly unknown[], most: number) {
    for (let attempt = 1; ; attempt++) {
      if (this.#isClosed) throw storeClosed(this.where)
      try {
        return await this.#pool.query(statement(sql, values))
      } catch (error) {
        const isConflict = isSerialization(error)
        if (attempt >= (isConflict ? tries : most) || !(isConflict || isPassing(error)))
          throw databaseError(error, this.where)
        await new Promise((resolve) => setTimeout(resolve, 20 * attempt))
      }
    }
  }

  async #sync(): Promise<void> {
    const asked = performance.now()
    const { rows } = await this.#pool.query({
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8',
      rowMode: 'array',
    })
    const answered = performance.now()
    const tripMs = answered - asked
    const base = Number(rows[0]![0]) - (asked + answered) / 2
    // A slow answer says little; it counts only when the clocks are further apart than it can explain.
    if (tripMs > this.#bestTripMs * 2 && Math.abs(base - this.#baseMs) < tripMs) return
    this.#bestTripMs = Math.min(this.#bestTripMs * 1.1, tripMs)
    this.#baseMs = base
  }

  async #migrate(): Promise<void> {
    const client = await this.#pool.connect()
    try {
      await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
      await client.query('BEGIN')
      const known = await client.query('SELECT 1 FROM information_schema.schemata WHERE schema_name = $1', [
        this.schema,
      ])
      if (known.rowCount === 0) await client.query(`CREATE SCHEMA ${this.schema}`)
      await client.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)')
      const version = Number(
        (await client.query('SELECT max(version) FROM schema_version')).rows[0]?.max ?? 0,
      )
      if (version > migrations.length) throw storeNewer(this.where, version, migrations.length)
      for (let step = version; step < migrations.length; step++) await client.query(migrations[step]!)
      if (version < migrations.length) {
        await client.query('DELETE FROM schema_version')
        await client.query('INSERT INTO schema_version VALUES ($1)', [migrations.length])
      }
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw error
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [migrationLock]).catch(() => {})
      client.release()
    }
  }
}

interface Address {
  readonly url: string
  readonly shown: string
  readonly schema: string
  readonly connections: number
}

/** Splits what is ours (`schema`, `connections`) from what is PostgreSQL's. */
function parseAddress(text: string): Address {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw storeFault(
      'STORE_ADDRESS',
      'The address in `store` is not a URL such as postgres://user@host:5432/database.',
      {
        hint: 'Characters such as @ : / in a password are written percent-encoded; the password may also come from PGPASSWORD.',
      },
    )
  }
  const schema = url.searchParams.get('schema') ?? 'toolcrib'
  const connections = Number(url.searchParams.get('connections') ?? 10)
  url.searchParams.delete('schema')
  url.searchParams.delete('connections')
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw storeFault('STORE_ADDRESS', `The schema "${schema}" in \`store\` is not a plain lower-case name.`, {
      hint: 'Letters, digits and _ only, for example ?schema=crib_two.',
    })
  if (!Number.isInteger(connections) || connections < 2 || connections > 200)
    throw storeFault('STORE_ADDRESS', 'connections in `store` is a whole number from 2 to 200.', {
      hint: 'Write it at the end of the address, for example ?connections=20.',
    })
  const user = url.username ? `${decodeURIComponent(url.username)}@` : ''
  return { url: url.href, shown: `postgres://${user}${url.host}${url.pathname}`, schema, connections }
}

const names = new Map<string, string>()
/** Lists come in many forms; past this many, a statement is parsed each time. */
const maxNames = 400

/** Each statement is parsed once per connection. */
function nameOf(sql: string): string | undefined {
  let name = names.get(sql)
  if (!name && names.size < maxNames) {
    name = `t${names.size}`
    names.set(sql, name)
  }
  return name
}

function statement(text: string, values: readonly unknown[]) {
  const name = nameOf(text)
  const query = { text, values: [...values], rowMode: 'array' as const }
  return name === undefined ? query : { ...query, name }
}

function isSerialization(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40P01' || code === '40001'
}
