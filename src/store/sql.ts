// One way to ask either database. Statements are written once, in PostgreSQL's words, with `$1`, `$2` … and `:now`, the
// time as the store tells it; the embedded store translates the few words that it says differently.

export type SqlValue = string | number | null | readonly (string | number)[]
export type Row = readonly unknown[]

export interface Statement {
  readonly sql: string
  readonly values?: readonly SqlValue[]
}

/** A database. A statement may be repeated when its answer was lost. */
export interface Sql {
  query(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>
  /** The first row, when there is one. */
  first(sql: string, values?: readonly SqlValue[]): Promise<Row | undefined>
  /** How many rows were written. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>
  /**
   * Runs in one transaction, one after the other of those that give the same name: what a statement finds does not
   * change before it has written. Gives the rows that each wrote.
   */
  runInTurn(name: string, statements: readonly Statement[]): Promise<readonly number[]>
}

/** Values of one statement, gathered while it is built. */
export class Values {
  readonly list: SqlValue[] = []

  /** Puts a value in and gives the parameter that stands for it. */
  add(value: SqlValue): string {
    this.list.push(value)
    return `$${this.list.length}`
  }
}
