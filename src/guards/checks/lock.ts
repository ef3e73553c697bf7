// Is it still what was approved? A tool that differs from the lock file waits until somebody accepts the difference;
// the others run on.

import type { Check } from '../../kernel/stages.ts'
import type { Tool } from '../../tool/tool.ts'
import { isMadeInCode } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Drift } from '../../trust/lock/drift.ts'
import type { GuardServices } from '../services.ts'

export function lock(services: Pick<GuardServices, 'driftOf'>): Check {
  return {
    name: 'lock',
    stage: '$pre-configure',
    // No lock file speaks of what ships with the program or was made in code.
    applies: (tool) => tool.tier !== 'system' && !isMadeInCode(tool),
    check({ tool, options }) {
      // The catalog keeps tools apart that drifted.
      if (options.asListed) return
      const drift = services.driftOf(tool)
      if (drift instanceof Promise) return drift.then((found) => refuse(tool, found))
      if (drift) refuse(tool, drift)
      return undefined
    },
  }
}

function refuse(tool: Tool, drift: Drift | null): void {
  if (!drift) return
  const isPinned = drift.differences.length > 0
  throw new ToolError('TRUST_DRIFT', `${tool.id} does not run: ${drift.reason}.`, {
    hint: isPinned
      ? `See \`toolcrib diff ${tool.id}\`, then \`toolcrib approve ${tool.id}\`.`
      : 'See `toolcrib diff`.',
    details: isPinned ? { differences: drift.differences.map((entry) => ({ ...entry })) } : undefined,
  })
}
