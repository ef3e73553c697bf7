// What a call passes, in order. Stages are positions and never run; checks and wrappers stand after one of them, in
// the order they are registered.
import type { Tool } from '../tool/tool.ts'
import type { Call } from './call.ts'
import { type Entry, makeEntry, type Next } from './compose.ts'

export const stages = [
  '$start',
  '$pre-configure',
  '$configure',
  '$post-configure',
  '$pre-execute',
  '$execute',
  '$post-execute',
] as const

export type Stage = (typeof stages)[number]

/** Whether the metadata of a tool, or of a level above it, states a key. */
export type States = (key: string) => boolean
const anything: States = () => true

interface Part {
  readonly name: string
  readonly stage: Stage
  /** False leaves it out where the tool serves as middleware of another call (S33). */
  readonly inEntries?: boolean
  /**
   * False leaves it out of this tool's chain: it has nothing to do in any call. Asked when the chain is composed, once
   * until the catalog or the settings change, so it depends on nothing else.
   */
  applies?(tool: Tool, states: States): boolean
}

/**
 * Looks at a call and throws to refuse it. It notes on the call what it found out (profile, params, secrets) and does
 * nothing else: a dry run, `why` and the list a client gets ask it too.
 */
export interface Check extends Part {
  /** Checks that must have passed for this one to mean anything. */
  readonly needs?: readonly string[]
  /** It judges the arguments, so it has no say where they are not known yet. */
  readonly judgesArgs?: boolean
  /** It judges what whoever asks may do, not the tool. */
  readonly judgesRights?: boolean
  check(call: Call): undefined | void | Promise<void>
}

/** Surrounds the rest of the chain. One that has nothing to do returns undefined without calling `next`. */
export interface Wrapper extends Part {
  readonly needs?: readonly string[]
  /** Code of a tool runs in it, which may ask for the rest of the chain itself. */
  readonly runsTool?: boolean
  wrap(call: Call, next: Next): unknown
  /** What it does in place of `wrap` where the tool serves as middleware and it need not stand around the rest. */
  enter?(call: Call): void
  /** What it does in place of `wrap` where nothing may run: gives the plan, or throws what it would refuse with. */
  rehearse?(call: Call): unknown
}

/** A stage, check or wrapper with its entry in a chain. */
export interface Position {
  readonly part: Part | null
  readonly entry: Entry
  /** The same where the tool serves as middleware. */
  readonly inEntry: Entry
}

/** Stages, checks and wrappers in the order a call passes them. */
export function positionsOf(parts: readonly (Check | Wrapper)[]): readonly Position[] {
  return stages.flatMap((stage) => {
    const entry = makeEntry({ name: stage, kind: 'stage' })
    return [
      { part: null, entry, inEntry: entry },
      ...parts.filter((part) => part.stage === stage).map(positionOf),
    ]
  })
}

function positionOf(part: Check | Wrapper): Position {
  const entry = entryOf(part)
  const enter = 'enter' in part ? part.enter?.bind(part) : undefined
  return { part, entry, inEntry: enter ? makeEntry({ ...entry, run: enter }) : entry }
}

function entryOf(part: Check | Wrapper): Entry {
  const { name, needs = [] } = part
  if ('check' in part) {
    const run = part.check.bind(part)
    return makeEntry({ name, kind: 'check', needs, run, rehearse: run, judgesArgs: part.judgesArgs === true })
  }
  return makeEntry({
    name,
    kind: 'wrapper',
    needs,
    runsTool: part.runsTool === true,
    run: part.wrap.bind(part),
    rehearse: part.rehearse?.bind(part) ?? null,
  })
}

/** Whether a tool's chain has this position. Without a weaver nobody knows what is stated. */
export function takesPart({ part }: Position, tool: Tool, asEntry: boolean, states?: States): boolean {
  if (part === null) return true
  return !(asEntry && part.inEntries === false) && (part.applies?.(tool, states ?? anything) ?? true)
}
