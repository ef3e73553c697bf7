// On a clash of ids a tool that nobody vouches for never wins over one that somebody does (G8): it yields, whatever its
// tier, its place and its format.
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import { isSetAside } from '../trust/set-aside.ts'

const yieldsCode = 'yields-to-vouched'

/** Whether a tool lost its id to one that somebody vouches for. */
export function hasYielded({ problems }: Tool): boolean {
  return problems.some(({ code }) => code === yieldsCode)
}

/** Which tool it is, over every reading of the files. */
export function claimOf({ format, id, source }: Tool): string {
  return `${format}:${id}:${source.file ?? ''}`
}

/** The claims that yield. Only tools of contested ids are asked about. */
export function yieldingClaims(
  tools: readonly Tool[],
  isVouched: (tool: Tool) => boolean,
): ReadonlySet<string> {
  const byId = new Map<string, Tool | Tool[]>()
  for (const tool of tools) {
    const known = byId.get(tool.id)
    if (!known) byId.set(tool.id, tool)
    else if (Array.isArray(known)) known.push(tool)
    else byId.set(tool.id, [known, tool])
  }
  const yielding = new Set<string>()
  for (const rivals of byId.values()) {
    if (!Array.isArray(rivals)) continue
    const mayWin = rivals.filter((tool) => !isSetAside(tool) && isVouched(tool))
    if (mayWin.length === 0) continue
    for (const tool of rivals) if (!mayWin.includes(tool)) yielding.add(claimOf(tool))
  }
  return yielding
}

/** A tool of a unit that others hide, with the claims of those. */
export interface Hidden {
  readonly tool: Tool
  readonly behind: readonly string[]
}

/** The claims of units that hide one that somebody vouches for, and that nobody vouches for. */
export function hidingClaims(
  hidden: readonly Hidden[],
  tools: readonly Tool[],
  isVouched: (tool: Tool) => boolean,
): string[] {
  if (hidden.length === 0) return []
  const byClaim = new Map(tools.map((tool) => [claimOf(tool), tool]))
  return hidden.flatMap(({ tool, behind }) => {
    const unvouched = behind.filter((claim) => byClaim.has(claim) && !isVouched(byClaim.get(claim)!))
    return unvouched.length > 0 && !isSetAside(tool) && isVouched(tool) ? unvouched : []
  })
}

/** The tools that yield, each with what its id means in its place. */
export function asYielded(tools: readonly Tool[], winning: readonly Tool[]): Tool[] {
  const winners = new Map<string, Tool>()
  for (const tool of winning)
    if (tool.state !== 'shadowed' && !winners.has(tool.id)) winners.set(tool.id, tool)
  return tools.map((tool) => withYielded(tool, winners.get(tool.id)))
}

function withYielded(tool: Tool, winner: Tool | undefined): Tool {
  const where = winner?.source.file ?? (winner && 'Toolcrib or a server of yours') ?? 'another file'
  const callName =
    winner?.format === tool.format ? (tool.source.file ?? tool.id) : `${tool.format}:${tool.id}`
  const problem: Problem = {
    code: yieldsCode,
    severity: 'warning',
    message: `"${tool.id}" means that of ${where}, which somebody vouches for; nobody vouches for this one.`,
    hint: `Accept it with \`toolcrib trust\`, or give it another id; until then call it as ${callName}.`,
    ...(tool.source.file ? { file: tool.source.file, line: tool.source.line ?? 1 } : {}),
    toolId: tool.id,
  }
  return {
    ...tool,
    ...(isSetAside(tool) ? {} : { state: 'shadowed', reason: problem.message }),
    problems: [...tool.problems, problem],
  }
}
