// From needs and grants to a profile. A tool that states its needs runs with exactly those; one that does
// not runs with all that is granted to it. A scope only ever narrows.
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { stateFolderOf } from '../config/state-folder.ts'
import { isInside } from '../files/is-inside.ts'
import { coversCapability, type Grant, parseGrant } from '../tool/capability.ts'
import { ryePlanOf } from '../tool/plans/runtime-plans.ts'
import type { Tool } from '../tool/tool.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'
import { signingFolder } from '../trust/signing-key.ts'
import type { NetworkRule, Profile } from './profile.ts'
import { scopePath } from './scope-path.ts'

const commandRuntimes = new Set(['command', 'mcp', 'rye-mcp'])

export interface ProfileEnv {
  readonly config: Config
  readonly spaces: Spaces
  readonly protectedSet: ProtectedSet
}

/** The profile of a call: what the tool needs (or everything granted, when it does not say), within the grants. */
export function makeProfile(tool: Tool, grants: readonly string[], env: ProfileEnv): Profile {
  const { config, spaces, protectedSet } = env
  const parsed = grants.map(parseGrant)
  /** The grants that give a capability to this tool; none when it does not need it. */
  const giving = (capability: string): Grant[] =>
    tool.requires === null || tool.requires.some((need) => parseGrant(need).capability === capability)
      ? parsed.filter((grant) => coversCapability(grant.capability, capability))
      : []
  const { project } = spaces
  const write = writePaths(giving('fs.write'), project, protectedSet)
  const read = paths('fs.read', giving('fs.read'), project)
  return {
    network: networkRule([...giving('net.http'), ...giving('net.call')]),
    read: withoutNested([...read, ...write]),
    write,
    hidden: hiddenPlaces(spaces),
    readOnly: readOnlyPaths(protectedSet, spaces, write),
    subprocess: giving('shell.execute').length > 0 || startsPrograms(tool),
    calls: toolCalls(tool, parsed),
    memoryMb: atMost(tool.limits.memoryMb, config.limits.memoryMb),
    cpuPercent: tool.limits.cpuPercent ?? null,
    processes: atMost(tool.limits.processes, config.limits.processes),
    outputBytes: atMost(tool.limits.outputBytes, config.limits.outputBytes),
  }
}

/** What no process sees: the crib's state, the user's secrets, what files held before calls changed them, and the key that vouches for tools. */
export function hiddenPlaces({ project, state, userConfig, userState, userAi }: Spaces): string[] {
  return [...new Set([stateFolderOf(project), state]), userConfig, userState, signingFolder(userAi)]
}

/** What a command, a server or a shell script starts in turn (its interpreter, git's helpers) is part of running it. */
export function startsPrograms({ runtime }: Tool): boolean {
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

/** As `paths`, but a scope inside a protected place is kept beside the whole project, which does not open it. */
function writePaths(grants: readonly Grant[], project: string, protectedSet: ProtectedSet): string[] {
  const scoped = withoutNested(
    grants.flatMap((grant) =>
      grant.scope === undefined ? [] : [scopePath('fs.write', grant.scope, project)],
    ),
  ).filter((path) => !protectedSet.why(path)?.isFixed)
  if (!grants.some((grant) => grant.scope === undefined)) return scoped
  return [project, ...scoped.filter((path) => protectedSet.why(path))]
}

/** The protected places of the project that are seen at all, without those that a grant names. */
function readOnlyPaths({ places }: ProtectedSet, spaces: Spaces, write: readonly string[]): string[] {
  const hidden = hiddenPlaces(spaces)
  return places
    .filter(({ path }) => isInside(path, spaces.project) && !hidden.some((folder) => isInside(path, folder)))
    .filter(({ path, isFixed }) => isFixed || !write.includes(path))
    .map(({ path }) => path)
}

/** Drops repeats and what lies below another path of the list. */
function withoutNested(list: readonly string[]): string[] {
  const unique = [...new Set(list)]
  return unique.filter((path) => !unique.some((other) => other !== path && isInside(path, other)))
}

function atMost(asked: number | undefined, limit: number): number {
  return Math.min(asked ?? limit, limit)
}
