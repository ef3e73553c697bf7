// The rye format: one file is one tool, its metadata is read from the file's text, and its executor chain says
// what runs it.

import { join, resolve } from 'node:path'
import { isReallyInside } from '../../files/real-path.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import type { FileEntry, Format, FormatEnv, LookedIn, Parsed, ScannedFolder, Unit } from '../format.ts'
import { callTimeoutMs } from './call-timeout.ts'
import { idOf, toolFiles } from './file-kinds.ts'
import { linkTools } from './link.ts'
import { propertiesOf } from './parameter-list.ts'
import { parseTool } from './parse-tool.ts'
import { ryeParts } from './parts.ts'
import { portable } from './portable.ts'
import { finishParams } from './resolve-config.ts'
import { defaultSeverity, strictSeverity } from './severity.ts'
import { starter, template } from './starter.ts'

export const rye: Format = {
  name: 'rye',
  rank: 4,
  traits: {
    fillDefaults: true,
    callsNeedGrant: true,
    returnCandidates,
    finishParams,
    timeoutMs: callTimeoutMs,
  },
  units,
  looksIn,
  parse: (unit, read) => {
    const entry = unit.files[0]!
    return leavesTier(unit, entry) ? escaped(unit, entry) : parseTool(unit.scanned, read(entry))
  },
  strictSeverity,
  link: linkTools,
  ...ryeParts,
  portable,
  starter,
  template,
}

/** Tools, their settings and variables, in every root. */
function looksIn({ config, spaces }: FormatEnv): LookedIn {
  const below = ['tools', 'config', '.env']
  return {
    paths: [
      join(spaces.project, '.ai'),
      ...config.roots.map((root) => resolve(spaces.project, root, '.ai')),
      spaces.userAi,
    ].flatMap((folder) => below.map((name) => join(folder, name))),
  }
}

/** A detached signature is part of the unit, so that a new one is noticed. */
function units(scanned: ScannedFolder): Unit[] {
  const signatures = new Map(
    scanned.files.filter((entry) => entry.path.endsWith('.sig')).map((entry) => [entry.path, entry]),
  )
  return toolFiles(scanned).map((entry) => {
    const signature = signatures.get(`${entry.path}.sig`)
    return { format: 'rye', scanned, files: signature ? [entry, signature] : [entry], isCertain: true }
  })
}

/** A result without `success` (with it, if the schema speaks of it), then its `data`, then its `output`. */
function returnCandidates(value: unknown, tool: Tool): unknown[] {
  if (!isPlainObject(value)) return [value]
  const required = tool.returns?.['required']
  const namesSuccess =
    Object.hasOwn(propertiesOf(tool.returns), 'success') ||
    (Array.isArray(required) && required.includes('success'))
  const { success: _, ...rest } = value
  const candidates: unknown[] = [namesSuccess ? value : rest]
  for (const part of ['data', 'output']) if (Object.hasOwn(value, part)) candidates.push(value[part])
  return candidates
}

function leavesTier({ scanned }: Unit, entry: FileEntry): boolean {
  return entry.realPath !== undefined && !isReallyInside(entry.realPath, `${scanned.dir}/${scanned.ai}`)
}

function escaped({ scanned }: Unit, entry: FileEntry): Parsed {
  const path = entry.path.slice(`${scanned.ai}tools/`.length)
  const file = `${scanned.dir}/${entry.path}`
  const problem: Problem = {
    code: 'symlink-escape',
    severity: defaultSeverity('symlink-escape'),
    message: `${path} leads to ${entry.realPath}, outside ${scanned.dir}/${scanned.ai}, and is not read.`,
    hint: 'Copy the file into the folder instead of linking to it.',
    file,
    line: 1,
    toolId: idOf(path),
  }
  return { tools: [], problems: [problem] }
}
