// What a call is given.
import type { Value } from './value.ts'

export interface Given {
  readonly args: readonly Value[]
  readonly named: ReadonlyMap<string, Value>
  readonly at: number
}

export const noNames: ReadonlyMap<string, Value> = new Map()
