// The hosts that a tool.code document lists.
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import type { ToolParts } from '../tool-parts.ts'

export const toolCodeParts: ToolParts = { hosts }

function hosts(tool: Tool): readonly string[] {
  const { network = false, imports = [] } = planOf(tool, 'deno')?.permissions ?? {}
  // Modules come from hosts of their own, which a grant of these alone would close.
  return typeof network === 'boolean' || imports.length > 0 ? [] : network
}
