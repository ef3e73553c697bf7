// The files that make a folder the package of a script in it: they say how it is loaded, and what belongs to it.
import { extname } from 'node:path'

const ofNode = ['package.json']
const ofPython = ['pyproject.toml', 'setup.py', 'pyvenv.cfg']
const marks: { readonly [ending: string]: readonly string[] } = {
  '.js': ofNode,
  '.mjs': ofNode,
  '.cjs': ofNode,
  '.ts': ofNode,
  '.mts': ofNode,
  '.py': ofPython,
  // A program of an installed package has often no ending.
  '': [...ofNode, ...ofPython],
}

/**
 * Names of the files that count in the folders above a script; none for a file that no package holds. `isTool`: it lies
 * in a folder of definitions, where only Node looks further up.
 */
export function packageMarks(file: string, isTool = false): readonly string[] {
  const names = marks[extname(file)] ?? []
  return isTool ? names.filter((name) => ofNode.includes(name)) : names
}
