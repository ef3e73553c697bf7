export interface NatsServer {
  readonly port: number
  url(port?: number): string
  start(): Promise<NatsServer>
  stop(signal?: NodeJS.Signals): Promise<void>
  forget(): Promise<void>
  remove(): Promise<void>
}
export function natsMissing(): string | null
export function startNats(options?: { user?: string; password?: string }): Promise<NatsServer>
