// What was committed and must still be told to other nodes. A row covers the positions of one transaction and is
// written in it; it goes when the bus has taken the messages, so a node that dies in between loses none.
import type { Appender, Committed } from './appender.ts'
import type { Database } from './database.ts'
import type { WakeUps } from './wake-ups.ts'

const forgetAfterMs = 50

export class PostgresOutbox {
  readonly #db: Database
  readonly #appender: Appender
  readonly #wakeUps: WakeUps
  #told: number[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(db: Database, appender: Appender, wakeUps: WakeUps) {
    this.#db = db
    this.#appender = appender
    this.#wakeUps = wakeUps
  }

  /** From now on every commit leaves a row; nodes that are connected to the bus tell it. */
  announce(): void {
    this.#appender.isAnnounced = true
  }

  /** From now on every commit leaves a row and is shown to the listener. */
  open(listener: (committed: Committed) => void): () => void {
    this.announce()
    this.#wakeUps.isTold = true
    const stop = this.#appender.onCommit(listener)
    return () => {
      stop()
      this.#wakeUps.isTold = false
    }
  }

  /** The messages of this commit are safe with the bus; its row goes with others shortly after. */
  told(first: number): void {
    this.#told.push(first)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      void this.flush().catch(() => {})
    }, forgetAfterMs)
  }

  /** Takes told rows out. What fails stays and is told once more; the bus drops what it knows. */
  async flush(): Promise<void> {
    const told = this.#told
    if (told.length === 0) return
    this.#told = []
    await this.#db.run('DELETE FROM outbox WHERE first = ANY ($1)', [told])
  }

  /** Commits whose node did not get to tell them, oldest first. */
  async left(olderThanMs: number, limit: number): Promise<readonly Committed[]> {
    const rows = await this.#db.query(
      'SELECT first, last FROM outbox WHERE at < now_ms() - $1 ORDER BY first LIMIT $2',
      [olderThanMs, limit],
    )
    const found: Committed[] = []
    for (const [first, last] of rows as [number, number][]) {
      const events = await this.#db.query(
        `SELECT log.seq, log.type, log.id, log.schema_name, requests.state, former.schema_name FROM log
         LEFT JOIN log AS former ON former.seq = log.prev AND former.schema_name IS DISTINCT FROM log.schema_name
         LEFT JOIN requests ON requests.seq = log.seq WHERE log.seq BETWEEN $1 AND $2 ORDER BY log.seq`,
        [first, last],
      )
      found.push({
        first,
        last,
        events: events.map(
          ([seq, type, id, schema, , former]) =>
            ({
              seq,
              type,
              id,
              schema,
              former: former ?? undefined,
            }) as Committed['events'][number],
        ),
        requests: events.filter((row) => row[4] === 'waiting').map((row) => row[2] as string),
      })
    }
    return found
  }

  /** Requests that are free for long and should have been delivered: the bus may have lost them. */
  async forgotten(olderThanMs: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#db.query(
      `SELECT id FROM requests WHERE state IN ('waiting', 'claimed') AND due < now_ms() - $1
         AND NOT EXISTS (SELECT 1 FROM outbox WHERE requests.seq BETWEEN outbox.first AND outbox.last)
       ORDER BY seq LIMIT $2`,
      [olderThanMs, limit],
    )
    return rows.map(([id]) => id as string)
  }

  async count(): Promise<number> {
    return Number((await this.#db.query('SELECT count(*) FROM outbox'))[0]![0])
  }
}
