// Which files must be vouched for before a tool runs: its own, those of its executor chain, its MCP server's, and
// the code it takes in.
import { readdirSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { isReallyInside } from '../files/real-path.ts'
import { factsOf } from '../formats/rye/facts.ts'
import { isExemptDir, isExemptFile } from '../formats/rye/file-kinds.ts'
import { ryePlanOf } from '../tool/plans/runtime-plans.ts'
import type { RyePlan, RyeVerifyDeps } from '../tool/plans/rye-plan.ts'
import type { Tier, Tool } from '../tool/tool.ts'
import { hasMarker } from './folder-markers.ts'
import { importedFiles } from './imported-files.ts'
import { standardShadows } from './standard-shadows.ts'

export interface CoveredFile {
  readonly file: string
  readonly tier: Tier
  /** True when a symbolic link leads out of the folder it was found in: refused whatever it holds. */
  readonly escapes: boolean
}

/** `tools` are those of the catalog: the elements of the chain are among them. */
export function coveredFiles(tool: Tool, tools: Iterable<Tool>, projectPath: string): readonly CoveredFile[] {
  const alone = ownFilesOf(tool)
  const plan = ryePlanOf(tool)
  if (alone && (!plan || anchorFolder(plan, projectPath) === null)) return alone
  const covered = new Map<string, CoveredFile>()
  const add = (file: string | null | undefined, tier: Tier, scope?: string): void => {
    if (!file || covered.has(file)) return
    covered.set(file, { file, tier, escapes: scope !== undefined && !isReallyInside(file, scope) })
  }
  for (const file of tool.source.files ?? [tool.source.file]) add(file, tool.tier)
  addChain(tool, tools, add)
  if (plan) {
    const anchor = anchorFolder(plan, projectPath)
    if (anchor !== null && plan.verifyDeps)
      for (const file of scopeFiles(plan.verifyDeps, anchor, plan)) add(file, tool.tier, plan.ai)
    else if (plan.codeFile) {
      const imported = importedFiles(plan.codeFile, plan.ai, ownImports(tool, plan))
      for (const file of isPythonScript(plan)
        ? [...imported, ...shadowsBeside(plan.codeFile, plan.ai)]
        : imported)
        add(file, tool.tier, plan.ai)
    }
  }
  return [...covered.values()]
}

const ownFiles = new WeakMap<Tool, readonly CoveredFile[] | null>()

/** All there is to a tool that takes in no other file, unless it has an anchor; worked out once. */
function ownFilesOf(tool: Tool): readonly CoveredFile[] | null {
  let files = ownFiles.get(tool)
  if (files === undefined) {
    const plan = ryePlanOf(tool)
    const takesIn = plan?.codeFile ? isPythonScript(plan) || ownImports(tool, plan)?.length !== 0 : false
    const hasChain = plan?.server || tool.chain?.slice(1).some((link) => link.tier !== 'system')
    const names = new Set(tool.source.files ?? [tool.source.file])
    files =
      takesIn || hasChain
        ? null
        : [...names].flatMap((file) => (file ? [{ file, tier: tool.tier, escapes: false }] : []))
    ownFiles.set(tool, files)
  }
  return files
}

/** Started as a program of its own; a function is called by a worker that looks beside the file last. */
function isPythonScript({ codeFile, primitive }: RyePlan): boolean {
  return primitive === 'subprocess' && codeFile?.endsWith('.py') === true
}

function shadowsBeside(script: string, ai: string): string[] {
  return standardShadows(dirname(script)).flatMap((file) =>
    file === script ? [] : [file, ...importedFiles(file, ai)],
  )
}

/** What the code file imports, when it is the defining file and was read with it. */
function ownImports(tool: Tool, plan: RyePlan): readonly string[] | undefined {
  return plan.codeFile === plan.toolFile ? factsOf(tool).code?.imports : undefined
}

function addChain(tool: Tool, tools: Iterable<Tool>, add: (file: string | null, tier: Tier) => void): void {
  const wanted = new Set(
    (tool.chain ?? [])
      .slice(1)
      .flatMap((link) => (link.tier === 'system' ? [] : [`${link.tier}:${link.id}`])),
  )
  const server = ryePlanOf(tool)?.server
  if (wanted.size === 0 && !server) return
  for (const other of tools) {
    if (!other.details?.rye) continue
    const isLink = wanted.has(`${other.tier}:${other.id}`)
    const isServer = server !== undefined && server !== null && other.source.file === server.file
    if (isLink || isServer) add(other.source.file, other.tier)
  }
}

/** The anchor's folder when it is active for this tool. */
export function anchorFolder(plan: RyePlan, projectPath: string): string | null {
  const anchor = plan.anchor
  if (!anchor || anchor.mode === 'never') return null
  const toolDir = dirname(plan.codeFile ?? plan.toolFile)
  if (anchor.mode === 'auto' && !hasMarker(toolDir, anchor.markersAny)) return null
  return anchor.root === 'tool_parent'
    ? dirname(toolDir)
    : anchor.root === 'project_path'
      ? projectPath
      : toolDir
}

function scopeFiles(deps: RyeVerifyDeps, anchor: string, plan: RyePlan): string[] {
  const toolDir = dirname(plan.toolFile)
  if (deps.scope === 'tool_file') return [plan.toolFile]
  if (deps.scope === 'tool_siblings') return filesIn(toolDir, deps, false)
  return filesIn(deps.scope === 'tool_dir' ? toolDir : anchor, deps, deps.recursive)
}

function filesIn(folder: string, deps: RyeVerifyDeps, isRecursive: boolean): string[] {
  const files: string[] = []
  const folders = [folder]
  while (folders.length > 0) {
    const dir = folders.pop()!
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name)
      if (entry.isDirectory()) {
        if (isRecursive && !isExemptDir(entry.name) && !deps.excludeDirs.includes(entry.name))
          folders.push(path)
      } else if (deps.extensions.includes(extname(entry.name)) && !isExemptFile(entry.name)) files.push(path)
      // A linked folder is not walked into; it is judged, and refused, as a file that leads elsewhere.
      else if (entry.isSymbolicLink() && isRecursive && !isExemptDir(entry.name)) files.push(path)
    }
  }
  return files.sort()
}
