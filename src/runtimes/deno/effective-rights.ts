// What a tool may do in the end: what it declares, as far as it is granted, plus what the operator added for it.
import type { ToolOverrides } from '../../config/config.ts'
import { inRange, isPublicAddress, parseAddress, parseRange, widthOf } from '../../sandbox/addresses.ts'
import type { NetworkRule } from '../../sandbox/profile.ts'
import { grantLine } from '../../sandbox/tool-grants.ts'
import type { BreadcrumbPermission, NetworkPermission, ToolCodePlan } from '../../tool/plans/deno-plan.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { importHosts } from './deno-flags.ts'
import { type EffectiveNetwork, hostOf, noNetwork } from './network-flags.ts'

export interface EffectiveRights {
  readonly network: EffectiveNetwork
  readonly breadcrumbs: BreadcrumbPermission
  readonly tools: readonly string[]
  readonly imports: readonly string[]
  /** Secrets the operator added, by name. */
  readonly secrets: readonly string[]
}

export interface RightsReading {
  readonly rights: EffectiveRights
  /** Declared hosts that no grant covers, so they stay closed. */
  readonly closed: readonly string[]
}

/** Throws CAPABILITY_DENIED when nothing of a declared network is granted. */
export function effectiveRights(
  toolId: string,
  plan: ToolCodePlan,
  granted: NetworkRule,
  added: ToolOverrides = {},
): RightsReading {
  const declared = grantedPart(plan.permissions.network, granted)
  const isDenied =
    plan.permissions.network !== false && !declared.network.public && declared.network.hosts.length === 0
  if (isDenied) throw denied(toolId, plan.permissions.network)
  mustImport(toolId, plan.permissions.imports, granted)
  const breadcrumbs = plan.permissions.breadcrumbs
  return {
    rights: {
      network: join(declared.network, addedNetwork(added.network)),
      breadcrumbs: {
        read: merge(breadcrumbs?.read, added.breadcrumbs?.read),
        write: merge(breadcrumbs?.write, added.breadcrumbs?.write),
      },
      tools: merge(plan.permissions.tools, added.tools),
      imports: plan.permissions.imports,
      secrets: added.secrets ?? [],
    },
    closed: declared.closed,
  }
}

/** Fetching modules is network access of the host: the places they come from must be granted like any other. */
function mustImport(toolId: string, imports: readonly string[], granted: NetworkRule): void {
  if (imports.length === 0) return
  if (granted.mode === 'none') throw denied(toolId, true)
  const closed = importHosts(imports).filter((host) => !isGranted(host, granted))
  if (closed.length > 0) throw denied(toolId, closed)
}

/** What is open of a declared network. */
export function grantedNetwork(declared: NetworkPermission, granted: NetworkRule): EffectiveNetwork {
  return grantedPart(declared, granted).network
}

function grantedPart(
  declared: NetworkPermission,
  granted: NetworkRule,
): { network: EffectiveNetwork; closed: readonly string[] } {
  if (declared === false || granted.mode === 'none') return { network: noNetwork, closed: [] }
  if (declared === true) return { network: allThatIsGranted(granted), closed: [] }
  const hosts = declared.filter((entry) => isGranted(entry, granted))
  return { network: { public: false, hosts }, closed: declared.filter((entry) => !hosts.includes(entry)) }
}

/**
 * For `network: true`. Beside the whole public network Deno cannot open a single port of a private address, so
 * a grant of one is left to tools that list their hosts.
 */
function allThatIsGranted(granted: Exclude<NetworkRule, { mode: 'none' }>): EffectiveNetwork {
  if (granted.mode === 'hosts') return { public: false, hosts: granted.hosts }
  return { public: true, hosts: granted.hosts.filter((entry) => !isPrivate(entry) || !/:\d+$/.test(entry)) }
}

/** A plain grant opens public addresses; a private one must be named by a grant itself. */
function isGranted(entry: string, granted: Exclude<NetworkRule, { mode: 'none' }>): boolean {
  if (granted.mode === 'public' && !isPrivate(entry)) return true
  return granted.hosts.some((grant) => coversHost(grant, entry))
}

/** True when a granted host (`a.example`, `*.example`, `10.0.0.0/8`, with or without port) covers a declared one. */
function coversHost(grant: string, entry: string): boolean {
  const port = portOf(grant)
  if (port !== null && port !== portOf(entry)) return false
  const wide = hostOf(grant).toLowerCase()
  const narrow = hostOf(entry).toLowerCase()
  if (wide === narrow) return true
  if (wide.startsWith('*.')) return narrow.replace(/^\*/, '').endsWith(wide.slice(1))
  const outer = parseRange(wide)
  const inner = parseRange(narrow)
  return outer !== null && inner !== null && inner.bits >= outer.bits && inRange(inner.address, outer)
}

function portOf(entry: string): string | null {
  return /^(?:\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry)?.[1] ?? null
}

function isPrivate(entry: string): boolean {
  const host = hostOf(entry).toLowerCase()
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  const range = parseRange(host)
  if (!range) return false
  // A range wider than a single public network is treated with the same care.
  return range.bits < widthOf(range.address) || !isPublicAddress(parseAddress(host)!)
}

function addedNetwork(added: boolean | readonly string[] | undefined): EffectiveNetwork {
  if (added === true) return { public: true, hosts: [] }
  return Array.isArray(added) ? { public: false, hosts: added } : noNetwork
}

function join(one: EffectiveNetwork, other: EffectiveNetwork): EffectiveNetwork {
  return { public: one.public || other.public, hosts: merge(one.hosts, other.hosts) }
}

function merge(one: readonly string[] = [], other: readonly string[] = []): readonly string[] {
  return [...new Set([...one, ...other])]
}

function denied(toolId: string, declared: NetworkPermission): ToolError {
  const hosts = Array.isArray(declared) ? (declared as readonly string[]) : []
  const grants = hosts.length > 0 ? hosts.map((host) => `net.http:${host}`) : ['net.http']
  return new ToolError(
    'CAPABILITY_DENIED',
    `${toolId} needs the network${hosts.length > 0 ? ` (${hosts.join(', ')})` : ''}, which is not granted.`,
    {
      hint: `Add to toolcrib.yaml: ${grantLine(toolId, grants)}`,
      details: { capability: 'net.http', capabilities: ['net.http'], grants, tool: toolId },
    },
  )
}
