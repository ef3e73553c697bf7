// From needs and grants to a profile. A tool that states its needs runs with exactly those; one that does
// not runs with all that is granted to it. A scope only ever narrows.
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { coversCapability, type Grant, parseGrant } from '../tool/capability.ts'
import type { Tool } from '../tool/tool.ts'
import type { NetworkRule, Profile } from './profile.ts'
import { scopePath } from './scope-path.ts'

const commandRuntimes = new Set(['command', 'mcp', 'rye-mcp'])

/** The profile of a call: what the tool needs (or everything granted, when it does not say), within the grants. */
export function makeProfile(tool: Tool, grants: readonly string[], config: Config, spaces: Spaces): Profile {
  const parsed = grants.map(parseGrant)
  /** The grants that give a capability to this tool; none when it does not need it. */
  const giving = (capability: string): Grant[] =>
    tool.requires === null || tool.requires.includes(capability)
      ? parsed.filter((grant) => coversCapability(grant.capability, capability))
      : []
  const write = paths('fs.write', giving('fs.write'), spaces.project)
  const read = paths('fs.read', giving('fs.read'), spaces.project)
  return {
    network: networkRule([...giving('net.http'), ...giving('net.call')]),
    read: withoutNested([...read, ...write]),
    write,
    hidden: [spaces.state, spaces.userConfig],
    readOnly: protectedPaths(spaces.project),
    subprocess: giving('shell.execute').length > 0 || startsPrograms(tool),
    calls: toolCalls(tool, parsed),
    memoryMb: atMost(tool.limits.memoryMb, config.limits.memoryMb),
    cpuPercent: tool.limits.cpuPercent ?? null,
    processes: atMost(tool.limits.processes, config.limits.processes),
    outputBytes: atMost(tool.limits.outputBytes, config.limits.outputBytes),
  }
}

/** What a command, a server or a shell script starts in turn (its interpreter, git's helpers) is part of running it. */
function startsPrograms({ runtime }: Tool): boolean {
  return commandRuntimes.has(runtime?.name ?? '') || runtime?.plan['startsPrograms'] === true
}

/** What the tool states about calling tools, or all that is granted when it states nothing. */
function toolCalls(tool: Tool, grants: readonly Grant[]): string[] {
  const granted = grants.map((grant) => grant.capability)
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

/** What would let a tool raise its own rights, or have its code run outside the fence, if it could write it. */
export function protectedPaths(project: string): string[] {
  return [
    join(project, 'toolcrib.yaml'),
    join(project, 'toolcrib.lock'),
    join(project, '.ai', 'config', 'keys'),
    join(project, '.git', 'hooks'),
    join(project, '.git', 'config'),
  ]
}

function networkRule(grants: readonly Grant[]): NetworkRule {
  if (grants.length === 0) return { mode: 'none' }
  const hosts = [...new Set(grants.flatMap((grant) => (grant.scope === undefined ? [] : [grant.scope])))]
  return grants.some((grant) => grant.scope === undefined)
    ? { mode: 'public', hosts }
    : { mode: 'hosts', hosts }
}

/** The files and folders that file grants open: the whole project when one is unscoped. */
function paths(capability: string, grants: readonly Grant[], project: string): string[] {
  if (grants.some((grant) => grant.scope === undefined)) return [project]
  return withoutNested(grants.map((grant) => scopePath(capability, grant.scope!, project)))
}

/** Drops repeats and what lies below another path of the list. */
function withoutNested(list: readonly string[]): string[] {
  const unique = [...new Set(list)]
  return unique.filter(
    (path) => !unique.some((other) => other !== path && path.startsWith(other === '/' ? '/' : `${other}/`)),
  )
}

function atMost(asked: number | undefined, limit: number): number {
  return Math.min(asked ?? limit, limit)
}
