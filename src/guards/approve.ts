// Tools that match `approve`, or whose metadata asks for it, wait for a person; whoever decides is on record.
import type { Call } from '../kernel/call.ts'
import type { Guard } from '../kernel/pipeline.ts'
import { matchesTool } from '../sandbox/tool-grants.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { checkDrift, isLockable } from './lock.ts'
import type { GuardServices } from './services.ts'
import { isJudged, trustRefusal } from './trust.ts'

export function approve(services: GuardServices): Guard {
  const isListed = (tool: Tool) => services.config.approve.some((pattern) => matchesTool(pattern, tool))

  async function wait(call: Call): Promise<undefined> {
    const { by } = await services.approval(call)
    // A person takes their time; what was checked before may have changed since.
    if (isLockable(call.tool)) await checkDrift(call, services)
    if (isJudged(call.tool, services)) {
      const refusal = trustRefusal(
        call.tool,
        await services.trustOf(call.tool),
        services.config.trust === 'require',
      )
      if (refusal) throw refusal
    }
    services.allowed(call, `approved by ${by}`)
  }

  return {
    name: 'approve',
    after: '$pre-execute',
    inChainEntries: false,
    isQuick: true,
    run(call) {
      const isAsked = call.metadata['approve'] === true || isListed(call.tool)
      if (!isAsked || call.isDryRun) return undefined
      const { approved, refused } = call.options
      if (refused !== undefined)
        throw new ToolError('APPROVAL_DENIED', `${call.tool.id} was not approved by ${refused}.`)
      if (!approved) return wait(call)
      services.allowed(call, `approved beforehand by ${call.principal.name}`)
      return undefined
    },
  }
}
