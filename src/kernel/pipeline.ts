// The standard places of a chain. Sentinels are places and never run; guards stand after one of them, in the
// order they are registered; a skill's metadata middleware is sorted in between.
import type { Tool } from '../tool/tool.ts'
import type { ChainEntry, Middleware } from './chain.ts'

export const sentinels = [
  '$start',
  '$pre-configure',
  '$configure',
  '$post-configure',
  '$pre-execute',
  '$execute',
  '$post-execute',
] as const

export type Sentinel = (typeof sentinels)[number]

/** A middleware of the kernel that no tool can remove, move or silence. */
export interface Guard {
  readonly name: string
  readonly after: Sentinel
  /** Whether it also runs when the tool serves as middleware of another call. */
  readonly inChainEntries: boolean
  /** False leaves it out of this tool's chain; asked once per tool, so it must depend on the tool alone. */
  applies?(tool: Tool): boolean
  readonly run: Middleware
}

/** The guards of one tool in the order they run. */
export function guardChain(guards: readonly Guard[], tool: Tool, asChainEntry: boolean): ChainEntry[] {
  const chain: ChainEntry[] = []
  for (const sentinel of sentinels) {
    for (const guard of guards) {
      if (guard.after !== sentinel) continue
      if (asChainEntry && !guard.inChainEntries) continue
      if (guard.applies && !guard.applies(tool)) continue
      chain.push(guard)
    }
  }
  return chain
}
