// The programs that the entries of a tools.json start.
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import type { ToolParts } from '../tool-parts.ts'

export const toolsJsonParts: ToolParts = { programs }

function programs(tool: Tool): string[] {
  const entries = planOf(tool, 'command')?.entries ?? []
  return entries.flatMap(({ binary, postProcess, args }) =>
    [binary, postProcess?.binary, ...args.map((arg) => arg.resolveCommand?.binary)].filter(
      (name) => name !== undefined,
    ),
  )
}
