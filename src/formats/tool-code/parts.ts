// The code that a tool.code document holds, and the hosts it lists.
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import type { InlineCode } from '../inline-code.ts'
import type { ToolParts } from '../tool-parts.ts'

export const toolCodeParts: ToolParts = { hosts, inline }

function hosts(tool: Tool): readonly string[] {
  const { network = false, imports = [] } = planOf(tool, 'deno')?.permissions ?? {}
  // Modules come from hosts of their own, which a grant of these alone would close.
  return typeof network === 'boolean' || imports.length > 0 ? [] : network
}

function inline(tool: Tool): InlineCode[] {
  const plan = planOf(tool, 'deno')
  return plan ? [{ language: plan.language, text: plan.source }] : []
}
