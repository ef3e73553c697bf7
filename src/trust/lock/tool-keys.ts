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
  for (const tool of tools) {
    if (tool.tier === 'system' || (tool.source.file === null && !isPinnable(tool))) continue
    const plain = plainKey(tool, pins ?? null)
    const key = taken.has(plain) ? `${plain}@${lockPath(tool.source.file ?? '', spaces)}` : plain
    taken.add(key)
    keys.set(`${tool.format}\n${tool.id}\n${tool.source.file ?? ''}`, { key, tool })
  }
  return keys
}

function plainKey({ format, id, details }: Tool, pins: Pins | null): string {
  const former = details?.formerId === undefined ? undefined : `${format}:${details.formerId}`
  return former !== undefined && pins?.has(former) && !pins.has(`${format}:${id}`)
    ? former
    : `${format}:${id}`
}
