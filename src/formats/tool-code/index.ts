// The tool-code format: every JSON file whose top level is a tool.code.v1 object is a tool, wherever it lies.
import { resolve } from 'node:path'
import {
  isPlainObject,
  isTooDeep,
  type JsonObject,
  maxLevels,
  parseJsonFile,
  sha256,
} from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import type { FileEntry, Format, Parsed, Read, ScannedFolder, SourceFile, Unit } from '../format.ts'
import { type JsonDocument, parseJsonWithPositions } from '../json-with-positions.ts'
import { linkToolCode } from './link-tools.ts'
import { parseToolCode, toolCodeSchema } from './parse-tool-code.ts'
import { toolCodeParts } from './parts.ts'
import { portable } from './portable.ts'
import { documentOfModule, joinSource, sourceName, type ToolDocument, toolModule } from './read-document.ts'
import { strictSeverity } from './severities.ts'
import { starter, template } from './starter.ts'

const nothing: Parsed = { tools: [], problems: [] }
const bounds = { maxBytes: 16_777_216, maxDepth: 200 }

export const toolCode: Format = {
  name: 'tool-code',
  rank: 3,
  traits: { fillDefaults: true, runtimeKeepsTime: true },
  strictSeverity,
  units,
  looksIn: ({ config, spaces }) => ({
    paths: config.roots.map((root) => resolve(spaces.project, root, 'crumbs')),
    names: toolModule,
  }),
  parse,
  link: (tools, env) => ({ tools: linkToolCode(tools, env.config), problems: [] }),
  ...toolCodeParts,
  portable,
  starter,
  template,
}

function units(scanned: ScannedFolder): Unit[] {
  // Beside cribs only what ships with Toolcrib brings documents along, in a folder of its own.
  if (scanned.kind !== 'crib' && scanned.tier !== 'system') return []
  const byFolder = programsByFolder(scanned)
  return scanned.files
    .filter((entry) => scanned.kind === 'crib' || isSeed(entry.path))
    .filter(({ path }) => path.endsWith('.json') || (toolModule.test(path) && !path.startsWith('.ai/')))
    .filter((entry) => !/(^|\/)(node_modules|\.git)\//.test(entry.path))
    .map((entry) => ({
      format: 'tool-code',
      scanned,
      files: [entry, ...sourcesOf(entry, byFolder)],
      isCertain: isSeed(entry.path),
    }))
}

/** The programs a document may name: those beside a seed, elsewhere the one of its own name. */
function sourcesOf({ path }: FileEntry, byFolder: ReadonlyMap<string, readonly FileEntry[]>): FileEntry[] {
  if (!path.endsWith('.json')) return []
  const stem = path.slice(0, -'.json'.length)
  const beside = byFolder.get(folderOf(path)) ?? []
  return beside.filter((file) => isSeed(path) || file.path.replace(/\.m?[jt]s$/, '') === stem)
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function programsByFolder(scanned: ScannedFolder): Map<string, FileEntry[]> {
  const byFolder = new Map<string, FileEntry[]>()
  for (const file of scanned.files) {
    const folder = folderOf(file.path)
    const name = file.path.slice(folder.length)
    if (!sourceName.test(name) || toolModule.test(name)) continue
    const known = byFolder.get(folder)
    if (known) known.push(file)
    else byFolder.set(folder, [file])
  }
  return byFolder
}

/** Files under `crumbs/` are meant for the store, so being unreadable is a mistake there. */
function isSeed(path: string): boolean {
  return path.startsWith('crumbs/')
}

function parse(unit: Unit, read: Read): Parsed {
  const source = read(unit.files[0]!)
  if (toolModule.test(source.path)) {
    const joined = documentOfModule(source.file, source.text)
    return joined ? toolOf(joined, { unit, files: [source] }) : nothing
  }
  const mentionsTool = source.text.includes(toolCodeSchema)
  if (!mentionsTool && !isSeed(source.path) && !/"tool\.v1"/.test(source.text)) return nothing
  let document: unknown
  try {
    document = parseJsonFile(source.text)
  } catch {
    return mentionsTool || isSeed(source.path) ? { tools: [], problems: [jsonProblem(source)] } : nothing
  }
  if (!isPlainObject(document)) return nothing
  const schema = document['schema_name']
  if (schema !== toolCodeSchema && schema !== 'tool.v1') return nothing
  if (Object.values(document).some((field) => isTooDeep(field)))
    return {
      tools: [],
      problems: [jsonProblem(source, `The document is nested deeper than ${maxLevels} levels.`)],
    }
  const files = [source]
  const joined = joinSource(document as JsonObject, source.file, (name) => {
    const entry = unit.files.find(({ path }) => path === folderOf(source.path) + name)
    if (!entry) return undefined
    files.push(read(entry))
    return files[1]!.text
  })
  let positions: JsonDocument | undefined
  const position = (pointer: string) => {
    positions ??= parseJsonWithPositions(source.text, bounds)
    return positions.valueAt(pointer)
  }
  return toolOf({ position, ...joined }, { unit, files })
}

/** The tool of a document, whichever files it was put together from. */
function toolOf(
  { document, position, sourceFile, fault }: ToolDocument,
  { unit, files }: { readonly unit: Unit; readonly files: readonly SourceFile[] },
): Parsed {
  const [main] = files as readonly [SourceFile]
  const names = files.map(({ file }) => file)
  const digest = files.length === 1 ? main.digest : sha256(files.map((file) => file.digest).join())
  const { tool, problems } = parseToolCode(document, {
    file: main.file,
    sourceFile,
    tier: unit.scanned.tier,
    source: { file: main.file, line: 1, digest, files: names },
    position,
    fault,
  })
  return tool ? { tools: [tool], problems: [] } : { tools: [], problems }
}

function jsonProblem(source: SourceFile, message?: string): Problem {
  const fault = parseJsonWithPositions(source.text, bounds).faults[0]
  return {
    code: 'tc-json',
    severity: 'error',
    message: message ?? `The file is not JSON${fault ? `: ${fault.message}` : ''}.`,
    hint: 'Correct the JSON at this scanned.',
    file: source.file,
    line: fault?.line ?? 1,
    column: fault?.column ?? 1,
    pointer: '',
  }
}
