// What there is to approve of a tool as it stands now: its definition, every file it is made of, the programs it
// starts.
import { isAbsolute, join, relative } from 'node:path'
import { realProgram } from '../../config/find-on-path.ts'
import type { Spaces } from '../../config/spaces.ts'
import { type FileDigests, programDigest } from '../../files/file-digests.ts'
import { isInside } from '../../files/is-inside.ts'
import { partsOf } from '../../formats/tool-parts.ts'
import { byCodeUnits, isPlainObject, jsonDigest } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { filesOf } from '../tool-files.ts'
import { definitionOf } from './definition.ts'
import type { Pin, ProgramPin } from './lock-file.ts'

export interface PinSources {
  readonly spaces: Pick<Spaces, 'project' | 'userAi'>
  readonly digests: FileDigests
}

/** Everything about a tool that an approval covers; with `like`, as far as that earlier pin covers it. */
export function pinTool(tool: Tool, sources: PinSources, withPrograms = true, like?: Pin): Pin {
  const definition = definitionOf(tool, like !== undefined && isFormerPin(like))
  const programs = withPrograms ? programsOf(tool, sources) : {}
  return {
    definition: jsonDigest(definition),
    files: digestsOf(tool, sources),
    ...(Object.keys(programs).length > 0 ? { programs } : {}),
    tool: definition,
  }
}

/** True for a pin of version 0.1.0 of a foreign server's tool. */
function isFormerPin({ tool }: Pin): boolean {
  const { facts } = tool
  return isPlainObject(facts) && typeof facts['server'] === 'string' && facts['more'] === undefined
}

/** Digest of each file by its path as the lock file writes it; a file that cannot be read has none. */
export function digestsOf(tool: Tool, sources: PinSources): { readonly [path: string]: string } {
  const digests: Record<string, string> = {}
  for (const file of filesOf(tool, sources.spaces.project).sort(byCodeUnits)) {
    const digest = sources.digests.of(file)
    if (digest !== null) digests[lockPath(file, sources.spaces)] = digest
  }
  return digests
}

/** A path that means the same on another machine. */
export function lockPath(file: string, spaces: PinSources['spaces']): string {
  const isUsers = !isInside(file, spaces.project) && isInside(file, spaces.userAi)
  return isUsers ? `user:${relative(spaces.userAi, file)}` : relative(spaces.project, file)
}

/** The file that a path of the lock file means here. */
export function fileAt(path: string, spaces: PinSources['spaces']): string {
  return path.startsWith('user:') ? join(spaces.userAi, path.slice(5)) : join(spaces.project, path)
}

/** The programs a definition names, where they are and what they are now; those of the project are files of the tool. */
function programsOf(tool: Tool, { spaces }: PinSources): { readonly [name: string]: ProgramPin } {
  const programs: Record<string, ProgramPin> = {}
  for (const name of [...(partsOf(tool).programs?.(tool) ?? [])].sort(byCodeUnits)) {
    const path = isAbsolute(name) && isInside(name, spaces.project) ? undefined : realProgram(name)
    const digest = path && programDigest(path)
    if (path && digest) programs[name] = { path, digest }
  }
  return programs
}
