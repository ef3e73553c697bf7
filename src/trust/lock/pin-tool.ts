// What there is to approve of a tool as it stands now: its definition, every file it is made of, the programs it
// starts.
import { statSync } from 'node:fs'
import { extname, isAbsolute, join, relative, resolve } from 'node:path'
import { realProgram } from '../../config/find-on-path.ts'
import type { Spaces } from '../../config/spaces.ts'
import { type FileDigests, programDigest } from '../../files/file-digests.ts'
import { isInside } from '../../files/is-inside.ts'
import { specOf } from '../../formats/mcp/server-tool.ts'
import { byCodeUnits, jsonDigest } from '../../tool/json.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { planOf, ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { coveredFiles } from '../covered-files.ts'
import { importedFiles } from '../imported-files.ts'
import { definitionOf, isInFiles } from './definition.ts'
import type { Pin, ProgramPin } from './lock-file.ts'

export interface PinSources {
  /** The tools of the catalog: elements of executor chains are among them. */
  readonly tools: readonly Tool[]
  readonly spaces: Pick<Spaces, 'project' | 'userAi'>
  readonly digests: FileDigests
}

/** Everything about a tool that an approval covers. */
export function pinTool(tool: Tool, sources: PinSources, withPrograms = true): Pin {
  const definition = definitionOf(tool)
  const programs = withPrograms ? programsOf(tool, sources) : {}
  return {
    definition: jsonDigest(definition),
    files: digestsOf(tool, sources),
    ...(Object.keys(programs).length > 0 ? { programs } : {}),
    tool: definition,
  }
}

/** Digest of each file by its path as the lock file writes it; a file that cannot be read has none. */
export function digestsOf(tool: Tool, sources: PinSources): { readonly [path: string]: string } {
  const digests: Record<string, string> = {}
  for (const file of filesOf(tool, sources).sort(byCodeUnits)) {
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

function filesOf(tool: Tool, { tools, spaces }: PinSources): string[] {
  const spec = serverSpecOf(tool)
  if (spec) return serverFiles(spec, spaces.project)
  if (!isInFiles(tool)) return []
  const files = new Set(
    coveredFiles(tool, tools, spaces.project)
      .filter((covered) => covered.tier !== 'system')
      .map((covered) => covered.file),
  )
  // The files of a rye tool hold what it imports already.
  if (!tool.details?.rye) for (const file of [...files]) addImports(file, spaces.project, files)
  return [...files]
}

const codeFiles = new Set(['.js', '.ts', '.mjs', '.cjs', '.py'])

function addImports(file: string, scope: string, files: Set<string>): void {
  if (!codeFiles.has(extname(file))) return
  for (const imported of importedFiles(file, scope)) files.add(imported)
}

/** The spec of a server entry, or of the server a foreign tool belongs to. */
function serverSpecOf(tool: Tool): McpServerSpec | undefined {
  return specOf(tool) ?? planOf(tool, 'mcp')?.server
}

/** Scripts of the project that the command line of a server names. */
function serverFiles(spec: McpServerSpec, project: string): string[] {
  if (spec.transport !== 'stdio') return []
  const cwd = resolve(project, spec.cwd ?? '.')
  return [spec.command!, ...(spec.args ?? [])].flatMap((word) => {
    const file = isAbsolute(word) ? word : join(cwd, word)
    const isOwn = isInside(file, project) && /[/.]/.test(word)
    return isOwn && statSync(file, { throwIfNoEntry: false })?.isFile() ? [file] : []
  })
}

/** The programs a definition names, where they are and what they are now; those of the project are files of the tool. */
function programsOf(tool: Tool, { spaces }: PinSources): { readonly [name: string]: ProgramPin } {
  const programs: Record<string, ProgramPin> = {}
  for (const name of [...programNames(tool)].sort(byCodeUnits)) {
    const path = isAbsolute(name) && isInside(name, spaces.project) ? undefined : realProgram(name)
    const digest = path && programDigest(path)
    if (path && digest) programs[name] = { path, digest }
  }
  return programs
}

function programNames(tool: Tool): Set<string> {
  const names = new Set<string | undefined>()
  const command = planOf(tool, 'command')
  const rye = ryePlanOf(tool)
  if (command) {
    for (const entry of command.entries) {
      names.add(entry.binary).add(entry.postProcess?.binary)
      for (const arg of entry.args) names.add(arg.resolveCommand?.binary)
    }
  } else if (rye?.primitive === 'subprocess') {
    const { command, shell } = rye.config
    if (typeof command === 'string' && shell === undefined && !/[{$]/.test(command)) names.add(command)
  } else {
    const spec = serverSpecOf(tool)
    if (spec?.command && !spec.command.includes('$')) names.add(spec.command)
  }
  names.delete(undefined)
  return names as Set<string>
}
