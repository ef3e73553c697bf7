// A server's own installation: what it must read to start at all, wherever it lies (U3d). Only programs and scripts that
// its command line names count, with the packages they belong to; data that it names needs a grant like everything else.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { statIfThere } from '../../files/stat-if-there.ts'
import { packageMarks } from '../../formats/package-marks.ts'

const codeEndings = new Set([
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.py',
  '.rb',
  '.sh',
  '.pl',
  '.php',
  '.jar',
])

/**
 * The folders to show for the words of a command line. Of a package that the crib is a part of, only what is installed
 * is shown: the rest of it is the user's.
 */
export function ownCode(words: readonly string[], cwd: string, project: string): string[] {
  const crib = nearestRealPath(project)
  const holdsCrib = (dir: string) => dir !== crib && isInside(crib, dir)
  const shown = new Set<string>()
  for (const word of words) {
    if (!/[/.]/.test(word)) continue
    const path = isAbsolute(word) ? word : resolve(cwd, word)
    const stat = statIfThere(path)
    if (stat?.isDirectory() && isPackage(path, packageMarks(''))) addPackage(path, shown)
    if (!stat?.isFile() || !(codeEndings.has(extname(path)) || (stat.mode & 0o111) !== 0)) continue
    // A script in `.bin` is a link into its package.
    for (const file of new Set([path, realpathSync(path)])) {
      shown.add(file)
      const dir = packageOf(file)
      if (dir) addPackage(dir, shown)
    }
  }
  return [...shown].filter((path) => !holdsCrib(nearestRealPath(path)))
}

/** The package and what is installed beside or above it, where its interpreter looks for what it imports. */
function addPackage(dir: string, shown: Set<string>): void {
  const outermost = dir.indexOf('/node_modules/')
  shown.add(outermost < 0 ? dir : join(dir.slice(0, outermost), 'node_modules'))
  for (let above = dir; dirname(above) !== above; above = dirname(above)) {
    const installed = join(above, 'node_modules')
    if (existsSync(installed)) shown.add(installed)
    const description = join(above, 'package.json')
    if (existsSync(description)) shown.add(description)
  }
}

function packageOf(file: string): string | undefined {
  const marks = packageMarks(file)
  for (let dir = dirname(file); dirname(dir) !== dir; dir = dirname(dir))
    if (isPackage(dir, marks)) return dir
  return undefined
}

function isPackage(dir: string, marks: readonly string[]): boolean {
  return marks.some((mark) => existsSync(join(dir, mark)))
}
