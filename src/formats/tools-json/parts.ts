// The programs and command lines of the entries of a tools.json.
import { type CommandArg, subcommandTokens } from '../../tool/plans/command-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { type InlineCode, notYetKnown } from '../inline-code.ts'
import type { ToolParts } from '../tool-parts.ts'

export const toolsJsonParts: ToolParts = { programs, inline }

function programs(tool: Tool): string[] {
  const entries = planOf(tool, 'command')?.entries ?? []
  return entries.flatMap(({ binary, postProcess, args }) =>
    [binary, postProcess?.binary, ...args.map((arg) => arg.resolveCommand?.binary)].filter(
      (name) => name !== undefined,
    ),
  )
}

function inline(tool: Tool): InlineCode[] {
  const entries = planOf(tool, 'command')?.entries ?? []
  return entries.map(({ binary, subcommand, args }) => ({
    argv: [binary, ...subcommandTokens(subcommand), ...args.flatMap(wordsOf)],
  }))
}

function wordsOf({ kind, option, value }: CommandArg): string[] {
  if (kind === 'literal') return value === undefined ? [] : [value]
  if (kind === 'flag') return option === undefined ? [notYetKnown] : [option, notYetKnown]
  return kind === 'positional' || kind === 'tempfile' ? [notYetKnown] : []
}
