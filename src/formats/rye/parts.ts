// Which files a rye tool is made of: its own, those of its executor chain, its MCP server's, and the code it takes in.
import { readdirSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { isPlainObject, type Json } from '../../tool/json.ts'
import { ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import type { RyePlan, RyeVerifyDeps } from '../../tool/plans/rye-plan.ts'
import type { Tool } from '../../tool/tool.ts'
import { hostsOf } from '../hosts-of.ts'
import { importedFiles } from '../imported-files.ts'
import { type InlineCode, notYetKnown } from '../inline-code.ts'
import { namedScripts } from '../named-scripts.ts'
import type { Enclosure, ToolParts } from '../tool-parts.ts'
import { factsOf } from './facts.ts'
import { exemptDirs, isExemptDir, isExemptFile } from './file-kinds.ts'
import { hasMarker } from './folder-markers.ts'
import { standardShadows } from './standard-shadows.ts'

export const ryeParts: ToolParts = {
  files,
  home: (tool) => ryePlanOf(tool)?.ai,
  enclosure,
  programs,
  hosts,
  inline,
}

/** The files that hold for as long as the tool does, when it takes in no others; null otherwise. */
const fixed = new WeakMap<Tool, readonly string[] | null>()

function files(tool: Tool, project: string): readonly string[] {
  const made = madeOf(tool, project)
  const words = inCommands.get(tool) ?? pathsInCommands(tool)
  if (words.length === 0) return made
  const scripts = namedInCommands(words, tool, project)
  return scripts.every((file) => made.includes(file)) ? made : [...new Set([...made, ...scripts])]
}

/** Scripts that the command line of the tool, of its server or of its container names. */
function namedInCommands(words: readonly string[], tool: Tool, project: string): string[] {
  const toolDir = tool.source.file === null ? project : dirname(tool.source.file)
  const folders: { readonly [name: string]: string } = {
    '{project_path}': project,
    '{tool_dir}': toolDir,
    '{tool_parent}': dirname(toolDir),
    '/workspace': project,
  }
  const paths = words.map((word) => {
    const [, name, rest] = /^(\{\w+\}|\/workspace)(\/.*)$/s.exec(word) ?? []
    const folder = name === undefined ? undefined : folders[name]
    return folder === undefined ? word : folder + rest
  })
  return namedScripts(paths, { folders: [toolDir, project], project })
}

/** The words of a tool's command lines that may be paths; they hold for as long as the tool does. */
const inCommands = new WeakMap<Tool, readonly string[]>()

function pathsInCommands(tool: Tool): readonly string[] {
  const plan = ryePlanOf(tool)
  const configs = [tool.details?.rye?.config, plan?.config, plan?.server?.config]
  const words = configs
    .flatMap((config) =>
      config ? ['command', 'entrypoint', 'script', 'args'].flatMap((key) => config[key] ?? []) : [],
    )
    .filter((word): word is string => typeof word === 'string' && /[/.]/.test(word))
  inCommands.set(tool, words)
  return words
}

function madeOf(tool: Tool, project: string): readonly string[] {
  const plan = ryePlanOf(tool)
  let own = fixed.get(tool)
  if (own === undefined) {
    own = plan?.codeFile && takesIn(tool, plan) ? null : definingFiles(tool)
    fixed.set(tool, own)
  }
  const anchor = plan ? anchorFolder(plan, project) : null
  if (own && anchor === null) return own
  const found = new Set(own ?? definingFiles(tool))
  if (plan && anchor !== null && plan.verifyDeps)
    for (const file of scopeFiles(plan.verifyDeps, anchor, plan)) found.add(file)
  else if (plan?.codeFile) for (const file of codeTakenIn(tool, plan, plan.codeFile)) found.add(file)
  return [...found]
}

/** The tool's own files, then those of its chain and its server that do not ship with Toolcrib. */
function definingFiles(tool: Tool): string[] {
  const chain = (tool.chain ?? []).slice(1).flatMap(({ file }) => file ?? [])
  const server = ryePlanOf(tool)?.server?.file
  const own = tool.source.files ?? (tool.source.file === null ? [] : [tool.source.file])
  return [...new Set([...own, ...chain, ...(server ? [server] : [])])]
}

function takesIn(tool: Tool, plan: RyePlan): boolean {
  return isPythonScript(plan) || ownImports(tool, plan)?.length !== 0
}

function codeTakenIn(tool: Tool, plan: RyePlan, codeFile: string): string[] {
  const imported = importedFiles(codeFile, plan.ai, ownImports(tool, plan))
  return isPythonScript(plan) ? [...imported, ...shadowsBeside(codeFile, plan.ai)] : imported
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

/** The anchor's folder when it is active for this tool. */
function anchorFolder(plan: RyePlan, project: string): string | null {
  const anchor = plan.anchor
  if (!anchor || anchor.mode === 'never') return null
  const toolDir = dirname(plan.codeFile ?? plan.toolFile)
  if (anchor.mode === 'auto' && !hasMarker(toolDir, anchor.markersAny)) return null
  if (anchor.root === 'tool_parent') return dirname(toolDir)
  return anchor.root === 'project_path' ? project : toolDir
}

function scopeFiles(deps: RyeVerifyDeps, anchor: string, plan: RyePlan): string[] {
  const toolDir = dirname(plan.toolFile)
  if (deps.scope === 'tool_file') return [plan.toolFile]
  if (deps.scope === 'tool_siblings') return filesIn(toolDir, deps, false)
  return filesIn(deps.scope === 'tool_dir' ? toolDir : anchor, deps, deps.recursive)
}

function filesIn(folder: string, deps: RyeVerifyDeps, isRecursive: boolean): string[] {
  const found: string[] = []
  const folders = [folder]
  while (folders.length > 0) {
    const dir = folders.pop()!
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name)
      if (entry.isDirectory()) {
        if (isRecursive && !isExemptDir(entry.name) && !deps.excludeDirs.includes(entry.name))
          folders.push(path)
      } else if (deps.extensions.includes(extname(entry.name)) && !isExemptFile(entry.name)) found.push(path)
      // A linked folder is not walked into; it is judged, and refused, as a file that leads elsewhere.
      else if (entry.isSymbolicLink() && isRecursive && !isExemptDir(entry.name)) found.push(path)
    }
  }
  return found.sort()
}

/** The tier of a tool without an anchor, the anchor of one with. */
function enclosure(tool: Tool, project: string): Enclosure | null {
  const plan = ryePlanOf(tool)
  const file = plan?.codeFile
  if (!plan || !file) return null
  const anchor = anchorFolder(plan, project)
  if (anchor === null || !plan.verifyDeps) return { folder: plan.ai, open: [...exemptDirs] }
  const { scope, recursive, extensions, excludeDirs } = plan.verifyDeps
  const isWhole =
    (scope === 'anchor' || scope === 'tool_dir') && recursive && extensions.includes(extname(file))
  if (!isWhole) return null
  return {
    folder: scope === 'tool_dir' ? dirname(plan.toolFile) : anchor,
    open: [...exemptDirs, ...excludeDirs],
  }
}

function programs(tool: Tool): string[] {
  const plan = ryePlanOf(tool)
  if (plan?.primitive !== 'subprocess') return []
  const { command, shell } = plan.config
  return typeof command === 'string' && shell === undefined && !/[{$]/.test(command) ? [command] : []
}

/** Of an address that no parameter or variable is part of. */
function hosts(tool: Tool): string[] {
  const plan = ryePlanOf(tool)
  const url = plan?.primitive === 'http_client' ? plan.config['url'] : undefined
  return typeof url === 'string' ? hostsOf(url) : []
}

/** The command of a data file: a line for a shell, or a program with its arguments. */
function inline(tool: Tool): InlineCode[] {
  const plan = ryePlanOf(tool)
  if (plan?.primitive !== 'subprocess' || plan.codeFile) return []
  const { command, shell, args } = plan.config
  if (typeof command !== 'string') return []
  if (shell !== undefined) return [{ language: 'shell', text: command }]
  // A variable stands for the interpreter that the runtime finds.
  if (command.includes('$')) return []
  return [{ argv: [command, ...(Array.isArray(args) ? args.flatMap(wordsOf) : [])].map(unfilled) }]
}

function wordsOf(given: Json): string[] {
  if (!isPlainObject(given)) return [String(given)]
  const { flag } = given
  return typeof flag === 'string' ? [flag, notYetKnown] : [notYetKnown]
}

function unfilled(word: string): string {
  return word.replace(/^\{project_path\}\//, '').replace(/\$?\{[^{}]*\}/g, notYetKnown)
}
