// What the words after `sign` and `verify` mean: files, folders and globs are files; anything else names a tool,
// and stands for every file the tool is made of.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import picomatch from 'picomatch'
import type { Crib } from '../../crib/crib.ts'
import { isExemptDir, isExemptFile } from '../../formats/rye/file-kinds.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { coveredFiles } from '../../trust/covered-files.ts'
import { commentPrefix } from '../../trust/signature-line.ts'

export interface NamedFile {
  /** Absolute path. */
  readonly file: string
  /** The tool it was named by; absent: the file itself was named. */
  readonly tool?: Tool
}

/** The files meant by the given words, each once; throws TOOL_NOT_FOUND when a word means nothing. */
export async function namedFiles(crib: Crib, words: readonly string[], cwd: string): Promise<NamedFile[]> {
  const found = new Map<string, NamedFile>()
  for (const word of words)
    for (const named of await meaningOf(crib, word, cwd))
      found.set(named.file, found.get(named.file) ?? named)
  return [...found.values()]
}

async function meaningOf(crib: Crib, word: string, cwd: string): Promise<NamedFile[]> {
  const path = resolve(cwd, word)
  if (existsSync(path))
    return statSync(path).isDirectory() ? filesBelow(crib, path).map((file) => ({ file })) : [{ file: path }]
  const { base, glob, isGlob } = picomatch.scan(word)
  if (isGlob) {
    const folder = resolve(cwd, base)
    const matches = picomatch(glob, { dot: true })
    const files = filesBelow(crib, folder).filter((file) => matches(relative(folder, file)))
    if (files.length > 0) return files.map((file) => ({ file }))
    throw new ToolError('TOOL_NOT_FOUND', `No file matches "${word}".`, {
      hint: 'Quote the pattern, so that your shell leaves it to Toolcrib; `**` crosses folders.',
    })
  }
  return filesOfTool(crib, await crib.resolve(word))
}

/** Every file of the user's that a tool is made of; throws CONFLICT when there is none. */
export function filesOfTool(crib: Crib, tool: Tool): NamedFile[] {
  const files = coveredFiles(tool, crib.root).filter((covered) => !covered.isShipped && !covered.escapes)
  if (files.length > 0) return files.map(({ file }) => ({ file, tool }))
  throw new ToolError('CONFLICT', `${tool.id} has no file of yours: ${whose(tool)}.`, {
    hint: 'Only tools in files of the project or of your own .ai folder are signed.',
  })
}

function whose(tool: Tool): string {
  return tool.source.file === null ? 'it is not kept in a file' : 'it ships with Toolcrib'
}

function filesBelow(crib: Crib, folder: string): string[] {
  const files: string[] = []
  const folders = existsSync(folder) ? [folder] : []
  while (folders.length > 0) {
    const dir = folders.pop()!
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name)
      if (entry.isDirectory() && (entry.name === '.ai' || !isExemptDir(entry.name))) folders.push(path)
      else if (entry.isFile() && isSignable(crib, path)) files.push(path)
    }
  }
  return files.sort()
}

/** Files that can carry a signature, or that define a tool and so need one beside them. */
function isSignable(crib: Crib, file: string): boolean {
  const name = file.slice(file.lastIndexOf(sep) + 1)
  if (isExemptFile(name)) return false
  return commentPrefix(file) !== null || crib.catalog.inFile(file).length > 0
}
