// Every file a tool is made of, with what its code imports: what an approval covers, and what no other tool may change.
import { lstatSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { cribSkillFolders } from '../config/skill-paths.ts'
import { isInside } from '../files/is-inside.ts'
import { statIfThere } from '../files/stat-if-there.ts'
import { importedFiles } from '../formats/imported-files.ts'
import { namesIn } from '../formats/names-in.ts'
import { partsOf } from '../formats/tool-parts.ts'
import type { Tool } from '../tool/tool.ts'
import { coveredFiles } from './covered-files.ts'
import { isInFiles } from './lock/definition.ts'

/** Absolute, without what ships with Toolcrib; `project` is the crib's root. */
export function filesOf(tool: Tool, project: string): string[] {
  const parts = partsOf(tool)
  // What a server's own file says stands in the definition.
  if (!isInFiles(tool)) return [...(parts.files?.(tool, project) ?? [])]
  const files = new Set(
    coveredFiles(tool, project).flatMap(({ file, isShipped }) => (isShipped ? [] : [file])),
  )
  // A format that says which files make up a tool has said what they import.
  if (!parts.files) for (const file of [...files]) addImports(file, project, files)
  for (const file of [...files])
    if (isOfDefinitions(dirname(file), project)) for (const beside of dataBeside(file)) files.add(beside)
  return [...files]
}

/**
 * Where no tool writes: folders of definitions, and what lies outside the crib. Elsewhere what a script names beside
 * itself may as well be what it writes.
 */
function isOfDefinitions(folder: string, project: string): boolean {
  const places = ['.ai', ...cribSkillFolders].map((name) => join(project, name))
  return !isInside(folder, project) || places.some((place) => isInside(folder, place)) || isSkill(folder)
}

/** A folder that is one skill, wherever it is. */
function isSkill(folder: string): boolean {
  return namesIn(folder).includes('SKILL.md')
}

const codeFiles = new Set(['.js', '.ts', '.mjs', '.cjs', '.py'])

function addImports(file: string, scope: string, files: Set<string>): void {
  if (!codeFiles.has(extname(file))) return
  for (const imported of importedFiles(file, scope)) files.add(imported)
}

/** Read with the commands of a skill's folder, which are tools of their own. */
const ofCommands = new Set(['tools.json', 'allowlist.json', 'execution.json'])
/** Most files of a skill's own folder that are looked at. */
const maxData = 500
const notData = /\.(?:[mc]?js|ts|py|sig|examples\.yaml|md)$/

interface KnownData {
  readonly names: readonly string[]
  readonly changedMs: number
  readonly files: readonly string[]
}
const known = new Map<string, KnownData>()

/** Data that is read with a file of definitions: a skill's own folder, and what code names of its folder (G24). */
function dataBeside(file: string): readonly string[] {
  const folder = dirname(file)
  if (basename(file) === 'SKILL.md') return folderFiles(folder)
  if (!codeFiles.has(extname(file))) return []
  const names = namesIn(folder)
  const changedMs = statIfThere(file)?.mtimeMs ?? 0
  const last = known.get(file)
  if (last?.names === names && last.changedMs === changedMs) return last.files
  const data = dataAmong(names)
  const text = data.length > 0 ? readText(file) : ''
  const named = data.filter((name) => text.includes(name)).map((name) => join(folder, name))
  const files = named.filter((path) => statIfThere(path)?.isFile())
  known.set(file, { names, changedMs, files })
  return files
}

/** By the list that a folder gave, which stays the same while the folder does. */
const dataOf = new WeakMap<readonly string[], readonly string[]>()

function dataAmong(names: readonly string[]): readonly string[] {
  let data = dataOf.get(names)
  if (!data) {
    data = names.filter((name) => extname(name) !== '' && !name.startsWith('.') && !notData.test(name))
    dataOf.set(names, data)
  }
  return data
}

function folderFiles(folder: string): string[] {
  const found: string[] = []
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined && found.length < maxData; at = folders.pop())
    for (const name of namesIn(at)) {
      const path = join(at, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      if (stat?.isFile() && !ofCommands.has(name)) found.push(path)
      else if (stat?.isDirectory() && !name.startsWith('.') && !/^(?:node_modules|__pycache__)$/.test(name))
        folders.push(path)
    }
  return found.slice(0, maxData)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
