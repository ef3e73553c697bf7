// Writes to the log, gathered: what is asked for while one batch is under way goes together in the next, as one
// call, one transaction and one flush to disk. The line is bounded; when it is full, writers hear so at once.
import type { Principal } from '../../tool/principal.ts'
import { isToolError } from '../../tool/tool-error.ts'
import { causationText, type PreparedWrite } from '../log-row.ts'
import type { CreateOptions, UniqueKey } from '../store.ts'
import { storeFault } from '../store-error.ts'
import type { Database } from './database.ts'

const maxPerBatch = 256
const maxBytesPerBatch = 8 * 1024 * 1024
const maxInLine = 20_000
const maxBytesInLine = 128 * 1024 * 1024

/** One row for the log, as `append` reads it. */
export type Op = { readonly [field: string]: string | number | boolean | null | undefined }

export interface OpResult {
  readonly seq?: number
  readonly duplicate?: boolean
  readonly taken?: string
  readonly version?: number
  readonly digest?: string | null
  readonly gone?: boolean
  readonly lost?: boolean
}

/** A write that was committed, for those who tell others. */
export interface Committed {
  readonly first: number
  readonly last: number
  readonly events: readonly {
    readonly seq: number
    readonly type: string
    readonly id: string
    readonly schema: string | null
    /** The schema it was of before, when that was another one. */
    readonly former?: string
  }[]
  /** Requests that may run now. */
  readonly requests: readonly string[]
}

interface Queued {
  readonly ops: readonly Op[]
  readonly bytes: number
  readonly key: string | null
  resolve(results: OpResult[]): void
  reject(error: unknown): void
}

export class Appender {
  readonly #db: Database
  #line: Queued[] = []
  #bytes = 0
  #flushing: Promise<void> | null = null
  readonly #listeners = new Set<(committed: Committed) => void>()
  /** True: every batch leaves a row in the outbox, which the bus takes out when it has told everybody. */
  isAnnounced = false

  constructor(db: Database) {
    this.#db = db
  }

  /** Ops that must be written together; one result for each, fewer when a `finish` came too late. */
  append(ops: readonly Op[]): Promise<OpResult[]> {
    const bytes = ops.reduce((sum, op) => sum + String(op['body'] ?? '').length + 500, 0)
    if (this.#line.length >= maxInLine || this.#bytes + bytes > maxBytesInLine)
      return Promise.reject(
        storeFault(
          'STORE_BUSY',
          `${this.#line.length} writes already wait for ${this.#db.where}; this one was refused.`,
          {
            hint: 'Repeat later.',
          },
        ),
      )
    return new Promise((resolve, reject) => {
      const { scope, key } = ops[0]!
      this.#line.push({ ops, bytes, key: scope === undefined ? null : `${scope} ${key}`, resolve, reject })
      this.#bytes += bytes
      this.#flushing ??= this.#flush()
    })
  }

  get waiting(): number {
    return this.#line.length
  }

  onCommit(listener: (committed: Committed) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    await this.#flushing
  }

  async #flush(): Promise<void> {
    // Writes of the same turn go together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#line.length > 0) {
      const batch = this.#nextBatch()
      try {
        await this.#write(batch)
      } catch (error) {
        if (batch.length === 1 || isToolError(error)) for (const one of batch) one.reject(error)
        // One of them is at fault: each on its own, so that the others are not.
        else for (const one of batch) await this.#write([one]).catch(one.reject)
      }
    }
    this.#flushing = null
  }

  #nextBatch(): Queued[] {
    const batch: Queued[] = []
    const keys = new Set<string>()
    let bytes = 0
    for (const one of this.#line) {
      // A key can be taken once per statement; the second one waits to see what became of the first.
      const isSecond = one.key !== null && keys.has(one.key)
      if (
        batch.length > 0 &&
        (isSecond || batch.length >= maxPerBatch || bytes + one.bytes > maxBytesPerBatch)
      )
        break
      if (one.key !== null) keys.add(one.key)
      bytes += one.bytes
      batch.push(one)
    }
    this.#line = this.#line.slice(batch.length)
    this.#bytes -= bytes
    return batch
  }

  async #write(batch: readonly Queued[]): Promise<void> {
    const ops = batch.flatMap((one) => one.ops)
    const [row] = await this.#db.once('SELECT append($1, $2)', [JSON.stringify(ops), this.isAnnounced])
    const results = row![0] as OpResult[]
    const committed = committedOf(batch, results)
    for (const [one, share] of shares(batch, results)) one.resolve(share)
    if (committed) for (const listener of this.#listeners) listener(committed)
  }
}

/** A finish that came too late gives one result for all its ops. */
function* shares(batch: readonly Queued[], results: readonly OpResult[]): Generator<[Queued, OpResult[]]> {
  let at = 0
  for (const one of batch) {
    const count = results[at]?.lost ? 1 : one.ops.length
    yield [one, results.slice(at, at + count)]
    at += count
  }
}

function committedOf(batch: readonly Queued[], results: readonly OpResult[]): Committed | null {
  const events: Committed['events'][number][] = []
  const requests: string[] = []
  for (const [one, share] of shares(batch, results))
    share.forEach(({ seq, duplicate }, index) => {
      if (seq === undefined) return
      const op = one.ops[index]!
      events.push({
        seq,
        type: String(op['type']),
        id: String(op['id']),
        schema: (op['schema_name'] as string | null) ?? null,
        former: op['former'] == null ? undefined : String(op['former']),
      })
      if (op['is_request'] && !duplicate) requests.push(String(op['id']))
    })
  if (events.length === 0) return null
  return { first: events[0]!.seq, last: events.at(-1)!.seq, events, requests }
}

/** Every schema that a commit touched: what its crumbs are of now, and what they were of. */
export function schemasOf(events: readonly { schema: string | null; former?: string }[]): Set<string | null> {
  return new Set(events.flatMap(({ schema, former }) => (former === undefined ? [schema] : [schema, former])))
}

/** Columns are text that PostgreSQL can hold: no NUL, no half of a surrogate pair. The body keeps them, escaped. */
export function plain(text: string): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text
  return (clean as string & { toWellFormed?(): string }).toWellFormed?.() ?? clean
}

export function opOf(
  write: PreparedWrite,
  {
    kind,
    type,
    principal,
    atMs,
  }: {
    readonly kind: 'create' | 'change' | 'finish' | 'also'
    readonly type: 'created' | 'updated' | 'deleted'
    readonly principal: Principal
    readonly atMs: number
  },
): Op {
  const { crumb } = write
  return {
    kind,
    type,
    id: crumb.id,
    version: crumb.version,
    at: atMs,
    owner: plain(crumb.owner_id),
    schema_name: crumb.schema_name === undefined ? null : plain(crumb.schema_name),
    visibility: crumb.visibility,
    creator: plain(crumb.created_by),
    expires: write.expires,
    tags: plain(type === 'deleted' ? '[]' : JSON.stringify(crumb.tags.map(plain))),
    body: write.body,
    causation: causationText(principal),
  }
}

export function keyFields(unique: UniqueKey | undefined): Op {
  if (!unique) return {}
  return {
    scope: plain(unique.scope),
    key: plain(unique.key),
    digest: unique.digest ?? null,
    key_expires: unique.expiresMs ?? null,
  }
}

export function requestFields(request: CreateOptions['request']): Op {
  if (!request) return {}
  return {
    is_request: true,
    tool: request.tool === undefined ? null : plain(request.tool),
    dedupe: request.dedupeKey ?? null,
    dedupe_ms: request.dedupeMs,
  }
}
