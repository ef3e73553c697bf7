// The files of a tier that a code file takes in by static imports, transitively.
import { dirname, extname, join } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import { statIfThere } from '../files/stat-if-there.ts'
import { namesIn } from './names-in.ts'
import { nativeModules } from './native-modules.ts'
import { inspectCode } from './rye/code-file.ts'
import { scriptFile } from './rye/script-file.ts'

const maxFiles = 2_000

/**
 * Every file below `ai` that `entry` imports, directly or through others; `entry` itself is not in it. What `entry`
 * imports may be known already; then nothing is parsed unless one of those files is there.
 */
export function importedFiles(entry: string, ai: string, known?: readonly string[]): string[] {
  const found = new Set<string>([entry])
  const queue = [entry]
  const base = dirname(entry)
  while (queue.length > 0 && found.size < maxFiles) {
    const file = queue.pop()!
    for (const specifier of (file === entry && known) || (inspectCode(file)?.imports ?? [])) {
      for (const target of targetsOf(file, specifier, base)) {
        if (!isInside(target, ai) || found.has(target)) continue
        found.add(target)
        queue.push(target)
      }
    }
  }
  found.delete(entry)
  return [...found]
}

function targetsOf(file: string, specifier: string, base: string): string[] {
  if (extname(file) === '.py') return pythonTargets(file, specifier, base)
  if (!specifier.startsWith('.')) return []
  const hit = scriptFile(join(dirname(file), specifier))
  return hit ? [hit] : []
}

/** A dotted name may stop at a module or a package; every package on the way is imported too. */
function pythonTargets(file: string, specifier: string, base: string): string[] {
  const dots = /^\.*/.exec(specifier)![0].length
  let folder = base
  if (dots > 0) {
    folder = dirname(file)
    for (let i = 1; i < dots; i++) folder = dirname(folder)
  }
  const targets: string[] = []
  if (dots > 0) targets.push(join(folder, '__init__.py'))
  for (const name of specifier.slice(dots).split('.').filter(Boolean)) {
    // Most imports are of the standard library: nothing here is called so.
    if (!stemsIn(folder).has(name)) break
    targets.push(
      join(folder, `${name}.py`),
      join(folder, name, '__init__.py'),
      ...nativeModules(folder, name),
    )
    folder = join(folder, name)
  }
  return targets.filter(isFile)
}

/** By the list that a folder gave, which stays the same while the folder does. */
const stems = new WeakMap<readonly string[], ReadonlySet<string>>()

/** The names in a folder up to their first dot. */
function stemsIn(folder: string): ReadonlySet<string> {
  const names = namesIn(folder)
  let found = stems.get(names)
  if (!found) {
    found = new Set(names.map((name) => name.split('.', 1)[0]!))
    stems.set(names, found)
  }
  return found
}

function isFile(path: string): boolean {
  return statIfThere(path)?.isFile() ?? false
}
