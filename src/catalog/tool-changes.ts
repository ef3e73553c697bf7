// What came, went or changed between two readings of the catalog: what watchers and clients are told.
import { equalJson } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'
import { claimOf } from './yielding.ts'

export interface ToolChange {
  readonly id: string
  readonly change: 'added' | 'changed' | 'removed'
  readonly tool?: Tool
}

/** One change for each id: where another tool of that id was or is, it changed, and was neither added nor removed. */
export function changesBetween(before: readonly Tool[], after: readonly Tool[]): ToolChange[] {
  const old = new Map(before.map((tool) => [claimOf(tool), tool]))
  const had = new Set(before.map(({ id }) => id))
  const changes = new Map<string, ToolChange>()
  for (const tool of after) {
    const known = old.get(claimOf(tool))
    old.delete(claimOf(tool))
    if ((known && (known === tool || equalJson(known, tool))) || changes.has(tool.id)) continue
    changes.set(tool.id, { id: tool.id, change: had.has(tool.id) ? 'changed' : 'added', tool })
  }
  for (const { id } of old.values()) {
    if (changes.has(id)) continue
    const tool = after.find((each) => each.id === id)
    changes.set(id, tool ? { id, change: 'changed', tool } : { id, change: 'removed' })
  }
  return [...changes.values()]
}
