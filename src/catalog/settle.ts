// Who owns a name. The higher tier wins, then the earlier scanned folder, then the rank of its format; the others
// stay reachable as `format:id`, and a problem says so.
import { isInside } from '../files/is-inside.ts'
import type { Format, ScannedFolder } from '../formats/format.ts'
import { byCodeUnits, sha256 } from '../tool/json.ts'
import type { Tier, Tool } from '../tool/tool.ts'
import { isSetAside } from '../trust/set-aside.ts'

const tierRank: Record<Tier, number> = { project: 0, user: 1, system: 2 }

/** All tools in precedence order, clashes marked, model names made unique. */
export function settle(
  byFormat: readonly (readonly Tool[])[],
  formats: readonly Pick<Format, 'name' | 'rank'>[],
  scanned: readonly ScannedFolder[],
): Tool[] {
  const orderOf = orderFinder(scanned)
  const ranks = new Map(formats.map(({ name, rank }) => [name, rank]))
  const ordered = byFormat
    .flatMap((tools) => tools.map((tool, index) => ({ tool, index, order: orderOf(tool.source.file) })))
    .sort(
      (a, b) =>
        tierRank[a.tool.tier] - tierRank[b.tool.tier] ||
        a.order - b.order ||
        ranks.get(a.tool.format)! - ranks.get(b.tool.format)! ||
        a.index - b.index,
    )
    .map((entry) => entry.tool)
  return markShadowed(ordered)
}

/** Tools that come after all others: what an earlier one owns stays reachable as `format:id`. */
export function joinLater(tools: readonly Tool[], later: readonly Tool[]): Tool[] {
  return later.length === 0 ? [...tools] : markShadowed([...tools, ...later])
}

function markShadowed(given: readonly Tool[]): Tool[] {
  const owners = new Map<string, Tool>()
  // What is set aside hides nothing, wherever it lies (G7).
  const tools = [...given.filter((tool) => !isSetAside(tool)), ...given.filter(isSetAside)]
  return tools.map((tool) => {
    if (tool.state === 'shadowed') return tool
    const owner = owners.get(tool.id)
    if (!owner) {
      owners.set(tool.id, tool)
      return tool
    }
    const isSameFormat = owner.format === tool.format
    const where = owner.source.file ?? owner.format
    return {
      ...tool,
      ...(isSetAside(tool) ? {} : { state: 'shadowed', reason: `${where} has the same id and comes first` }),
      problems: [
        ...tool.problems,
        {
          code: isSameFormat ? 'shadowed' : 'id-clash',
          severity: isSameFormat ? 'info' : 'warning',
          message: `"${tool.id}" is also defined in ${where}, which comes first.`,
          hint: isSameFormat
            ? 'Rename one of them if both are wanted, or remove this one.'
            : `Call this one as ${tool.format}:${tool.id}.`,
          ...(tool.source.file ? { file: tool.source.file, line: tool.source.line ?? 1 } : {}),
          toolId: tool.id,
        },
      ],
    }
  })
}

/** Model names are unique too; `isFirst` tells who keeps a name that several have. */
export function withUniqueNames(tools: readonly Tool[], isFirst: (tool: Tool) => boolean): Tool[] {
  const owners = new Map<string, Tool>()
  for (const tool of tools) {
    const owner = owners.get(tool.name)
    if (!owner || (!isFirst(owner) && isFirst(tool))) owners.set(tool.name, tool)
  }
  if (owners.size === tools.length) return [...tools]
  return tools.map((tool) => {
    if (owners.get(tool.name) === tool) return tool
    const ending = sha256(`${tool.format}:${tool.tier}:${tool.id}`).slice(0, 5)
    return { ...tool, name: `${tool.name.slice(0, 58)}_${ending}` }
  })
}

/** The position of the scanned folder that a file lies in; the longest matching one counts. */
function orderFinder(scanned: readonly ScannedFolder[]): (file: string | null) => number {
  const byLength = [...scanned].sort((a, b) => b.dir.length - a.dir.length || byCodeUnits(a.dir, b.dir))
  return (file) =>
    file === null ? -1 : (byLength.find(({ dir }) => isInside(file, dir))?.order ?? scanned.length)
}
