// From needs and grants to a profile. A tool that states its needs runs with exactly those; one that does
// not runs with all that is granted to it.
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { coversCapability, parseGrant } from '../tool/capability.ts'
import type { Tool } from '../tool/tool.ts'
import type { NetworkRule, Profile } from './profile.ts'

/** The profile of a call: what the tool needs (or everything granted, when it does not say), within the grants. */
export function makeProfile(tool: Tool, grants: readonly string[], config: Config, spaces: Spaces): Profile {
  const may = (capability: string) =>
    grants.some((grant) => coversCapability(parseGrant(grant).capability, capability)) &&
    (tool.requires === null || tool.requires.some((need) => coversCapability(need, capability)))
  const writes = may('fs.write')
  return {
    network: networkRule(grants, may),
    read: may('fs.read') || writes ? scopedPaths('fs.read', grants, spaces.project, writes) : [],
    write: writes ? scopedPaths('fs.write', grants, spaces.project, false) : [],
    hidden: [spaces.state],
    readOnly: [
      join(spaces.project, 'toolcrib.yaml'),
      join(spaces.project, 'toolcrib.lock'),
      join(spaces.project, '.ai', 'config', 'keys'),
    ],
    subprocess: may('shell.execute'),
    calls: toolCalls(tool, grants),
    memoryMb: Math.min(tool.limits.memoryMb ?? config.limits.memoryMb, config.limits.memoryMb),
    cpuPercent: tool.limits.cpuPercent ?? null,
    processes: Math.min(tool.limits.processes ?? config.limits.processes, config.limits.processes),
    outputBytes: Math.min(tool.limits.outputBytes ?? config.limits.outputBytes, config.limits.outputBytes),
  }
}

/** What the tool states about calling tools, or all that is granted when it states nothing. */
function toolCalls(tool: Tool, grants: readonly string[]): string[] {
  const granted = grants.map((grant) => parseGrant(grant).capability)
  if (tool.requires === null)
    return granted.filter(
      (grant) => grant.startsWith('rye.execute') || coversCapability(grant, 'rye.execute'),
    )
  return tool.requires.filter(
    (need) =>
      (need === 'rye.execute' || need.startsWith('rye.execute.')) &&
      granted.some((grant) => coversCapability(grant, need)),
  )
}

function networkRule(grants: readonly string[], may: (capability: string) => boolean): NetworkRule {
  const net = grants
    .map(parseGrant)
    .filter((grant) =>
      ['net.http', 'net.call'].some((need) => coversCapability(grant.capability, need) && may(need)),
    )
  if (net.length === 0) return { mode: 'none' }
  const hosts = net.flatMap((grant) => (grant.scope === undefined ? [] : [grant.scope]))
  return net.some((grant) => grant.scope === undefined) ? { mode: 'public', hosts } : { mode: 'hosts', hosts }
}

/** The folders a scoped grant opens: the part of each glob before its first wildcard; the project when unscoped. */
function scopedPaths(
  capability: string,
  grants: readonly string[],
  project: string,
  alsoAll: boolean,
): string[] {
  const matching = grants.map(parseGrant).filter((grant) => coversCapability(grant.capability, capability))
  if (alsoAll || matching.some((grant) => grant.scope === undefined)) return [project]
  return matching.map((grant) => join(project, grant.scope!.split(/[*?[{]/, 1)[0]!))
}
