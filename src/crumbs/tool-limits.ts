// `fleet.tools` worked out for the tools there are: patterns become a number for each tool.
import { matchesTool } from '../sandbox/tool-grants.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolLimits } from './store.ts'

let known: { patterns: object; tools: readonly Tool[]; limits: ToolLimits } | null = null

/** The tightest pattern that matches a tool counts; tools that none matches have no limit. */
export function toolLimits(
  patterns: { readonly [pattern: string]: number },
  tools: readonly Tool[],
): ToolLimits {
  const entries = Object.entries(patterns)
  if (entries.length === 0) return {}
  if (known?.patterns === patterns && known.tools === tools) return known.limits
  const limits: Record<string, number> = {}
  for (const tool of tools)
    for (const [pattern, most] of entries)
      if (matchesTool(pattern, tool)) limits[tool.id] = Math.min(most, limits[tool.id] ?? most)
  known = { patterns, tools, limits }
  return limits
}
