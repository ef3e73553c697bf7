// From needs and grants to a profile. A tool that states its needs runs with exactly those; one that does
// not runs with all that is granted to it. A scope only ever narrows.
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { isInside } from '../files/is-inside.ts'
import { coversCapability, type Grant, parseGrant } from '../tool/capability.ts'
import { ryePlanOf } from '../tool/plans/runtime-plans.ts'
import type { Tool } from '../tool/tool.ts'
import { signingFolder } from '../trust/signing-key.ts'
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
  const { project } = spaces
  const write = writePaths(giving('fs.write'), project)
  const read = paths('fs.read', giving('fs.read'), project)
  return {
    network: networkRule([...giving('net.http'), ...giving('net.call')]),
    read: withoutNested([...read, ...write]),
    write,
    hidden: hiddenPlaces(spaces),
    readOnly: [
      ...protectedPaths(project),
      ...programInside(spaces),
      ...definitionPlaces(project).filter((place) => !write.includes(place)),
    ],
    subprocess: giving('shell.execute').length > 0 || startsPrograms(tool),
    calls: toolCalls(tool, parsed),
    memoryMb: atMost(tool.limits.memoryMb, config.limits.memoryMb),
    cpuPercent: tool.limits.cpuPercent ?? null,
    processes: atMost(tool.limits.processes, config.limits.processes),
    outputBytes: atMost(tool.limits.outputBytes, config.limits.outputBytes),
  }
}

/** What no process sees: the crib's state, the user's secrets, and the key that vouches for tools. */
export function hiddenPlaces({ state, userConfig, userAi }: Spaces): string[] {
  return [state, userConfig, signingFolder(userAi)]
}

/** What a command, a server or a shell script starts in turn (its interpreter, git's helpers) is part of running it. */
function startsPrograms({ runtime }: Tool): boolean {
  return commandRuntimes.has(runtime?.name ?? '') || ryePlanOf({ runtime })?.startsPrograms === true
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

/** What would let a tool raise its own rights, or have its code run outside the fence; no grant opens it. */
function protectedPaths(project: string): string[] {
  return [
    join(project, 'toolcrib.yaml'),
    join(project, 'toolcrib.lock'),
    join(project, '.ai', 'config', 'keys'),
    join(project, '.git', 'hooks'),
    join(project, '.git', 'config'),
  ]
}

/** This program, where it is installed in the project itself: the next start would run what a tool wrote there. */
function programInside({ project, system }: Spaces): string[] {
  const home = dirname(system)
  return isInside(home, project) ? [home === project ? join(home, 'dist') : home] : []
}

/**
 * Where tools, their interpreter and the history of the project live. Writing there changes what the next call runs
 * and with which rights, so the whole project as an area does not open them; a grant that names such a place does.
 */
function definitionPlaces(project: string): string[] {
  const places = ['.ai/tools', '.ai/config', '.ai/skills', '.ai/.env', 'skills', '.agents/skills']
  return [...places, '.claude/skills', 'crumbs', '.mcp.json', '.venv', '.git'].map((place) =>
    join(project, place),
  )
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

/** As `paths`, but a scope inside a place of definitions is kept beside the whole project, which does not open it. */
function writePaths(grants: readonly Grant[], project: string): string[] {
  const scoped = withoutNested(
    grants.flatMap((grant) =>
      grant.scope === undefined ? [] : [scopePath('fs.write', grant.scope, project)],
    ),
  ).filter((path) => !protectedPaths(project).some((kept) => isInside(path, kept)))
  if (!grants.some((grant) => grant.scope === undefined)) return scoped
  const places = definitionPlaces(project)
  return [project, ...scoped.filter((path) => places.some((place) => isInside(path, place)))]
}

/** Drops repeats and what lies below another path of the list. */
function withoutNested(list: readonly string[]): string[] {
  const unique = [...new Set(list)]
  return unique.filter((path) => !unique.some((other) => other !== path && isInside(path, other)))
}

function atMost(asked: number | undefined, limit: number): number {
  return Math.min(asked ?? limit, limit)
}
