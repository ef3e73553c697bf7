// Tools that match `approve`, or whose metadata asks for it, wait for a person; whoever decides is on record.
import type { Call } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import { reversibilityOf } from '../../sandbox/reversibility.ts'
import { matchesTool } from '../../sandbox/tool-grants.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'

/** `again`: checks whose answer may change while a person makes up their mind. */
export function approve(
  services: Pick<GuardServices, 'config' | 'approvals' | 'allowed'>,
  again: readonly Check[],
): Check {
  async function wait(call: Call): Promise<void> {
    const earlier = services.approvals.agreedForThread(call)
    if (earlier !== undefined) {
      services.approvals.agree(call)
      return services.allowed(call, `approved for this thread by ${earlier}`)
    }
    const { by } = await services.approvals.ask(call)
    services.approvals.agree(call)
    for (const { applies, check } of again) if (applies?.(call.tool, () => true) ?? true) await check(call)
    services.allowed(call, `approved by ${by}`)
  }

  return {
    name: 'approve',
    stage: '$pre-execute',
    inEntries: false,
    applies: (tool, states) => states('approve') || asksApproval(tool, services.config) !== undefined,
    check(call) {
      const isAsked =
        call.metadata['approve'] === true || asksApproval(call.tool, services.config) !== undefined
      if (!isAsked) return
      const { approved, refused } = call.options
      if (refused !== undefined)
        throw new ToolError('APPROVAL_DENIED', `${call.tool.id} was not approved by ${refused}.`)
      if (call.isDryRun) return approved ? undefined : services.approvals.refuseUnattended(call)
      if (!approved) return wait(call)
      services.approvals.agree(call)
      services.allowed(call, `approved beforehand by ${call.principal.name}`)
    },
  }
}

/** The pattern of `approve` that names a tool. */
export function asksApproval(tool: Tool, config: GuardServices['config']): string | undefined {
  return config.approve.find((pattern) =>
    pattern.startsWith('@') ? pattern.slice(1) === reversibilityOf(tool, config) : matchesTool(pattern, tool),
  )
}
