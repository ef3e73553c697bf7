// Tools that match `approve`, or whose metadata asks for it, wait for a person.
import type { Guard } from '../kernel/pipeline.ts'
import { matchesTool } from '../sandbox/tool-grants.ts'
import type { Tool } from '../tool/tool.ts'
import type { GuardServices } from './services.ts'

export function approve(services: GuardServices): Guard {
  const isListed = (tool: Tool) => services.config.approve.some((pattern) => matchesTool(pattern, tool))
  return {
    name: 'approve',
    after: '$pre-execute',
    inChainEntries: false,
    run(call) {
      const isAsked = call.metadata['approve'] === true || isListed(call.tool)
      return isAsked && !call.options.approved && !call.isDryRun ? services.approval(call) : undefined
    },
  }
}
