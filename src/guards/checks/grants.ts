// May it? Every capability the tool needs must be granted; the profile of the call follows from both.
import type { Check } from '../../kernel/stages.ts'
import { makeProfile } from '../../sandbox/make-profile.ts'
import type { Profile } from '../../sandbox/profile.ts'
import { grantsFor, missingCapability, narrowGrants } from '../../sandbox/tool-grants.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'

export function grants(services: Pick<GuardServices, 'config' | 'spaces'>): Check {
  const cache = new WeakMap<Tool, { grants: readonly string[]; profile: Profile }>()

  function rightsOf(tool: Tool): { grants: readonly string[]; profile: Profile } {
    let rights = cache.get(tool)
    if (!rights) {
      const granted = grantsFor(tool, services.config)
      rights = { grants: granted, profile: makeProfile(tool, granted, services.config, services.spaces) }
      cache.set(tool, rights)
    }
    return rights
  }

  return {
    name: 'grants',
    stage: '$pre-configure',
    check(call) {
      const own = rightsOf(call.tool)
      const narrowed = call.principal.grants ? narrowGrants(own.grants, call.principal.grants) : own.grants
      call.grants = narrowed
      const missing = call.tool.requires?.filter(
        (needed) => missingCapability([needed], narrowed) !== undefined,
      )
      if (missing?.length) throw capabilityDenied(call.tool, missing, own.grants === narrowed)
      call.profile =
        narrowed === own.grants
          ? own.profile
          : makeProfile(call.tool, narrowed, services.config, services.spaces)
    },
  }
}

/** Why a call is refused for want of capabilities, and the line that grants them all. */
function capabilityDenied({ id }: Tool, missing: readonly string[], byConfig: boolean): ToolError {
  const names = missing.join(', ')
  const isGranted = missing.length === 1 ? 'is not granted' : 'are not granted'
  return new ToolError(
    'CAPABILITY_DENIED',
    `${id} needs ${names}, which ${byConfig ? `${isGranted} to it` : "the caller's token does not allow"}.`,
    {
      hint: byConfig
        ? `To allow it, add to toolcrib.yaml: grants: { tools: { "${id}": [${names}] } }`
        : 'Use a token with that grant.',
      details: { capability: missing[0]!, capabilities: missing, tool: id },
    },
  )
}
