// `fleet.tools` worked out for the tools there are: patterns become a number for each tool.
import { matchesTool } from '../sandbox/tool-grants.ts'
import type { ToolLimits } from '../store/store.ts'
import type { Tool } from '../tool/tool.ts'

let known: { patterns: object; tools: readonly Tool[]; limits: ToolLimits } | null = null

/** The tightest pattern that matches a tool counts; tools that none matches have no limit. */
export function toolLimits(
  patterns: { readonly [pattern: string]: number },
  tools: readonly Tool[],
): ToolLimits {
  if (Object.keys(patterns).length === 0) return {}
  if (known?.patterns === patterns && known.tools === tools) return known.limits
  const limits: Record<string, number> = {}
  for (const tool of tools) {
    const most = toolLimit(patterns, tool)
    if (most !== null) limits[tool.id] = most
  }
  known = { patterns, tools, limits }
  return limits
}

/** The limit of one tool; null when it has none. */
export function toolLimit(patterns: { readonly [pattern: string]: number }, tool: Tool): number | null {
  let tightest: number | null = null
  for (const [pattern, most] of Object.entries(patterns))
    if (matchesTool(pattern, tool)) tightest = Math.min(most, tightest ?? most)
  return tightest
}
