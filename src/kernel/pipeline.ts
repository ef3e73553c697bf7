// The standard places of a chain. Sentinels are places and never run; guards stand after one of them, in the
// order they are registered; metadata middleware is sorted in between.
import type { Tool } from '../tool/tool.ts'
import type { Call } from './call.ts'
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
  /** What it does in place of `run` when the tool serves as middleware: cheaper, since that happens all the time. */
  readonly runInEntry?: (call: Call) => unknown
}

/** Sentinels and guards in the order a call passes them. */
export function pipelineOf(guards: readonly Guard[]): readonly (Guard | ChainEntry)[] {
  return sentinels.flatMap((name) => [{ name, run: null }, ...guards.filter((guard) => guard.after === name)])
}

/** Whether an entry of the pipeline runs for a tool. */
export function takesPart(entry: Guard | ChainEntry, tool: Tool, asChainEntry: boolean): boolean {
  if (!('after' in entry)) return false
  return !(asChainEntry && !entry.inChainEntries) && (entry.applies?.(tool) ?? true)
}
