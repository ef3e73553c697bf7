export interface CuttableProxy {
  readonly port: number
  cut(): number
  refuse(value: boolean): void
  close(): Promise<void>
}
export function freePort(): Promise<number>
export function untilOpen(port: number): Promise<void>
export function startProxy(target: number): Promise<CuttableProxy>
