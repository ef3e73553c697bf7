// Which files of a tier can be tools, and what their names say: extension order, id, category.
import type { FileEntry, ScannedFolder } from '../format.ts'

/** In the order in which they win when two files of one tier have the same id. */
export const toolExtensions = [
  '.py',
  '.yaml',
  '.yml',
  '.json',
  '.js',
  '.ts',
  '.mjs',
  '.cjs',
  '.sh',
  '.toml',
] as const

export type ToolExtension = (typeof toolExtensions)[number]

const codeExtensions: readonly string[] = ['.py', '.js', '.ts', '.mjs', '.cjs', '.sh']
/** Hidden folders are exempt too. */
export const exemptDirs: ReadonlySet<string> = new Set(['node_modules', 'venv', '__pycache__'])
const exemptFile = /^(package\.json|package-lock\.json|tsconfig.*\.json|pyproject\.toml)$|\.d\.ts$|\.sig$/

export function isCodeFile(path: string): boolean {
  return codeExtensions.includes(extensionOf(path))
}

/** The last extension with its dot, empty when there is none. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot) : ''
}

/** The id of a file by its path under `tools/`. */
export function idOf(path: string): string {
  return path.slice(0, path.length - extensionOf(path).length)
}

/** The directory of a file by its path under `tools/`, which is what its category must be. */
export function categoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Folders that hold no tools and no code of ours. */
export function isExemptDir(name: string): boolean {
  return name.startsWith('.') || exemptDirs.has(name)
}

/** Files that belong to other programs. */
export function isExemptFile(name: string): boolean {
  return exemptFile.test(name)
}

/** True for a path under `tools/` that may hold a tool. */
function mayBeTool(path: string): boolean {
  const segments = path.split('/')
  const name = segments.pop()!
  if (!toolExtensions.includes(extensionOf(name) as ToolExtension)) return false
  return name !== '__init__.py' && !isExemptFile(name) && !segments.some(isExemptDir)
}

/** The files of a scanned folder that may hold a tool. */
export function toolFiles(scanned: ScannedFolder): FileEntry[] {
  if (scanned.kind === 'skills') return []
  const prefix = `${scanned.ai}tools/`
  return scanned.files.filter(
    (entry) => entry.path.startsWith(prefix) && mayBeTool(entry.path.slice(prefix.length)),
  )
}
