// May it? Every capability the tool needs must be granted; the profile of the call follows from both.
import type { Guard } from '../kernel/pipeline.ts'
import { makeProfile } from '../sandbox/make-profile.ts'
import type { Profile } from '../sandbox/profile.ts'
import { grantsFor, missingCapability, narrowGrants } from '../sandbox/tool-grants.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { GuardServices } from './services.ts'

export function grants(services: GuardServices): Guard {
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
    after: '$pre-configure',
    inChainEntries: true,
    run(call) {
      const own = rightsOf(call.tool)
      const narrowed = call.principal.grants ? narrowGrants(own.grants, call.principal.grants) : own.grants
      call.grants = narrowed
      const missing = missingCapability(call.tool.requires ?? [], narrowed)
      if (missing !== undefined) throw capabilityDenied(call.tool, missing, own.grants === narrowed)
      call.profile =
        narrowed === own.grants
          ? own.profile
          : makeProfile(call.tool, narrowed, services.config, services.spaces)
    },
  }
}

/** Why a call is refused for want of a capability, and the line that grants it. */
export function capabilityDenied(tool: Tool, capability: string, byConfig: boolean): ToolError {
  return new ToolError(
    'CAPABILITY_DENIED',
    `${tool.id} needs ${capability}, which ${byConfig ? 'is not granted to it' : "the caller's token does not allow"}.`,
    {
      hint: byConfig
        ? `To allow it, add to toolcrib.yaml: grants: { tools: { "${tool.id}": [${capability}] } }`
        : 'Use a token with that grant.',
      details: { capability, tool: tool.id },
    },
  )
}
