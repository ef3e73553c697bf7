// From needs and grants to a profile. A tool that states its needs runs with exactly those; one that does
// not runs with all that is granted to it. A scope only ever narrows.
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { stateFolderOf } from '../config/state-folder.ts'
import { isInside } from '../files/is-inside.ts'
import { coversCapability, type Grant, parseGrant } from '../tool/capability.ts'
import { ryePlanOf } from '../tool/plans/runtime-plans.ts'
import type { Tool } from '../tool/tool.ts'
import { selfRunningPlaces } from '../trust/protected-names.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'
import { signingFolder } from '../trust/signing-key.ts'
import { foldersOfProgram } from './named-programs.ts'
import type { NetworkRule, Profile } from './profile.ts'
import { scopePath } from './scope-path.ts'

const serverRuntimes = ['mcp', 'rye-mcp']
const commandRuntimes = new Set(['command', ...serverRuntimes])

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
  const granted = writePaths(giving('fs.write'), project, protectedSet)
  // What other tools write is held in the crib until it is judged; a server writes for itself (U3d).
  const write = serverRuntimes.includes(tool.runtime?.name ?? '')
    ? granted
    : granted.filter((path) => isInside(path, project))
  const started = giving('programs').flatMap(({ scope }) => foldersOfProgram(scope))
  const read = withoutNested([...paths('fs.read', giving('fs.read'), project), ...granted, ...started])
  return {
    network: networkRule([...giving('net.http'), ...giving('net.call')]),
    read,
    write,
    hidden: [...hiddenPlaces(spaces), ...keysBelow(read.filter((path) => !isInside(path, project)))],
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

/** The files and folders that file grants open: the whole project when one is unscoped, and what lies outside of it. */
function paths(capability: string, grants: readonly Grant[], project: string): string[] {
  return withoutNested(
    grants.map(({ scope }) => (scope === undefined ? project : scopePath(capability, scope, project))),
  )
}

/** As `paths`, but a scope inside a protected place is kept beside the whole project, which does not open it. */
function writePaths(grants: readonly Grant[], project: string, protectedSet: ProtectedSet): string[] {
  const scoped = withoutNested(
    grants.flatMap((grant) =>
      grant.scope === undefined ? [] : [scopePath('fs.write', grant.scope, project)],
    ),
  ).filter((path) => !protectedSet.why(path)?.isFixed)
  if (!grants.some((grant) => grant.scope === undefined)) return scoped
  return [project, ...scoped.filter((path) => !isInside(path, project) || protectedSet.why(path))]
}

const homeKeys = ['.ssh', '.aws', '.azure', '.gnupg', '.kube', '.docker', '.config/gcloud']

/** Keys and passwords of the user that lie below folders outside of the project. */
function keysBelow(areas: readonly string[]): string[] {
  const places = areas.length > 0 ? homeKeys.map((name) => join(homedir(), name)) : []
  return places.filter((path) => areas.some((area) => isInside(path, area)))
}

/** The protected places that are seen at all, without those that a grant names: of the project, and where one is written outside of it. */
function readOnlyPaths({ places }: ProtectedSet, spaces: Spaces, write: readonly string[]): string[] {
  const hidden = hiddenPlaces(spaces)
  const outside = write.filter((path) => !isInside(path, spaces.project))
  const areas = [spaces.project, ...outside]
  return [...places, ...outside.flatMap(selfRunningPlaces)]
    .filter(({ path }) => areas.some((area) => isInside(path, area)))
    .filter(({ path }) => !hidden.some((folder) => isInside(path, folder)))
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
