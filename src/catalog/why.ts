// Why a tool is not listed, not callable or denied, with the place and the fix.
import { existsSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { isInside } from '../files/is-inside.ts'
import { looksLikeFile } from '../tool/ref.ts'
import { isReadKind, type Tool } from '../tool/tool.ts'
import { isToolError } from '../tool/tool-error.ts'
import { type Catalog, isListed } from './catalog.ts'
import { spotsOf } from './scanned-folders.ts'
import { type Ignored, walk } from './walk.ts'

export interface Finding {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly file?: string
  readonly line?: number
}

/** Findings about a ref or a file, most telling first; `fine` when nothing stands in the way. */
export function whyNot(catalog: Catalog, config: Config, spaces: Spaces, given: string): Finding[] {
  const path = resolve(given)
  if (
    isAbsolute(given) ||
    given.startsWith('./') ||
    given.startsWith('../') ||
    (looksLikeFile(given) && existsSync(path))
  )
    return aboutFile(catalog, config, spaces, path)
  try {
    return aboutTool(catalog.find(given))
  } catch (error) {
    if (!isToolError(error)) throw error
    return [
      ...claimsOf(catalog, given),
      { code: error.code, message: error.message, hint: error.hint },
      ...ignoredNamed(config, spaces, given),
    ]
  }
}

/** What the definition itself says about being listed and callable. */
function aboutTool(tool: Tool): Finding[] {
  const place = tool.source.file ? { file: tool.source.file, line: tool.source.line } : {}
  const findings: Finding[] = []
  for (const problem of tool.problems) {
    if (problem.severity === 'info') continue
    findings.push({
      code: problem.code,
      message: problem.message,
      hint: problem.hint,
      file: problem.file,
      line: problem.line,
    })
  }
  // Its own errors say why a tool is invalid; without any, the fault lies elsewhere, as with a broken SKILL.md.
  const isTold = tool.state === 'invalid' && tool.problems.some((problem) => problem.severity === 'error')
  if (tool.state !== 'available' && !isTold)
    findings.push({
      code: tool.state,
      message: `${tool.id} is ${tool.state}${tool.reason ? `: ${tool.reason}` : ''}.`,
      ...place,
    })
  if (tool.hidden)
    findings.push({
      code: 'hidden',
      message: `${tool.id} is hidden by its own definition; it can still be called by name.`,
      ...place,
    })
  if (tool.kind !== 'callable' && !isReadKind(tool.kind) && !isListed(tool))
    findings.push({
      code: 'not-callable-kind',
      message: `${tool.id} is a ${tool.kind}; a plain list shows only what can be called.`,
      hint: 'See `toolcrib list --all`.',
      ...place,
    })
  return findings.length > 0
    ? findings
    : [{ code: 'fine', message: `${tool.id} is listed and can be called.`, ...place }]
}

function claimsOf(catalog: Catalog, given: string): Finding[] {
  return catalog.tools
    .filter((tool) => tool.state === 'shadowed' && (tool.id === given || tool.aliases.includes(given)))
    .flatMap(aboutTool)
}

function aboutFile(catalog: Catalog, config: Config, spaces: Spaces, file: string): Finding[] {
  if (!existsSync(file)) return [{ code: 'no-file', message: `${file} does not exist.`, file }]
  const tools = [...catalog.inFile(file)]
  if (tools.length > 0) return tools.flatMap(aboutTool)
  const own = catalog.problems.filter((problem) => problem.file === file)
  if (own.length > 0)
    return own.map((problem) => ({
      code: problem.code,
      message: problem.message,
      hint: problem.hint,
      file,
      line: problem.line,
    }))
  const spot = spotsOf(config, spaces).find((candidate) => isInside(file, candidate.dir))
  if (!spot)
    return [
      {
        code: 'outside',
        message: `${file} lies in none of the crib's folders.`,
        hint: 'Move it under the crib, or add its folder to `roots` in toolcrib.yaml.',
        file,
      },
    ]
  const ignored = ignoredUnder(spot.dir).find((entry) => isInside(file, join(spot.dir, entry.path)))
  if (ignored)
    return [
      {
        code: 'ignored',
        message: `${file} is ignored: ${ignored.by}.`,
        hint: 'Change the ignore file, or move the tool.',
        file,
      },
    ]
  if (statSync(file).isDirectory())
    return [
      {
        code: 'folder',
        message: `${file} is a folder that defines no tool itself.`,
        hint: 'Name a file, or see `toolcrib list --all`.',
        file,
      },
    ]
  return [
    {
      code: 'no-tool',
      message: `${file} is not a tool in any format: rye tools lie under .ai/tools/ and name an executor or type, skills are SKILL.md or *.skill.*, tool-code is JSON with schema_name tool.code.v1.`,
      hint: 'Start from `toolcrib new`.',
      file,
    },
  ]
}

function ignoredUnder(dir: string): Ignored[] {
  const ignored: Ignored[] = []
  walk(dir, { onIgnored: (entry) => ignored.push(entry) })
  return ignored
}

function ignoredNamed(config: Config, spaces: Spaces, given: string): Finding[] {
  const stem = given.split('/').at(-1)!
  return spotsOf(config, spaces)
    .filter((spot) => spot.kind === 'crib')
    .flatMap((spot) =>
      ignoredUnder(spot.dir)
        .filter((entry) => entry.path.split('/').at(-1)!.startsWith(stem))
        .map((entry) => ({
          code: 'ignored',
          message: `${entry.path} is ignored: ${entry.by}.`,
          hint: 'Change the ignore file, or move the tool.',
          file: `${spot.dir}/${entry.path}`,
        })),
    )
}
