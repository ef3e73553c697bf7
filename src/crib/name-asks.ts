// Tools of a folder that would take an id from one that somebody vouches for (G8): the user decides (G2).
import { hasYielded } from '../catalog/yielding.ts'
import type { Ask } from '../config/folder-asks.ts'
import type { Tool } from '../tool/tool.ts'
import type { Lock } from '../trust/lock/lock.ts'
import { acceptanceOf } from '../trust/vouched.ts'

export function nameAsks(tools: readonly Tool[], lock: Lock): Ask[] {
  return tools.flatMap((tool) => {
    const { file, line } = tool.source
    if (file === null || !hasYielded(tool)) return []
    const secrets = tool.secrets?.length ? `, and give it ${tool.secrets.join(', ')}` : ''
    return [{ ...acceptanceOf(tool, lock), what: `let ${tool.id} mean ${file}${secrets}`, file, line }]
  })
}
