// The tool-code format: every JSON file whose top level is a tool.code.v1 object is a tool, wherever it lies.
import { deepest, isPlainObject, isTooDeep, type JsonObject, parseJsonFile } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Format, Parsed, Place, Read, SourceFile, Unit } from '../format.ts'
import { type JsonDocument, parseJsonWithPositions } from '../json-with-positions.ts'
import { linkToolCode } from './link-tools.ts'
import { parseToolCode, toolCodeSchema } from './parse-tool-code.ts'
import { portable } from './portable.ts'
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
  parse,
  link: (tools, env) => ({ tools: linkToolCode(tools, env.config), problems: [] }),
  portable,
  starter,
  template,
}

function units(place: Place): Unit[] {
  // Beside cribs only what ships with Toolcrib brings documents along, in a folder of its own.
  if (place.kind !== 'crib' && place.tier !== 'system') return []
  return place.files
    .filter((entry) => place.kind === 'crib' || isSeed(entry.path))
    .filter((entry) => entry.path.endsWith('.json') && !/(^|\/)(node_modules|\.git)\//.test(entry.path))
    .map((entry) => ({ format: 'tool-code', place, files: [entry], isCertain: isSeed(entry.path) }))
}

/** Files under `crumbs/` are meant for the store, so being unreadable is a mistake there. */
function isSeed(path: string): boolean {
  return path.startsWith('crumbs/')
}

function parse(unit: Unit, read: Read): Parsed {
  const source = read(unit.files[0]!)
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
      problems: [jsonProblem(source, `The document is nested deeper than ${deepest} levels.`)],
    }
  let positions: JsonDocument | undefined
  const { tool, problems } = parseToolCode(document as JsonObject, {
    file: source.file,
    tier: unit.place.tier,
    source: { file: source.file, line: 1, digest: source.digest, files: [source.file] },
    position: (pointer) => {
      positions ??= parseJsonWithPositions(source.text, bounds)
      return positions.valueAt(pointer)
    },
  })
  return tool ? { tools: [tool], problems: [] } : { tools: [], problems }
}

function jsonProblem(source: SourceFile, message?: string): Problem {
  const fault = parseJsonWithPositions(source.text, bounds).faults[0]
  return {
    code: 'tc-json',
    severity: 'error',
    message: message ?? `The file is not JSON${fault ? `: ${fault.message}` : ''}.`,
    hint: 'Correct the JSON at this place.',
    file: source.file,
    line: fault?.line ?? 1,
    column: fault?.column ?? 1,
    pointer: '',
  }
}
