// Moves a crib from one store to another: every table in order, in pages, verified by count and checksum. The
// target must be empty; the source is read as of one moment and left as it is.
import { createHash } from 'node:crypto'
import { ToolError } from '../tool/tool-error.ts'
import { storeFault } from './store-error.ts'

export type Cell = string | number | null
export type TableRow = readonly Cell[]

export interface CopiedTable {
  readonly name: string
  /** Both stores have these columns; what one of them adds is worked out from them. */
  readonly columns: readonly string[]
  readonly order: readonly string[]
}

/** In the order they are written. Leases and nodes belong to running processes, the outbox to a bus: they stay. */
const copiedTables: readonly CopiedTable[] = [
  {
    name: 'log',
    columns: [
      'seq',
      'id',
      'version',
      'type',
      'at',
      'prev',
      'owner',
      'schema_name',
      'visibility',
      'creator',
      'expires',
      'tags',
      'body',
      'causation',
      'reason',
    ],
    order: ['seq'],
  },
  {
    name: 'heads',
    columns: ['seq', 'id', 'version', 'owner', 'schema_name', 'visibility', 'creator', 'expires'],
    order: ['seq'],
  },
  { name: 'tags', columns: ['tag', 'seq', 'schema_name'], order: ['seq', 'tag'] },
  {
    name: 'unique_keys',
    columns: ['scope', 'key', 'crumb', 'version', 'digest', 'expires'],
    order: ['scope', 'key'],
  },
  {
    name: 'requests',
    columns: ['seq', 'id', 'state', 'node', 'due', 'attempts', 'first_at', 'dedupe', 'response', 'tool'],
    order: ['seq'],
  },
  { name: 'cursors', columns: ['name', 'position', 'working', 'attempts', 'note'], order: ['name'] },
  {
    name: 'secrets',
    columns: ['id', 'owner', 'name', 'scope_type', 'scope_id', 'sealed', 'created_at', 'updated_at'],
    order: ['id'],
  },
  {
    name: 'runs',
    columns: ['seq', 'run_id', 'kind', 'tool', 'caller', 'ok', 'body', 'hash'],
    order: ['seq'],
  },
  { name: 'runs_head', columns: ['count', 'hash', 'base', 'base_hash'], order: ['count'] },
  { name: 'seeds', columns: ['file', 'crumb', 'version', 'digest'], order: ['file'] },
  {
    name: 'accesses',
    columns: ['tool', 'kind', 'what', 'denied', 'address', 'count', 'last'],
    order: ['tool', 'kind', 'what', 'denied'],
  },
]

/** A store as the copy sees it. */
export interface CopyEnd {
  readonly where: string
  /** Runs with everything as of one moment. */
  read<T>(work: (pages: (table: CopiedTable) => AsyncIterable<readonly TableRow[]>) => Promise<T>): Promise<T>
  isEmpty(): Promise<boolean>
  /** Writes all tables in one transaction; what `fill` throws undoes it. */
  write(
    fill: (insert: (table: CopiedTable, rows: readonly TableRow[]) => Promise<void>) => Promise<void>,
  ): Promise<void>
  close(): Promise<void>
}

export interface CopyReport {
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly sha256: string }[]
}

export async function copyStore(from: CopyEnd, to: CopyEnd): Promise<CopyReport> {
  if (!(await to.isEmpty()))
    throw new ToolError('STORE_NOT_EMPTY', `The store ${to.where} is not empty, so nothing was copied.`, {
      hint: 'Copy into a new file, a new database, or another ?schema= of it.',
    })
  const sums = new Map<string, Checksum>()
  await from.read((pages) =>
    to.write(async (insert) => {
      for (const table of copiedTables) {
        const sum = new Checksum()
        for await (const rows of pages(table)) {
          sum.add(rows)
          await insert(table, rows)
        }
        sums.set(table.name, sum)
      }
    }),
  )
  return to.read(async (pages) => {
    const tables: { name: string; rows: number; sha256: string }[] = []
    for (const table of copiedTables) {
      const found = new Checksum()
      for await (const rows of pages(table)) found.add(rows)
      const expected = sums.get(table.name)!
      const sha256 = found.digest()
      if (found.rows !== expected.rows || sha256 !== expected.digest())
        throw storeFault(
          'STORE_COPY_DIFFERS',
          `${table.name} in ${to.where} has ${found.rows} rows with another checksum than the ${expected.rows} of ${from.where}.`,
          { hint: 'Do not use the copy. The source was not changed.' },
        )
      tables.push({ name: table.name, rows: found.rows, sha256 })
    }
    return { tables }
  })
}

/** Over the rows as JSON, in order. */
class Checksum {
  readonly #hash = createHash('sha256')
  #digest: string | null = null
  rows = 0

  add(rows: readonly TableRow[]): void {
    for (const row of rows) this.#hash.update(JSON.stringify(row)).update('\n')
    this.rows += rows.length
  }

  digest(): string {
    this.#digest ??= this.#hash.digest('hex')
    return this.#digest
  }
}
