// One SQLite file, opened for many processes at once: WAL, a busy timeout, forward-only migrations, and
// writes that are gathered into one transaction when they are asked for together.
import { closeSync, openSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type LibsqlDatabase from 'libsql'
import { makeFolder } from '../../config/make-folder.ts'
import type { ErrorCode } from '../../tool/error-codes.ts'
import { isToolError, type ToolError } from '../../tool/tool-error.ts'
import { storeClosed, storeFault, storeNewer } from '../store-error.ts'
import { migrations } from './migrations.ts'
import { insertRows, type RowInsert } from './row-insert.ts'

export type Value = string | number | null | Buffer
export type Row = readonly Value[]

const busyTimeoutMs = 10_000
/**
 * A commit writes about seven pages to the journal, many of them the same as the one before. Carried over every 4,000
 * (16 MB) instead of every 1,000 pages, most of them are carried over once for several commits.
 */
const journalPages = 4_000
/** How often commits of other processes are looked for. */
const watchMs = 50

interface QueuedWrite {
  readonly work: WriteWork | RowWork
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface WriteWork {
  run(): unknown
  readonly isOneStatement: boolean
}

interface RowWork {
  readonly insert: RowInsert
  readonly values: readonly Value[]
}

/** A prepared statement that gives rows as plain arrays. */
export interface Query {
  get(...values: Value[]): Row | undefined
  all(...values: Value[]): Row[]
  /** Number of rows changed. */
  run(...values: Value[]): number
  /** Row number of the inserted row. */
  insert(...values: Value[]): number
}

const require = createRequire(import.meta.url)
const turn = Promise.resolve()

/** Loaded by the first use, so that a crib that never needs its database never pays for the native part. */
function libsql(): typeof LibsqlDatabase {
  // It reads from a report of the process which C library there is. The names of network peers, which such a report
  // looks up, are not needed for that.
  const report = process.report as { excludeNetwork?: boolean | undefined }
  const { excludeNetwork } = report
  report.excludeNetwork = true
  try {
    return require('libsql')
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

export class Database {
  readonly file: string
  readonly #db: LibsqlDatabase.Database
  readonly #queries = new Map<string, Query>()
  #queue: QueuedWrite[] = []
  #isOpen = true
  #commits = 0
  #dataVersion = 0
  #watch: NodeJS.Timeout | null = null
  readonly #listeners = new Set<() => void>()

  constructor(file: string) {
    this.file = file
    this.#db = this.#guard(() => {
      if (file !== ':memory:') {
        makeFolder(dirname(file))
        makePrivate(file)
      }
      const Libsql = libsql()
      const db = new Libsql(file, { timeout: busyTimeoutMs } as never)
      db.exec(`PRAGMA busy_timeout=${busyTimeoutMs}`)
      db.exec(
        `PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=${journalPages};
         PRAGMA foreign_keys=OFF; PRAGMA temp_store=MEMORY`,
      )
      return db
    })
    try {
      this.#guard(() => this.#migrate())
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  /** How often this connection has written. */
  get commits(): number {
    return this.#commits
  }

  /** A statement, prepared once. */
  query(sql: string): Query {
    let query = this.#queries.get(sql)
    if (!query) {
      const statement = this.#db.prepare(sql)
      if (statement.reader) statement.raw(true)
      query = {
        get: (...values) => statement.get(values) as Row | undefined,
        all: (...values) => statement.all(values) as Row[],
        run: (...values) => statement.run(values).changes,
        insert: (...values) => Number(statement.run(values).lastInsertRowid),
      }
      this.#queries.set(sql, query)
    }
    return query
  }

  /** Reads at once; what was acknowledged before is seen. */
  read<T>(run: () => T): T {
    this.#mustBeOpen()
    return this.#guard(run)
  }

  /**
   * Runs `op` in a write transaction together with the other writes asked for in this turn. An op checks before it
   * writes: a ToolError means that it wrote nothing, any other error undoes the batch and runs it singly.
   * An op of one statement that is alone in its turn needs no transaction around it.
   */
  write<T>(op: () => T, options: { readonly isOneStatement?: boolean } = {}): Promise<T> {
    return this.#enqueue({ run: op, isOneStatement: options.isOneStatement === true })
  }

  /** A write that is one row and nothing else: rows of one turn go in together. */
  insertRow(insert: RowInsert, values: readonly Value[]): Promise<void> {
    return this.#enqueue({ insert, values })
  }

  /** Calls back after commits, of this process or of another one that has the file open. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (!this.#watch && this.file !== ':memory:') {
      this.#dataVersion = this.#currentDataVersion()
      this.#watch = setInterval(() => this.#lookForOthers(), watchMs)
      this.#watch.unref()
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0 && this.#watch) {
        clearInterval(this.#watch)
        this.#watch = null
      }
    }
  }

  close(): void {
    if (!this.#isOpen) return
    this.#flush()
    this.#isOpen = false
    if (this.#watch) clearInterval(this.#watch)
    this.#queries.clear()
    this.#db.close()
  }

  #enqueue<T>(work: WriteWork | RowWork): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.#isOpen) return reject(storeClosed(this.file))
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      // Less than half of what queueMicrotask costs, and this is done for every write.
      if (this.#queue.length === 1) void turn.then(() => this.#flush())
    })
  }

  #flush(): void {
    const batch = this.#queue
    if (batch.length === 0 || !this.#isOpen) return
    this.#queue = []
    this.#commits++
    const settle = this.#runBatch(batch) ?? batch.flatMap((one) => this.#runBatch([one])!)
    for (const done of settle) done()
    for (const listener of this.#listeners) listener()
  }

  /** Null: the batch was undone and must be run one by one. */
  #runBatch(batch: readonly QueuedWrite[]): (() => void)[] | null {
    const settle: (() => void)[] = []
    const isBare = batch.length === 1 && isOneStatement(batch[0]!.work)
    let rows: RowWork[] = []
    const insert = (): void => {
      if (rows.length > 0)
        insertRows(
          this,
          rows[0]!.insert,
          rows.map(({ values }) => values),
        )
      rows = []
    }
    try {
      if (!isBare) this.query('BEGIN IMMEDIATE').run()
      for (const one of batch) {
        const { work } = one
        if ('insert' in work) {
          if (rows.length > 0 && rows[0]!.insert !== work.insert) insert()
          rows.push(work)
          settle.push(() => one.resolve(undefined))
          continue
        }
        insert()
        try {
          const value = work.run()
          settle.push(() => one.resolve(value))
        } catch (error) {
          if (!isToolError(error)) throw error
          settle.push(() => one.reject(error))
        }
      }
      insert()
      if (!isBare) this.query('COMMIT').run()
      return settle
    } catch (error) {
      this.#rollback()
      if (batch.length > 1) return null
      return [() => batch[0]!.reject(storeError(error, this.file))]
    }
  }

  #rollback(): void {
    try {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself already.
    }
  }

  #migrate(): void {
    const current = (): number => Number(this.query('PRAGMA user_version').get()?.[0] ?? 0)
    if (current() > migrations.length) throw storeNewer(this.file, current(), migrations.length)
    if (current() === migrations.length) return
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      for (let step = current(); step < migrations.length; step++) this.#db.exec(migrations[step]!)
      this.#db.exec(`PRAGMA user_version=${migrations.length}`)
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#rollback()
      throw error
    }
  }

  #currentDataVersion(): number {
    return Number(this.query('PRAGMA data_version').get()?.[0] ?? 0)
  }

  #lookForOthers(): void {
    try {
      const version = this.#currentDataVersion()
      if (version === this.#dataVersion) return
      this.#dataVersion = version
    } catch {
      return
    }
    for (const listener of this.#listeners) listener()
  }

  #mustBeOpen(): void {
    if (!this.#isOpen) throw storeClosed(this.file)
  }

  #guard<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      throw storeError(error, this.file)
    }
  }
}

/**
 * What is recorded is nobody else's; SQLite gives its journal the rights of the file. One that is there is never
 * opened here: closing it would take the locks of every other connection of this process with it.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function isOneStatement(work: WriteWork | RowWork): boolean {
  return 'insert' in work || work.isOneStatement
}

/** A database failure in words: what happened to which file and what to do. */
function storeError(error: unknown, file: string): unknown {
  if (isToolError(error)) return error
  const code = String((error as { code?: unknown }).code ?? '')
  const text = `${code} ${(error as Error).message ?? ''}`
  const make = (short: ErrorCode, message: string, hint: string): ToolError =>
    storeFault(short, message, { hint, cause: error })
  if (/CORRUPT|NOTADB|malformed|not a database/i.test(text))
    return make(
      'STORE_CORRUPT',
      `The store ${file} is damaged or is no SQLite database.`,
      'Nothing was written to it. Move the file aside (with its -wal and -shm) and restore a backup, or start with a new one.',
    )
  if (/SQLITE_FULL|ENOSPC|disk is full/i.test(text))
    return make(
      'STORE_FULL',
      `The disk of ${file} is full: nothing was stored.`,
      'Free some space and repeat.',
    )
  if (/READONLY|CANTOPEN|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|EEXIST|unable to open/i.test(text))
    return make(
      'STORE_UNWRITABLE',
      `The store ${file} cannot be opened for writing.`,
      'Check that the folder exists and that you may write to it, or set `store` in toolcrib.yaml.',
    )
  if (/BUSY|LOCKED|locked/i.test(text))
    return make(
      'STORE_BUSY',
      `The store ${file} is locked by another process for over ${busyTimeoutMs / 1000} s.`,
      'Repeat later, or end the process that holds it.',
    )
  if (/IOERR|disk I\/O/i.test(text))
    return make(
      'STORE_IO',
      `Reading or writing ${file} failed: ${(error as Error).message}.`,
      'Check the disk.',
    )
  return error
}
