export interface PostgresServer {
  readonly port: number
  readonly password: string
  readonly host: string
  url(database?: string, port?: number): string
  start(): Promise<PostgresServer>
  stop(how?: 'smart' | 'fast' | 'immediate'): Promise<void>
  query(sql: string, database?: string): Promise<Record<string, unknown>[]>
  /** Makes a database and gives its address. */
  database(name: string): Promise<string>
  remove(): Promise<void>
}
export function postgresMissing(): string | null
export function startPostgres(options?: {
  settings?: Record<string, string | number>
}): Promise<PostgresServer>
