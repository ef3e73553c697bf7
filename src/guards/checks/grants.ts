// May it? Every capability the tool needs must be granted; the profile of the call follows from both.
import { acceptHint } from '../../config/folder-trust.ts'
import type { Call } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import { proposeGrants } from '../../sandbox/access/propose-grants.ts'
import { makeProfile } from '../../sandbox/make-profile.ts'
import type { Profile } from '../../sandbox/profile.ts'
import {
  grantLine,
  grantsFor,
  matchesTool,
  missingCapability,
  narrowGrants,
} from '../../sandbox/tool-grants.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { ProtectedSet } from '../../trust/protected-set.ts'
import type { GuardServices } from '../services.ts'

type Services = Pick<GuardServices, 'config' | 'spaces' | 'protectedSet' | 'openAsks'>

export function grants(services: Services): Check {
  let cache = new WeakMap<Tool, { grants: readonly string[]; profile: Profile }>()
  let known: ProtectedSet | undefined
  let settings: GuardServices['config'] | undefined

  const profileOf = (tool: Tool, granted: readonly string[], protectedSet: ProtectedSet) =>
    makeProfile(tool, granted, { config: services.config, spaces: services.spaces, protectedSet })

  /** Made once for each tool, until what is protected or the settings change: a tool made in code outlives both. */
  function rightsOf(tool: Tool, protectedSet: ProtectedSet): { grants: readonly string[]; profile: Profile } {
    const { config } = services
    if (known !== protectedSet || settings !== config) cache = new WeakMap()
    known = protectedSet
    settings = config
    let rights = cache.get(tool)
    if (!rights) {
      const granted = grantsFor(tool, config)
      rights = { grants: granted, profile: profileOf(tool, granted, protectedSet) }
      cache.set(tool, rights)
    }
    return rights
  }

  return {
    name: 'grants',
    stage: '$pre-configure',
    judgesRights: true,
    check(call) {
      if (call.options.asListed)
        return void narrowedFor(call, grantsFor(call.tool, services.config), services)
      const protectedSet = services.protectedSet
      const own = rightsOf(call.tool, protectedSet)
      const narrowed = narrowedFor(call, own.grants, services)
      call.profile = narrowed === own.grants ? own.profile : profileOf(call.tool, narrowed, protectedSet)
    },
  }
}

/** What the crib grants, narrowed by the rights of whoever asks; throws when that is too little. */
function narrowedFor(call: Call, own: readonly string[], services: Services): readonly string[] {
  const { tool, principal } = call
  const narrowed = principal.grants ? narrowGrants(own, principal.grants) : own
  call.grants = narrowed
  const missing = tool.requires?.filter((needed) => missingCapability([needed], narrowed) !== undefined)
  if (missing?.length)
    throw own === narrowed ? capabilityDenied(tool, missing, services) : tokenDenied(tool, missing)
  return narrowed
}

/** Why a call is refused for want of capabilities, and the line that grants them all. */
function capabilityDenied(tool: Tool, missing: readonly string[], services: Services): ToolError {
  const { id } = tool
  const accesses = missing.map((what) => ({ kind: 'capability', what, isDenied: true }) as const)
  const { config, spaces, protectedSet } = services
  const needed = proposeGrants(tool, accesses, { config, spaces, protectedSet }).missing
  const isGranted = missing.length === 1 ? 'is not granted' : 'are not granted'
  const open = services.openAsks()
  const asked = open?.find(({ key }) => isGrantTo(tool, key))
  const why = asked ? `; the folder asks for it (${asked.what}), and that does not count yet` : ''
  const hint = `To allow it, add to toolcrib.yaml: ${grantLine(id, needed)}`
  const acceptedHint = `Then accept that with \`toolcrib trust\`; \`toolcrib grants accept ${id}\` does both.`
  return new ToolError(
    'CAPABILITY_DENIED',
    `${id} needs ${missing.join(', ')}, which ${isGranted} to it${why}.`,
    {
      hint: asked ? acceptHint : open ? `${hint}\n${acceptedHint}` : hint,
      details: { capability: missing[0]!, capabilities: missing, grants: needed, tool: id },
    },
  )
}

/** Whether something a folder asks for is a grant to this tool. */
function isGrantTo(tool: Tool, key: string): boolean {
  const prefix = 'grants.tools.'
  return key === 'grants.default' || (key.startsWith(prefix) && matchesTool(key.slice(prefix.length), tool))
}

function tokenDenied({ id }: Tool, missing: readonly string[]): ToolError {
  return new ToolError(
    'CAPABILITY_DENIED',
    `${id} needs ${missing.join(', ')}, which the caller's token does not allow.`,
    {
      hint: 'Use a token with that grant.',
      details: { capability: missing[0]!, tool: id },
    },
  )
}
