// Is it still what was approved? A tool that differs from the lock file waits until somebody accepts the difference;
// the others run on.
import type { Call } from '../kernel/call.ts'
import type { Guard } from '../kernel/pipeline.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Drift } from '../trust/lock/drift.ts'
import type { GuardServices } from './services.ts'

export function lock(services: Pick<GuardServices, 'driftOf'>): Guard {
  return {
    name: 'lock',
    after: '$pre-configure',
    inChainEntries: true,
    applies: isLockable,
    run: (call) => checkDrift(call, services),
  }
}

/** False for tools that no lock file speaks of. */
export function isLockable(tool: Tool): boolean {
  return tool.tier !== 'system' && tool.format !== 'builtin'
}

/** Throws TRUST_DRIFT for a tool that is not what was approved. */
export function checkDrift(
  call: Call,
  services: Pick<GuardServices, 'driftOf'>,
): undefined | Promise<undefined> {
  const drift = services.driftOf(call.tool)
  if (drift instanceof Promise) return drift.then((found) => refuse(call.tool, found))
  return refuse(call.tool, drift)
}

function refuse(tool: Tool, drift: Drift | null): undefined {
  if (!drift) return
  const isPinned = drift.differences.length > 0
  throw new ToolError('TRUST_DRIFT', `${tool.id} does not run: ${drift.reason}.`, {
    hint: isPinned
      ? `See \`toolcrib diff ${tool.id}\`, then \`toolcrib approve ${tool.id}\`.`
      : 'See `toolcrib diff`.',
    ...(isPinned ? { details: { differences: drift.differences.map((entry) => ({ ...entry })) } } : {}),
  })
}
