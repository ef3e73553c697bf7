// How a process hears of new events in PostgreSQL: of its own commits at once, of others' by NOTIFY, or by the bus when
// there is one.
import type { Client } from 'pg'
import type { Database } from './database.ts'

/** How often is looked while nobody would tell. */
const pollMs = 1_000

export class WakeUps {
  readonly #db: Database
  readonly #listeners = new Map<() => void, ReadonlySet<string> | undefined>()
  #client: Client | null = null
  #poll: NodeJS.Timeout | null = null
  #isConnecting = false
  #isClosed = false
  /** True: the bus tells of others' writes, so nobody needs to listen to the database. */
  isTold = false

  constructor(db: Database) {
    this.#db = db
  }

  onAppend(listener: () => void, schemas?: ReadonlySet<string>): () => void {
    this.#listeners.set(listener, schemas)
    if (!this.#poll) {
      this.#poll = setInterval(() => this.#look(), pollMs)
      this.#poll.unref()
      this.#look()
    }
    return () => this.#listeners.delete(listener)
  }

  /** Something was written, of these schemas or of any: who waits for it looks. */
  ring(written?: ReadonlySet<string | null>): void {
    for (const [listener, schemas] of this.#listeners)
      if (!written || !schemas || [...written].some((schema) => schema !== null && schemas.has(schema)))
        listener()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#poll) clearInterval(this.#poll)
    this.#listeners.clear()
    await this.#client?.end().catch(() => {})
  }

  /** Without a connection that listens: get one, and look oneself until it is there. */
  #look(): void {
    if (this.isTold || this.#client || this.#isClosed) return
    this.ring()
    if (!this.#isConnecting) void this.#listen()
  }

  async #listen(): Promise<void> {
    this.#isConnecting = true
    const client = this.#db.client()
    const drop = (): void => {
      if (this.#client === client) this.#client = null
    }
    client.on('error', drop)
    client.on('end', drop)
    client.on('notification', () => this.ring())
    try {
      await client.connect()
      await client.query(`LISTEN "toolcrib:${this.#db.schema}"`)
      this.#client = client
      if (this.#isClosed) await client.end()
      else this.ring()
    } catch {
      // The next poll tries again; queries tell what is wrong.
      await client.end().catch(() => {})
    }
    this.#isConnecting = false
  }
}
