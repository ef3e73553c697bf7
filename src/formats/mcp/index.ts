// The mcp format: `.mcp.json` and `mcp.servers` of toolcrib.yaml, to servers. Their tools are not in any file;
// they are asked for later, when somebody lists or calls them.
import { join, resolve } from 'node:path'
import { isPlainObject, type JsonObject, jsonDigest } from '../../tool/json.ts'
import { escapePointer } from '../../tool/pointer.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Format, FormatEnv, Parsed, Read, ScannedFolder, Unit } from '../format.ts'
import { parseJsonWithPositions, withoutComments } from '../json-with-positions.ts'
import { judgedSchema } from './judged-schema.ts'
import { startsToolcrib } from './own-entry.ts'
import { mcpParts } from './parts.ts'
import { portable } from './portable.ts'
import { configuredSpecs, ignoredKeys, isFault, isSwitchedOff, readServerSpec } from './server-spec.ts'
import { serverTool } from './server-tool.ts'
import { starter, template } from './starter.ts'

const fileName = '.mcp.json'

export const mcp: Format = {
  name: 'mcp',
  rank: 5,
  // The server fills its own defaults; it gets what the caller gave.
  traits: { fillDefaults: false, judgedSchema },
  units,
  looksIn: ({ config, spaces }) => ({
    paths: config.roots.map((root) => resolve(spaces.project, root, fileName)),
  }),
  parse,
  link,
  ...mcpParts,
  portable,
  starter,
  template,
}

function units(scanned: ScannedFolder): Unit[] {
  if (scanned.kind !== 'crib') return []
  const file = scanned.files.find((entry) => entry.path === fileName)
  return file ? [{ format: 'mcp', scanned, files: [file], isCertain: true }] : []
}

function parse(unit: Unit, read: Read): Parsed {
  const source = read(unit.files[0]!)
  const document = parseJsonWithPositions(withoutComments(source.text))
  const problems: Problem[] = document.faults.map((fault) => ({
    code: 'mcp-file-invalid',
    severity: fault.kind === 'duplicate-key' ? 'warning' : 'error',
    message: `${fileName}: ${fault.message}.`,
    hint: 'The file must be JSON with an object "mcpServers".',
    file: source.file,
    line: fault.line,
    column: fault.column,
  }))
  const servers = isPlainObject(document.value) ? document.value['mcpServers'] : undefined
  if (document.value !== undefined && !isPlainObject(servers))
    problems.push({
      code: 'mcp-file-invalid',
      severity: 'error',
      message: `${fileName} has no object "mcpServers".`,
      hint: 'Write { "mcpServers": { "name": { "command": "…" } } }.',
      file: source.file,
      ...document.valueAt('/mcpServers'),
    })
  const tools: Tool[] = []
  for (const [name, given] of Object.entries(isPlainObject(servers) ? servers : {})) {
    const pointer = `/mcpServers/${escapePointer(name)}`
    if (isPlainObject(given) && startsToolcrib(given as JsonObject)) continue // D8
    const spec = readServerSpec(name, given, false)
    if (!isFault(spec)) {
      const ignored = ignoredKeys(given)
      if (ignored.length > 0)
        problems.push({
          code: 'mcp-keys-ignored',
          severity: 'warning',
          message: `${ignored.join(', ')} of the server "${name}" ${ignored.length > 1 ? 'have' : 'has'} no effect here.`,
          hint: 'What asks a person first is set by `approve`, what a tool may do by `grants` in toolcrib.yaml.',
          file: source.file,
          ...document.keyAt(`${pointer}/${escapePointer(ignored[0]!)}`),
        })
      const place = { file: source.file, line: document.keyAt(pointer).line }
      tools.push(
        serverTool(spec, {
          place,
          digest: source.digest,
          tier: unit.scanned.tier,
          isOff: isSwitchedOff(given),
        }),
      )
      continue
    }
    problems.push({
      code: 'mcp-server-invalid',
      severity: 'error',
      message: spec.message,
      hint: spec.hint,
      file: source.file,
      ...(spec.key ? document.valueAt(`${pointer}/${spec.key}`) : document.keyAt(pointer)),
    })
  }
  return { tools, problems }
}

/** Adds the operator's own servers; they come before those of a folder. */
function link(tools: readonly Tool[], env: FormatEnv): Parsed {
  const file = join(env.spaces.project, 'toolcrib.yaml')
  const own: Tool[] = []
  const problems: Problem[] = []
  for (const spec of configuredSpecs(env.config.mcp.servers)) {
    if (isFault(spec))
      problems.push({
        code: 'mcp-server-invalid',
        severity: 'error',
        message: spec.message,
        hint: spec.hint,
        file,
      })
    else own.push(serverTool(spec, { place: null, digest: jsonDigest(spec), tier: 'project', isOff: false }))
  }
  const names = new Set(own.map((tool) => tool.id))
  return { tools: [...own, ...tools.filter((tool) => !names.has(tool.id))], problems }
}
