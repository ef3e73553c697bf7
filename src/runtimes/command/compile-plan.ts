// A plan made ready to run: patterns compiled and subcommands split once per tool, not once per call.
import { compilePattern, type Pattern } from '../../tool/pattern.ts'
import type { CommandArg, CommandEntry, CommandPlan } from '../../tool/plans/command-plan.ts'

const patternLimitMs = 1_000

export interface CompiledArg extends CommandArg {
  readonly deny: Pattern | null
}

export interface CompiledHint {
  readonly pattern: Pattern | null
}

export interface CompiledEntry extends CommandEntry {
  readonly args: readonly CompiledArg[]
  readonly hints: readonly CompiledHint[]
}

export interface CompiledPlan extends CommandPlan {
  readonly entries: readonly CompiledEntry[]
}

const compiled = new WeakMap<CommandPlan, CompiledPlan>()

/** The plan of a tool, compiled on its first call and kept as long as the tool itself. */
export function compilePlan(plan: CommandPlan): CompiledPlan {
  let known = compiled.get(plan)
  if (!known) {
    known = { ...plan, entries: plan.entries.map(compileEntry) }
    compiled.set(plan, known)
  }
  return known
}

function compileEntry(entry: CommandEntry): CompiledEntry {
  const pattern = (source: string | undefined) =>
    source === undefined ? null : compilePattern(source, patternLimitMs)
  return {
    ...entry,
    args: entry.args.map((arg) => ({ ...arg, deny: pattern(arg.denyPattern) })),
    hints: (entry.hintConditions ?? []).map((hint) => ({ pattern: pattern(hint.match) })),
  }
}
