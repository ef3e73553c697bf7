// May it? Every capability the tool needs must be granted; the profile of the call follows from both.
import { acceptHint } from '../../config/folder-trust.ts'
import type { Call } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import { hostsOf, proposeGrants } from '../../sandbox/access/propose-grants.ts'
import { makeProfile } from '../../sandbox/make-profile.ts'
import type { Profile } from '../../sandbox/profile.ts'
import { grantsFor, matchesTool, missingCapability, narrowGrants } from '../../sandbox/tool-grants.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { ProtectedSet } from '../../trust/protected-set.ts'
import { grantHint } from '../grant-hint.ts'
import type { GuardServices } from '../services.ts'

type Services = Pick<GuardServices, 'config' | 'spaces' | 'protectedSet' | 'openAsks' | 'inference'>

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
    check(call): Promise<void> | undefined {
      // A list asks before the protected set is known.
      const whole = call.options.asListed ? undefined : rightsOf(call.tool, services.protectedSet)
      const own = whole?.grants ?? grantsFor(call.tool, services.config)
      const narrowed = narrowedFor(call, own)
      const missing = call.tool.requires?.filter(
        (needed) => missingCapability([needed], narrowed) !== undefined,
      )
      if (missing?.length) return refuse(call, { missing, isNarrowed: own !== narrowed, services })
      if (whole)
        call.profile =
          narrowed === own ? whole.profile : profileOf(call.tool, narrowed, services.protectedSet)
      return undefined
    },
  }
}

/** What the crib grants, narrowed by the rights of whoever asks. */
function narrowedFor(call: Call, own: readonly string[]): readonly string[] {
  const { grants: rights } = call.principal
  call.grants = rights ? narrowGrants(own, rights) : own
  return call.grants
}

interface Refusal {
  readonly missing: readonly string[]
  readonly isNarrowed: boolean
  readonly services: Services
}

/** Who asks for a list is not told which hosts a tool's code names: no code is read for one. */
function refuse({ tool, options }: Call, { missing, isNarrowed, services }: Refusal): Promise<never> {
  if (isNarrowed) throw tokenDenied(tool, missing)
  if (options.asListed || !missing.includes('net.http')) throw capabilityDenied(tool, missing, services)
  return services.inference().then((inference) => {
    throw capabilityDenied(tool, missing, services, hostsOf(inference.of(tool)))
  })
}

/** Why a call is refused for want of capabilities, and the line that grants them all. */
function capabilityDenied(
  tool: Tool,
  missing: readonly string[],
  services: Services,
  hosts?: readonly string[],
): ToolError {
  const { id } = tool
  const accesses = missing.map((what) => ({ kind: 'capability', what, isDenied: true }) as const)
  const { config, spaces, protectedSet } = services
  const needed = proposeGrants(tool, accesses, { config, spaces, protectedSet, hosts }).missing
  const isGranted = missing.length === 1 ? 'is not granted' : 'are not granted'
  const open = services.openAsks()
  const asked = open?.find(({ key }) => isGrantTo(tool, key))
  const why = asked ? `; the folder asks for it (${asked.what}), and that does not count yet` : ''
  return new ToolError(
    'CAPABILITY_DENIED',
    `${id} needs ${missing.join(', ')}, which ${isGranted} to it${why}.`,
    {
      hint: asked ? acceptHint : grantHint(id, needed, open === null),
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
