// The standard places of a chain. Sentinels are places and never run; guards stand after one of them, in the
// order they are registered; metadata middleware is sorted in between.
import type { Tool } from '../tool/tool.ts'
import type { Call } from './call.ts'
import { type ChainEntry, chainEntry, type Middleware } from './chain.ts'

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
  /** Whether it decides from what is at hand, so that its time is told only where it waits. */
  readonly isQuick?: boolean
  /** Whether code of the tool itself runs in it, which may ask for the rest of the chain. */
  readonly runsTool?: boolean
  readonly run: Middleware
  /** What it does in place of `run` when the tool serves as middleware: cheaper, since that happens all the time. */
  readonly runInEntry?: (call: Call) => unknown
}

/** A place of the pipeline, with the forms its entry has in a call and in one that serves as middleware. */
export interface Place {
  readonly name: string
  /** null: a sentinel. */
  readonly guard: Guard | null
  readonly inCall: ChainEntry
  readonly inEntry: ChainEntry
}

/** Sentinels and guards in the order a call passes them. */
export function pipelineOf(guards: readonly Guard[]): readonly Place[] {
  return sentinels.flatMap((name) => {
    const never = chainEntry(name, null)
    const sentinel: Place = { name, guard: null, inCall: never, inEntry: never }
    return [sentinel, ...guards.filter((guard) => guard.after === name).map(placeOfGuard)]
  })
}

function placeOfGuard(guard: Guard): Place {
  const { name, run, runInEntry, isQuick, runsTool } = guard
  const inCall = chainEntry(name, run, isQuick, runsTool)
  return { name, guard, inCall, inEntry: runInEntry ? chainEntry(name, runInEntry, isQuick) : inCall }
}

/** Whether the guard of a place runs for a tool. */
export function takesPart({ guard }: Place, tool: Tool, asChainEntry: boolean): boolean {
  if (!guard) return false
  return !(asChainEntry && !guard.inChainEntries) && (guard.applies?.(tool) ?? true)
}
