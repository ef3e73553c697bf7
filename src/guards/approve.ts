// Tools that match `approve` wait for a person.
import type { Guard } from '../kernel/pipeline.ts'
import { matchesTool } from '../sandbox/tool-grants.ts'
import type { GuardServices } from './services.ts'

export function approve(services: GuardServices): Guard {
  return {
    name: 'approve',
    after: '$pre-execute',
    inChainEntries: false,
    applies: (tool) => services.config.approve.some((pattern) => matchesTool(pattern, tool)),
    async run(call) {
      if (!call.options.approved && !call.isDryRun) await services.approval(call)
    },
  }
}
