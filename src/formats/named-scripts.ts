// Scripts of the project that a command line names, with what they import: they run as part of whoever names them, so
// lock, signature and protection cover them (G6, G24).
import { isAbsolute, join } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import { statIfThere } from '../files/stat-if-there.ts'
import { importedFiles } from './imported-files.ts'

/** The words of a command line that are files of the project; a relative one is the first found in `folders`. */
export function namedScripts(
  words: readonly string[],
  { folders, project }: { readonly folders: readonly string[]; readonly project: string },
): string[] {
  const found = new Set<string>()
  for (const word of words) {
    if (!/[/.]/.test(word)) continue
    const candidates = isAbsolute(word) ? [word] : folders.map((folder) => join(folder, word))
    const file = candidates.find((path) => isInside(path, project) && isFile(path))
    if (file === undefined) continue
    found.add(file)
    for (const imported of importsOf(file, project)) found.add(imported)
  }
  return [...found]
}

function isFile(path: string): boolean {
  return statIfThere(path)?.isFile() === true
}

function importsOf(file: string, project: string): string[] {
  return /\.(?:[mc]?js|ts|py|sh|bash|zsh)$|\/[^./]+$/.test(file) ? importedFiles(file, project) : []
}
