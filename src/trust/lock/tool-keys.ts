// Under which name the lock file knows a tool.

import type { Spaces } from '../../config/spaces.ts'
import type { Tool } from '../../tool/tool.ts'
import { isMadeInCode } from '../../tool/tool.ts'
import type { Pins } from './lock-file.ts'
import { lockPath } from './pin-tool.ts'

/** True for tools the lock file pins: those of the project and of its servers. Shipped tools belong to the program, the user's own folder to the user. */
export function isPinnable(tool: Tool): boolean {
  if (tool.tier !== 'project' || tool.state === 'disabled') return false
  return !isMadeInCode(tool)
}

/**
 * Every tool that a lock may speak of, by `format`, id and file. The first of an id has the plain key; one that is
 * reachable only by its file has its path behind an `@`, so that a file that pushes itself in front is noticed. One
 * that `pins` know by the id it had before keeps that key.
 */
export function assignKeys(
  tools: readonly Tool[],
  spaces: Pick<Spaces, 'project' | 'userAi'>,
  pins?: Pins | null,
): Map<string, { readonly key: string; readonly tool: Tool }> {
  const keys = new Map<string, { readonly key: string; readonly tool: Tool }>()
  const taken = new Set<string>()
  for (const tool of pinnedFirst(tools, spaces, pins)) {
    if (tool.tier === 'system' || (tool.source.file === null && !isPinnable(tool))) continue
    const plain = plainKey(tool, pins ?? null)
    const key = taken.has(plain) ? `${plain}@${lockPath(tool.source.file ?? '', spaces)}` : plain
    taken.add(key)
    keys.set(`${tool.format}\n${tool.id}\n${tool.source.file ?? ''}`, { key, tool })
  }
  return keys
}

/** Of several with one key the one that was pinned comes first: what pushes itself in front has another file. */
function pinnedFirst(
  tools: readonly Tool[],
  spaces: Pick<Spaces, 'project' | 'userAi'>,
  pins: Pins | null | undefined,
): readonly Tool[] {
  if (!pins) return tools
  const isPinned = (tool: Tool) => {
    const files = pins.get(plainKey(tool, pins))?.files
    return files !== undefined && tool.source.file !== null && lockPath(tool.source.file, spaces) in files
  }
  const ids = new Map<string, number>()
  for (const { format, id } of tools) ids.set(`${format}:${id}`, (ids.get(`${format}:${id}`) ?? 0) + 1)
  const isContested = (tool: Tool) => ids.get(`${tool.format}:${tool.id}`)! > 1
  const first = tools.filter((tool) => isContested(tool) && isPinned(tool))
  return first.length === 0 ? tools : [...first, ...tools.filter((tool) => !first.includes(tool))]
}

function plainKey({ format, id, details }: Tool, pins: Pins | null): string {
  const former = details?.formerId === undefined ? undefined : `${format}:${details.formerId}`
  return former !== undefined && pins?.has(former) && !pins.has(`${format}:${id}`)
    ? former
    : `${format}:${id}`
}
